import type { Context } from 'hono'
import type { RenderError } from '../../lib/http/base-app.ts'
import { acceptsHtml, type ErrorPageContent, errorPage, errorPagePolicy } from '../../lib/http/error-page.ts'

/** The address is wrong, or of a checkout that is forgotten by now. */
const UNKNOWN: ErrorPageContent = {
  title: 'This link is not good any more',
  text: 'If you have paid, your purchase is there all the same: go back to where you began, and look at your account.',
}

/** It is not known yet what was bought. */
const LATER: ErrorPageContent = {
  title: 'We cannot see your payment just now',
  text: 'If you have paid, nothing is lost, and you need not pay again. Reload this page in a moment.',
}

/** Buyers come back from their payment by a browser: it shows them a page. */
export const renderBuyerError: RenderError = async function renderBuyerError(c, { status }) {
  if (!acceptsHtml(c.req.raw.headers)) return null
  c.header('Content-Security-Policy', await errorPagePolicy())
  return c.html(errorPage(status < 500 ? UNKNOWN : LATER), status)
}

/**
 * Asks a buyer whether to go on to a page that neither the owner nor we know: whoever opened the checkout chose it. The host is as
 * DNS has it, in ASCII, so that no letters of another script look like those of a shop.
 */
export async function confirmRedirect(c: Context, target: URL): Promise<Response> {
  c.header('Content-Security-Policy', await errorPagePolicy())
  const page: ErrorPageContent = {
    title: `Continue to ${target.host}?`,
    text: 'The seller has not listed this site. Continue only if you know it, and enter no password or card there that you would not give to a stranger. Your payment is not affected.',
    link: { href: target.href, text: `Continue to ${target.host}` },
  }
  return c.html(errorPage(page))
}
