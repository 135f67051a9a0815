import { html } from 'hono/html'
import * as z from 'zod'
import { declinePage, payPage, payPageLater } from '../domain/checkout.ts'
import type { AccountContext } from '../domain/context.ts'
import { amountToday, expireIfOver } from '../domain/pages.ts'
import type { PageRecord } from '../domain/selling-records.ts'
import { cycleText } from '../periods.ts'
import type { HttpRequest } from '../server.ts'
import { EmulatorError } from '../wire/emulator-error.ts'
import { type CheckoutView, checkoutPage } from './checkout-page.ts'
import type { Html, Notice } from './layout.ts'
import type { HostedPage, Pressed } from './visits.ts'

/** What differs between the processors' pages. */
export interface CheckoutWords {
  /** An amount as a person reads it. */
  money(amount: number, currency: string): string
  /** Where the browser goes from a page that is complete. */
  successUrl(page: PageRecord): string
  /** Notes that the buyer leaves by Cancel. Returns where the browser goes then, if not to `cancelUrl`; null: nowhere. */
  leave?(page: PageRecord): string | null
  hint?: Html
  /** Whether the money may arrive later; it may if nothing else is said. */
  paysLater?(page: PageRecord): boolean
  /** False: a card that was declined leaves nothing at the processor. */
  keepsDeclined?: boolean
  /** Throws the processor's error if it does not sell the page to who has that address. Nothing is paid before. */
  admit?(page: PageRecord, email: string, context: AccountContext): void
}

/** Ends the address that a declined card leads to: a GET, so that reloading it declines nothing a second time. */
const DECLINED = 'declined'

const HINT = html`Pay succeeds at once. Decline the card does what a bank does that refuses the payment. Cancel goes back to
          the seller. The local world's home has a button for a debit that is on its way to arrive, and one for it to fail.`

/** The hosted page of one price. */
export function hostedCheckout(
  context: AccountContext,
  page: PageRecord,
  request: HttpRequest,
  words: CheckoutWords,
): HostedPage {
  expireIfOver(context, page)
  const declined = 'Your card was declined. You can try again with another card.'
  const pay =
    (complete: typeof payPage) =>
    (form: Record<string, string>): Pressed => {
      const email = z.email().safeParse(page.email ?? form.email?.trim())
      if (!email.success) return { status: 422, problem: 'Enter your email address.' }
      try {
        words.admit?.(page, email.data, context)
      } catch (error) {
        if (error instanceof EmulatorError) return { status: error.status, problem: error.message }
        throw error
      }
      complete(context, page, email.data)
      return { to: words.successUrl(page) }
    }
  const later = pay(payPageLater)
  return {
    ...(page.status !== 'open' && { closed: closedNotice(page, words) }),
    problem: queryParts(request).includes(DECLINED) ? declined : undefined,
    show: (problem) => checkoutPage(toView(page, words), problem),
    press: {
      pay: pay(payPage),
      later: (form) =>
        canPayLater(page, words) ? later(form) : { status: 400, problem: 'This cannot be paid later.' },
      decline() {
        if (words.keepsDeclined !== false) declinePage(context, page)
        const before = queryParts(request).filter((part) => part !== DECLINED)
        return { to: `${request.path}?${[...before, DECLINED].join('&')}` }
      },
      cancel() {
        const to = words.leave ? words.leave(page) : page.cancelUrl
        return to === null ? { status: 200, problem: 'The seller gave no address to go back to.' } : { to }
      },
    },
  }
}

const canPayLater = (page: PageRecord, { paysLater }: CheckoutWords) =>
  amountToday(page) > 0 && (paysLater === undefined || paysLater(page))

/** What the query of a page's address is made of. */
const queryParts = ({ query }: HttpRequest) => query.split('&').filter((part) => part !== '')

/** What the page of a price shows, whatever its address is. */
function toView(page: PageRecord, words: CheckoutWords): CheckoutView {
  const { money, hint = HINT } = words
  const { seller, price, quantity, trialDays, email } = page
  const full = money(price.amount * quantity, price.currency)
  const today = money(amountToday(page), price.currency)
  const cycle = `${cycleText(price)}, until cancelled`
  const later = canPayLater(page, words) && { later: 'Pay by bank debit; the money arrives later' }
  return {
    title: `Pay ${seller}`,
    heading: seller,
    label: `${quantity > 1 ? `${quantity} × ` : ''}${price.label}`,
    price: trialDays === null ? full : trialDays === 1 ? '1 day free' : `${trialDays} days free`,
    terms: !price.interval
      ? 'One-time payment'
      : trialDays === null
        ? cycle
        : `then ${full} ${cycle}. Due today: ${today}`,
    email: { value: email },
    pay: `Pay ${today}`,
    buttons: { ...later, decline: 'Decline the card', cancel: 'Cancel' },
    hint,
  }
}

/** A second click on Pay ends here, too: nothing is paid twice, and the page has a link to go on. */
function closedNotice(page: PageRecord, { successUrl }: CheckoutWords): Notice {
  const { seller, price, cancelUrl } = page
  if (page.status === 'expired') {
    const next = cancelUrl === null ? undefined : { href: cancelUrl, label: `Back to ${seller}` }
    return { title: 'This checkout has expired', text: 'Nothing was paid. Start again to buy.', next }
  }
  const [title, text] = page.unpaid
    ? ['Not paid yet', `${seller} waits for the money for ${price.label}.`]
    : ['Already paid', `You have paid ${seller} for ${price.label}.`]
  return { title, text, next: { href: successUrl(page), label: `Continue to ${seller}` } }
}

/** What is shown where no page is. */
export const UNKNOWN_CHECKOUT: Notice = {
  title: 'Nothing to pay here',
  text: 'This checkout does not exist. Check the address.',
}
