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

/** The origins of the docs and of the console. */
interface OwnOrigins {
  DOCS_ORIGIN: string
  CONSOLE_ORIGIN: string
}

/**
 * Finds the route of a path at an origin. The docs run a large third-party script and accept owner keys, and the console acts for an owner:
 * each has an origin of its own. They are not served on owners' domains or wherever a paywall has its site, and no site is served at
 * theirs.
 */
export function routeAt(origin: string, path: string, { DOCS_ORIGIN, CONSOLE_ORIGIN }: OwnOrigins): Route | null {
  const route = findRoute(path)
  if (origin === CONSOLE_ORIGIN) return route && CONSOLE_ROUTE
  if (route?.binding === 'CONSOLE') return null
  if (route?.binding === 'DOCS') return origin === DOCS_ORIGIN ? route : null
  if (route?.binding === 'PAGES' && origin === DOCS_ORIGIN && !PAGES_PATHS_AT_DOCS_ORIGIN.includes(path)) return null
  return route
}

/** The console has all paths of its origin. */
const CONSOLE_ROUTE: Route | null = ROUTES.find(({ binding }) => binding === 'CONSOLE') ?? null
