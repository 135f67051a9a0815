import { ROUTES } from '../../generated/routes.ts'

/** What the gateway knows of a path: the binding of the Worker behind it, and how to brake and refuse its callers. */
export type Route = (typeof ROUTES)[number]

/**
 * The route of a path; null if nothing answers there. A path with an escape or an empty segment has none: the gateway
 * and the endpoint behind it must never read one path in two ways.
 */
export function routeOf(path: string): Route | null {
  if (/%|\/\/|\\/.test(path)) return null
  return ROUTES.find(({ pattern }) => pattern.test(path)) ?? null
}
