import type { Endpoint } from '../../lib/http/api-operation.ts'

/** Where a paywall's pages are: on the paywall's own domain, and on the service's host. */
export const PLACES = ['/', '/p/:id'] as const

/** The pages of a paywall, below either place. */
export const PAYWALL_PATH = '/'
export const THANKS_PATH = '/thanks'
export const ACCOUNT_PATH = '/account'
export const CANCEL_PATH = '/account/cancel'
export const TICKET_PATH = '/account/ticket'
export const RESTORE_PATH = '/restore'

/** What their scripts and they themselves load from there: an access token, and the images that the paywall's file names. */
export const SESSION_PATH = '/session'
export const IMAGE_PATH = '/image/:name'

const METHODS: Readonly<Record<string, Endpoint['method'][]>> = {
  [PAYWALL_PATH]: ['get', 'post'],
  [THANKS_PATH]: ['get'],
  [ACCOUNT_PATH]: ['get', 'post'],
  [CANCEL_PATH]: ['get', 'post'],
  [TICKET_PATH]: ['get', 'post'],
  [RESTORE_PATH]: ['get', 'post'],
  [SESSION_PATH]: ['post'],
  [IMAGE_PATH]: ['get'],
}

/** Scripts and styles. The name of each has a hash of its content, so it never changes. */
export const ASSET_PATH = '/assets/:file'

/** The icon of every page of a host. Browsers ask for it there, unless a page names another. */
export const ICON_PATH = '/favicon.ico'

/** What a page loads takes nothing from its visitor's share of requests. */
const LOADED = { countedBy: 'network' } as const

/** Served by the gateway like every endpoint, but no part of the API that the document describes. */
export const pages: Endpoint[] = [
  ...PLACES.flatMap((place) =>
    Object.entries(METHODS).flatMap(([path, methods]) =>
      methods.map(
        (method): Endpoint => ({
          method,
          path: joined(place, path),
          access: ['anybody'],
          ...(path === IMAGE_PATH && LOADED),
        }),
      ),
    ),
  ),
  ...[ASSET_PATH, ICON_PATH].map((path): Endpoint => ({ method: 'get', path, access: ['anybody'], ...LOADED })),
]

/** A page's path at a place, as Hono joins the two. */
function joined(place: string, path: string): string {
  if (place === '/') return path
  return path === '/' ? place : place + path
}
