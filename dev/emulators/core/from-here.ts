import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a request came to this machine's own address, and from no page of another one. Any page can lead a browser here by a
 * name of its own, or send a form here; neither may read what is kept here, or change it.
 */
export function isFromHere({ host = '', origin }: IncomingHttpHeaders): boolean {
  const isOurs = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)
  return isOurs && (origin === undefined || origin === `http://${host}`)
}
