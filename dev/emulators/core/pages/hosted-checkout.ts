import { html } from 'hono/html'
import * as z from 'zod'
import { declinePage, payPage, payPageLater } from '../domain/checkout.ts'
import type { AccountContext } from '../domain/context.ts'
import { amountToday, expireIfOver, needsCard } from '../domain/pages.ts'
import type { PageRecord } from '../domain/selling-records.ts'
import { cycleText } from '../periods.ts'
import type { HttpRequest } from '../server.ts'
import { EmulatorError } from '../wire/emulator-error.ts'
import { buyerFields, enterFields } from './buyer-fields.ts'
import { type CheckoutView, checkoutPage } from './checkout-page.ts'
import type { Html, Notice } from './layout.ts'
import type { ActionResult, HostedPage } from './visits.ts'

/** The differences between processors' checkout pages. */
export interface CheckoutOptions {
  /** Formats an amount. */
  money(amount: number, currency: string): string
  /** Where a completed page redirects the browser. */
  successUrl(page: PageRecord): string
  /** Called when the buyer cancels. Returns where to redirect instead of `cancelUrl`; null: nowhere. */
  leave?(page: PageRecord): string | null
  hint?: Html
  /** Whether the payment may be pending. Default: true. */
  paysLater?(page: PageRecord): boolean
  /** False: a declined card leaves no record at the processor. */
  keepsDeclined?: boolean
  /** Called before the payment. Throws the processor's error if it does not sell to the buyer with this address. */
  admit?(page: PageRecord, email: string, context: AccountContext): void
}

/** Query parameter after a declined card. The redirect is a GET, so that a reload does not decline again. */
const DECLINED = 'declined'

const HINT = html`“Pay” succeeds at once. “Decline the card” makes the bank refuse the payment. “Cancel” goes back to
          the seller. The local world's home has buttons to complete or fail a pending debit.`

/** The hosted page of one price. */
export function hostedCheckout(
  context: AccountContext,
  page: PageRecord,
  request: HttpRequest,
  options: CheckoutOptions,
): HostedPage {
  expireIfOver(context, page)
  const declined = 'Your card was declined. You can try again with another card.'
  const pay =
    (complete: typeof payPage) =>
    (form: Record<string, string>): ActionResult => {
      const email = z.email().safeParse(page.email ?? form.email?.trim())
      if (!email.success) return { status: 422, problem: 'Enter your email address.' }
      const problem = enterFields(context, page, form)
      if (problem !== null) return { status: 422, problem }
      try {
        options.admit?.(page, email.data, context)
      } catch (error) {
        if (error instanceof EmulatorError) return { status: error.status, problem: error.message }
        throw error
      }
      complete(context, page, email.data)
      return { to: options.successUrl(page) }
    }
  const later = pay(payPageLater)
  return {
    ...(page.status !== 'open' && { closed: closedNotice(page, options) }),
    problem: queryParts(request).includes(DECLINED) ? declined : undefined,
    show: (problem) => checkoutPage(toView(page, options), problem),
    actions: {
      pay: pay(payPage),
      later: (form) =>
        canPayLater(page, options)
          ? later(form)
          : { status: 400, problem: 'Bank debit is not available for this purchase.' },
      decline() {
        if (options.keepsDeclined !== false) declinePage(context, page)
        const before = queryParts(request).filter((part) => part !== DECLINED)
        return { to: `${request.path}?${[...before, DECLINED].join('&')}` }
      },
      cancel() {
        const to = options.leave ? options.leave(page) : page.cancelUrl
        return to === null ? { status: 200, problem: 'The seller has set no page to go back to.' } : { to }
      },
    },
  }
}

const canPayLater = (page: PageRecord, { paysLater }: CheckoutOptions) =>
  amountToday(page) > 0 && (paysLater === undefined || paysLater(page))

const queryParts = ({ query }: HttpRequest) => query.split('&').filter((part) => part !== '')

function toView(page: PageRecord, options: CheckoutOptions): CheckoutView {
  const { money, hint = HINT } = options
  const { seller, price, quantity, trialDays, email } = page
  const full = money(price.amount * quantity, price.currency)
  const today = money(amountToday(page), price.currency)
  const cycle = `${cycleText(price)}, until cancelled`
  const later = canPayLater(page, options) && { later: 'Pay by bank debit (arrives later)' }
  const decline = needsCard(page) && { decline: 'Decline the card' }
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
    fields: buyerFields(page),
    pay: needsCard(page) ? `Pay ${today}` : 'Start trial',
    buttons: { ...later, ...decline, cancel: 'Cancel' },
    hint,
  }
}

/** Also shown after a second click on Pay: nothing is paid twice, and the page links to the next step. */
function closedNotice(page: PageRecord, { successUrl }: CheckoutOptions): Notice {
  const { seller, price, cancelUrl } = page
  if (page.status === 'expired') {
    const next = cancelUrl === null ? undefined : { href: cancelUrl, label: `Back to ${seller}` }
    return { title: 'This checkout has expired', text: 'Nothing was paid. Start again to buy.', next }
  }
  const [title, text] = page.unpaid
    ? ['Not paid yet', `${seller} is waiting for your payment for ${price.label}.`]
    : ['Already paid', `You have paid ${seller} for ${price.label}.`]
  return { title, text, next: { href: successUrl(page), label: `Continue to ${seller}` } }
}

/** Shown for unknown pages. */
export const UNKNOWN_CHECKOUT: Notice = {
  title: 'Nothing to pay here',
  text: 'This checkout does not exist. Check the address.',
}
