import type { Endpoint } from '../../lib/http/api-operation.ts'

/** The base paths of a paywall's pages: on the paywall's own domain, and on the service's host. */
export const SITE_BASE_PATHS = ['/', '/p/:id'] as const
/** The base path of the same pages in a dialog on an owner's page, below each of these. */
const EMBED = '/embed'
/** The base paths of the pages in a dialog. */
export const EMBEDDED_BASE_PATHS = SITE_BASE_PATHS.map((basePath) => joined(basePath, EMBED))
export const BASE_PATHS = [...SITE_BASE_PATHS, ...EMBEDDED_BASE_PATHS]

const EMBEDDED = /^((?:\/p\/[^/]+)?)\/embed(?=\/|$)/

/** The front page of the paywall or the host that a path belongs to, in a dialog that of the dialog. */
export const frontPath = (path: string): string => /^(?:\/p\/[^/]+)?(?:\/embed(?=\/|$))?/.exec(path)?.[0] || '/'

/** Whether a path is that of a page in a dialog. */
export const isEmbeddedPath = (path: string): boolean => EMBEDDED.test(path)

/** Whether a path is the one that opens a dialog. */
export const isDialogPath = (path: string): boolean => isEmbeddedPath(path) && path.endsWith(DIALOG_PATH)

/** The same page outside of the dialog. */
export const withoutDialog = (path: string): string => path.replace(EMBEDDED, '$1') || '/'

/** The pages of a paywall, below either base path. */
export const PAYWALL_PATH = '/'
export const THANKS_PATH = '/thanks'
export const ACCOUNT_PATH = '/account'
export const CANCEL_PATH = '/account/cancel'
export const CHANGE_PATH = '/account/change'
/** Payments before those that the account page shows, and the way to the receipt of one. */
export const PAYMENTS_PATH = '/account/payments'
export const RECEIPTS_PATH = '/account/receipt'
export const RECEIPT_PATH = `${RECEIPTS_PATH}/:payment`
export const TICKET_PATH = '/account/ticket'
export const RESTORE_PATH = '/restore'

/** What the pages and their scripts load from the same base path: an access token, and the images named in the paywall's file. */
export const SESSION_PATH = '/session'
export const IMAGE_PATH = '/image/:name'

/** Opens the pages in a dialog: with a form, whose target is the dialog's frame. */
export const DIALOG_PATH = '/dialog'
/** The script that opens the dialog from a link. Owners' pages name it, so it has no hash. */
export const DIALOG_SCRIPT_PATH = '/dialog.js'

const METHODS: Readonly<Record<string, Endpoint['method'][]>> = {
  [PAYWALL_PATH]: ['get', 'post'],
  [THANKS_PATH]: ['get'],
  [ACCOUNT_PATH]: ['get', 'post'],
  [CANCEL_PATH]: ['get', 'post'],
  [CHANGE_PATH]: ['get', 'post'],
  [PAYMENTS_PATH]: ['get'],
  [RECEIPT_PATH]: ['get'],
  [TICKET_PATH]: ['get', 'post'],
  [RESTORE_PATH]: ['get', 'post'],
  [SESSION_PATH]: ['post'],
  [IMAGE_PATH]: ['get'],
}

/** Scripts and styles. Each name contains a hash of the content, so the content never changes. */
export const ASSET_PATH = '/assets/:file'

/** Browsers request this path for every page of a host that names no other icon. */
export const ICON_PATH = '/favicon.ico'

/** Subresources of a page do not count against the visitor's rate limit. */
const SUBRESOURCE = { countedBy: 'network' } as const

/** Routed by the gateway like every endpoint, but left out of the OpenAPI document. */
export const pages: Endpoint[] = [
  ...BASE_PATHS.flatMap((basePath) =>
    Object.entries(METHODS).flatMap(([path, methods]) =>
      methods.map(
        (method): Endpoint => ({
          method,
          path: joined(basePath, path),
          access: ['anybody'],
          ...(path === IMAGE_PATH && SUBRESOURCE),
        }),
      ),
    ),
  ),
  ...EMBEDDED_BASE_PATHS.map(
    (basePath): Endpoint => ({ method: 'post', path: joined(basePath, DIALOG_PATH), access: ['anybody'] }),
  ),
  ...[ASSET_PATH, ICON_PATH, ...SITE_BASE_PATHS.map((basePath) => joined(basePath, DIALOG_SCRIPT_PATH))].map(
    (path): Endpoint => ({ method: 'get', path, access: ['anybody'], ...SUBRESOURCE }),
  ),
]

/** Joins a base path and a page's path as Hono does. */
function joined(basePath: string, path: string): string {
  if (basePath === '/') return path
  return path === '/' ? basePath : basePath + path
}
