import { SCRIPT, SCRIPT_PATH, STYLE, STYLE_PATH } from '../../generated/console-assets.ts'
import { apiError } from '../../lib/http/errors.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import type { ConsoleContext } from './session.ts'

const ASSETS = new Map([
  [SCRIPT_PATH, { text: SCRIPT, type: 'text/javascript; charset=utf-8' }],
  [STYLE_PATH, { text: STYLE, type: 'text/css; charset=utf-8' }],
])

/** Serves the script and the style. Their names contain a hash of their content, so browsers may cache them for ever. */
export function serveAsset(c: ConsoleContext): Response {
  const asset = ASSETS.get(c.req.path)
  if (!asset) throw apiError(sharedErrors.not_found)
  return c.body(asset.text, 200, { 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=31536000, immutable' })
}
