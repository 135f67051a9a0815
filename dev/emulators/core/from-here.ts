import type { IncomingHttpHeaders } from 'node:http'

/**
 * Protects against DNS rebinding and cross-site requests: accepts only requests to a loopback host, and from no other origin.
 */
export function isFromHere({ host = '', origin }: IncomingHttpHeaders): boolean {
  const isOurs = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)
  return isOurs && (origin === undefined || origin === `http://${host}`)
}
