import { ICON, SCRIPT, SCRIPT_PATH, STYLE, STYLE_PATH, WAITING, WAITING_PATH } from '../../generated/page-assets.ts'
import { apiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import type { PagesContext } from './call-api.ts'

const ASSETS = new Map([
  [SCRIPT_PATH, { text: SCRIPT, type: 'text/javascript; charset=utf-8' }],
  [WAITING_PATH, { text: WAITING, type: 'text/javascript; charset=utf-8' }],
  [STYLE_PATH, { text: STYLE, type: 'text/css; charset=utf-8' }],
])

/** Serves scripts and styles. Their names contain a hash of their content, so browsers may cache them for ever. */
export function serveAsset(c: PagesContext): Response {
  const asset = ASSETS.get(c.req.path)
  if (!asset) throw apiError(sharedErrors.not_found)
  return c.body(asset.text, 200, { 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=31536000, immutable' })
}

/** The icon's name has no hash: a day of caching keeps requests few and lets a new icon appear soon. */
export function serveIcon(c: PagesContext): Response {
  return c.body(ICON, 200, { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' })
}
