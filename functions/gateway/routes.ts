import { ROUTES } from '../../generated/routes.ts'

/** What the gateway knows of a path: the binding of the Worker behind it, and how to brake and refuse its callers. */
export type Route = (typeof ROUTES)[number]

/**
 * The route of a path; null if nothing answers there. A path with an escape or an empty segment has none: the gateway
 * and the endpoint behind it must never read one path in two ways.
 */
export function findRoute(path: string): Route | null {
  if (/%|\/\/|\\/.test(path)) return null
  return ROUTES.find(({ pattern }) => pattern.test(path)) ?? null
}

/** What the docs' origin shows of the sites' Worker: the front page of a host that is no paywall's, and the icon. */
const ANY_HOST = ['/', '/favicon.ico']

/**
 * The route of a path at an origin. The docs run a large script of others and take owner keys, so they have an origin of their own:
 * they are served at no owner's domain and nowhere where a paywall has its site, and no site at theirs.
 */
export function routeAt(origin: string, path: string, docsOrigin: string): Route | null {
  const route = findRoute(path)
  if (route?.binding === 'DOCS') return origin === docsOrigin ? route : null
  if (route?.binding === 'PAGES' && origin === docsOrigin && !ANY_HOST.includes(path)) return null
  return route
}
