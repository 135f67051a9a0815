import type { Context } from 'hono'
import type { RenderError } from '../../lib/http/base-app.ts'
import { acceptsHtml, type ErrorPageContent, errorPage, errorPagePolicy } from '../../lib/http/error-page.ts'

/** The address is wrong, or its checkout has been deleted. */
const UNKNOWN: ErrorPageContent = {
  title: 'This link is no longer valid',
  text: 'If you have paid, your purchase is safe: return to the site where you started and check your account.',
}

/** The result of the payment is not known yet. */
const LATER: ErrorPageContent = {
  title: "We can't confirm your payment yet",
  text: "If you have paid, nothing is lost and you don't need to pay again. Reload this page in a moment.",
}

/** Buyers return from the processor in a browser, so errors are rendered as a page. */
export const renderBuyerError: RenderError = async function renderBuyerError(c, { status }) {
  if (!acceptsHtml(c.req.raw.headers)) return null
  c.header('Content-Security-Policy', await errorPagePolicy())
  return c.html(errorPage(status < 500 ? UNKNOWN : LATER), status)
}

/**
 * Asks a buyer to confirm a redirect to a page that neither the owner nor we know: whoever opened the checkout chose it. The host is shown
 * as DNS has it, in ASCII, which prevents homograph attacks.
 */
export async function confirmRedirect(c: Context, target: URL): Promise<Response> {
  c.header('Content-Security-Policy', await errorPagePolicy())
  const page: ErrorPageContent = {
    title: `Continue to ${target.host}?`,
    text: "The seller has not listed this site. Continue only if you trust it, and don't enter a password or card details there unless you do. Your payment is not affected.",
    link: { href: target.href, text: `Continue to ${target.host}` },
  }
  return c.html(errorPage(page))
}
