import type { Context } from 'hono'
import type { RenderError } from '../../lib/http/base-app.ts'
import {
  acceptsHtml,
  type ErrorPageContent,
  errorPage,
  errorPagePolicy,
  FRONT_PAGE,
} from '../../lib/http/error-page.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { type InLanguages, type Language, preferredLanguage } from '../../lib/http/preferred-language.ts'
import { errors } from './contract.ts'

/** The address is wrong, or its checkout has been deleted. */
const UNKNOWN: InLanguages<ErrorPageContent> = {
  en: {
    title: 'This link is no longer valid',
    text: 'If you have paid, your purchase is safe: return to the site where you started and check your account.',
  },
  de: {
    title: 'Dieser Link ist nicht mehr gültig',
    text: 'Wenn Sie bezahlt haben, ist Ihr Kauf sicher: Kehren Sie zur Website zurück, auf der Sie begonnen haben, und sehen Sie in Ihrem Konto nach.',
  },
}

/** The result of the payment is not known yet. */
const LATER: InLanguages<ErrorPageContent> = {
  en: {
    title: "We can't confirm your payment yet",
    text: "If you have paid, nothing is lost and you don't need to pay again. Reload this page in a moment.",
  },
  de: {
    title: 'Wir können Ihre Zahlung noch nicht bestätigen',
    text: 'Wenn Sie bezahlt haben, ist nichts verloren, und Sie müssen nicht noch einmal bezahlen. Laden Sie diese Seite gleich noch einmal.',
  },
}

/** Asks whether to continue to a host. */
const CONFIRM: InLanguages<(host: string) => Omit<ErrorPageContent, 'link'> & { link: string }> = {
  en: (host) => ({
    title: `Continue to ${host}?`,
    text: "The seller has not listed this site. Continue only if you trust it, and don't enter a password or card details there unless you do. Your payment is not affected.",
    link: `Continue to ${host}`,
  }),
  de: (host) => ({
    title: `Weiter zu ${host}?`,
    text: 'Der Verkäufer hat diese Website nicht angegeben. Fahren Sie nur fort, wenn Sie ihr vertrauen, und geben Sie dort sonst weder ein Passwort noch Kartendaten ein. Ihre Zahlung ist davon nicht betroffen.',
    link: `Weiter zu ${host}`,
  }),
}

/** `hasSite`: the host's front page is a paywall's site, to which the error page links. */
export class UnknownCheckout extends ApiError {
  readonly hasSite: boolean

  constructor({ hasSite }: { hasSite: boolean }) {
    super(errors.unknown_checkout)
    this.hasSite = hasSite
  }
}

/** Buyers return from the processor in a browser, so errors are rendered as a page. */
export const renderBuyerError: RenderError = async function renderBuyerError(c, refusal) {
  if (!acceptsHtml(c.req.raw.headers)) return null
  c.header('Content-Security-Policy', await errorPagePolicy())
  const language = readLanguage(c)
  const content = (refusal.status < 500 ? UNKNOWN : LATER)[language]
  const hasSite = refusal instanceof UnknownCheckout && refusal.hasSite
  const link = { href: '/', text: FRONT_PAGE[language] }
  return c.html(errorPage(language, { ...content, ...(hasSite && { link }) }), refusal.status)
}

/**
 * Asks a buyer to confirm a redirect to a page that neither the owner nor we know: whoever opened the checkout chose it. The host is shown
 * as DNS has it, in ASCII, which prevents homograph attacks.
 */
export async function confirmRedirect(c: Context, target: URL): Promise<Response> {
  c.header('Content-Security-Policy', await errorPagePolicy())
  const language = readLanguage(c)
  const { link, ...content } = CONFIRM[language](target.host)
  return c.html(errorPage(language, { ...content, link: { href: target.href, text: link } }))
}

const readLanguage = (c: Context): Language => preferredLanguage(c.req.header('accept-language'))
