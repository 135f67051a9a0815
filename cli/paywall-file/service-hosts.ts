import type { Environment } from './secret.ts'

/** The variables that hold the service's own origins. */
const ORIGINS = ['SERVICE_ORIGIN', 'DOCS_ORIGIN'] as const

/**
 * The service's own host names, which no owner may have: what an owner has at one would speak in the service's name. A local world is
 * at an address of this machine, which all its parts share.
 */
export function serviceHosts(environment: Environment): string[] {
  const hosts = ORIGINS.flatMap((name) => (environment[name] ? new URL(environment[name]).hostname : []))
  return hosts.filter((host) => !isLocalHost(host))
}

/** Which of the variables is no origin; null if all that are set are. */
export const malformedOrigin = (environment: Environment): string | null =>
  ORIGINS.find((name) => environment[name] && URL.parse(environment[name])?.origin !== environment[name]) ?? null

/** Whether a host is this machine. */
export const isLocalHost = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host)
