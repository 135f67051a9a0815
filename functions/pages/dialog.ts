// Shows the pages in a dialog on an owner's page. That page opens them with a form, whose target is the dialog's frame.
//
// The frame's cookies are `Partitioned`: a browser keeps them for each site that embeds the pages, apart from those of the pages outside.
import type { MiddlewareHandler } from 'hono'
import { DIALOG } from '../../generated/page-assets.ts'
import { apiError, defineErrors } from '../../lib/http/errors.ts'
import type { PagesContext } from './call-api.ts'
import { isDialogPath, isEmbeddedPath, PAYWALL_PATH, THANKS_PATH, withoutDialog } from './contract.ts'
import { parseEmbedder, rememberEmbedder, rememberedEmbedder } from './embedder.ts'
import { readAction, readForm } from './form.ts'
import { giveSession } from './session.ts'
import { openSiteBase, pathIn } from './site.ts'

const errors = defineErrors<'foreign_page'>({
  foreign_page: [403, 'foreign_page', 'The origin of the page with the dialog is not in `settings.embed_origins`'],
})

/** The page that each action opens: to buy, after paying, and after returning without paying. */
const OPENED = { sell: PAYWALL_PATH, thank: THANKS_PATH, 'sell-again': `${PAYWALL_PATH}?bought=nothing` } as const

/**
 * Opens a page in a dialog for the user whose access token the form has, or else for the user of the frame's own session. A POST from
 * another site: its `Origin` must be one that the owner has listed.
 */
export async function openDialog(c: PagesContext): Promise<Response> {
  const { base, structure } = await openSiteBase(c)
  const form = await readForm(c)
  const page = parseEmbedder(structure, form('page'))
  if (!page || page.origin !== c.req.header('origin')) throw apiError(errors.foreign_page)
  rememberEmbedder(c, base, page)
  giveSession(c, base, form('token'))
  const opened = new URL(OPENED[readAction(form, ['sell', 'thank', 'sell-again'])], c.req.url)
  for (const name of ['locale', 'after']) if (form(name)) opened.searchParams.set(name, form(name))
  return c.redirect(pathIn(base, opened.pathname) + opened.search, 303)
}

/**
 * If the browser blocks the frame's cookies, a purchase there would have no user. Redirects to the page outside the dialog, which may not
 * be framed: the script on the owner's page notices that and opens it instead.
 */
export const requireCookies: MiddlewareHandler = async function requireCookies(c, next) {
  const { pathname, search } = new URL(c.req.url)
  const isInside = isEmbeddedPath(pathname) && !isDialogPath(pathname)
  if (isInside && !rememberedEmbedder(c)) return c.redirect(withoutDialog(pathname) + search, 303)
  return next()
}

/** The script for owners' pages. Its name has no hash: an hour of caching lets a new version arrive soon. */
export function serveDialogScript(c: PagesContext): Response {
  const headers = { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, max-age=3600' }
  return c.body(DIALOG, 200, headers)
}
