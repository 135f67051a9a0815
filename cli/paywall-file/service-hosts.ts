import type { Environment } from './secret.ts'

/** The variables that hold the service's own origins. */
const ORIGINS = ['SERVICE_ORIGIN', 'DOCS_ORIGIN', 'CONSOLE_ORIGIN'] as const

/**
 * The service's own host names, which owners may not use: a paywall or webhook there would impersonate the service. Loopback hosts are
 * left out, because all parts of a local world share them.
 */
export function serviceHosts(environment: Environment): string[] {
  const hosts = ORIGINS.flatMap((name) => (environment[name] ? new URL(environment[name]).hostname : []))
  return hosts.filter((host) => !isLocalHost(host))
}

/** The first variable that is not an origin; null if all are. */
export const malformedOrigin = (environment: Environment): string | null =>
  ORIGINS.find((name) => environment[name] && URL.parse(environment[name])?.origin !== environment[name]) ?? null

/** Whether a host is a loopback address. */
export const isLocalHost = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)
