import { ROUTES } from '../../generated/routes.ts'

/** A path's route: the binding of its Worker, and how to rate-limit and refuse its callers. */
export type Route = (typeof ROUTES)[number]

/**
 * Finds the route of a path; null if there is none. A path with an escape or an empty segment has none, so that the gateway and the
 * endpoint never interpret a path differently.
 */
export function findRoute(path: string): Route | null {
  if (/%|\/\/|\\/.test(path)) return null
  return ROUTES.find(({ pattern }) => pattern.test(path)) ?? null
}

/** Paths of the Worker `pages` that are also served at the docs' origin: the front page of a host that is no paywall's, and the icon. */
const PAGES_PATHS_AT_DOCS_ORIGIN = ['/', '/favicon.ico']

/**
 * Finds the route of a path at an origin. The docs run a large third-party script and accept owner keys, so they have an origin of their
 * own: they are not served on owners' domains or wherever a paywall has its site, and no site is served at their origin.
 */
export function routeAt(origin: string, path: string, docsOrigin: string): Route | null {
  const route = findRoute(path)
  if (route?.binding === 'DOCS') return origin === docsOrigin ? route : null
  if (route?.binding === 'PAGES' && origin === docsOrigin && !PAGES_PATHS_AT_DOCS_ORIGIN.includes(path)) return null
  return route
}
