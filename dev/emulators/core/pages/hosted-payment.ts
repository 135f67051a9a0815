import type { AccountContext } from '../domain/context.ts'
import type { PaymentRecord } from '../domain/money-records.ts'
import { chooseTransfer, expirePaymentIfOver, finishPayment, payPaymentLater } from '../domain/payment-pages.ts'
import { checkoutPage } from './checkout-page.ts'
import type { Html } from './layout.ts'
import type { HostedPage } from './visits.ts'

/** The differences between processors' payment pages. */
interface PaymentOptions {
  /** Formats an amount. */
  money(amount: number, currency: string): string
  terms: string
  hint: Html
  /** Where to redirect the browser, depending on the payment's status. */
  back(): string
}

/** The titles of a payment's page once the payment is no longer open. */
const ENDED = {
  open: 'Open',
  pending: 'Your payment is pending',
  paid: 'Already paid',
  failed: 'This payment has failed',
  canceled: 'This payment was cancelled',
  expired: 'This payment has expired',
}

const BUTTONS = {
  later: 'Pay (arrives later)',
  transfer: 'Pay by bank transfer',
  decline: 'Fail the payment',
  cancel: 'Cancel',
}

/** The hosted page of a payment, where a second attempt requires a new payment. */
export function hostedPayment(context: AccountContext, payment: PaymentRecord, options: PaymentOptions): HostedPage {
  expirePaymentIfOver(context, payment)
  const { status, description, amount, currency } = payment
  const price = options.money(amount, currency)
  const title = 'Your payment'
  const view = { title, heading: title, label: description, price, pay: `Pay ${price}`, buttons: BUTTONS, ...options }
  const action = (apply: () => unknown) => () => {
    apply()
    return { to: options.back() }
  }
  const next = { href: options.back(), label: 'Continue' }
  return {
    ...(status !== 'open' && { closed: { title: ENDED[status], text: description, next } }),
    show: (problem) => checkoutPage(view, problem),
    actions: {
      pay: action(() => finishPayment(context, payment, 'paid')),
      later: action(() => payPaymentLater(context, payment)),
      transfer: action(() => chooseTransfer(context, payment)),
      decline: action(() => finishPayment(context, payment, 'failed')),
      cancel: action(() => finishPayment(context, payment, 'canceled')),
    },
  }
}
