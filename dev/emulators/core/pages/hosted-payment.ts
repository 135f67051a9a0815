import type { AccountContext } from '../domain/context.ts'
import type { PaymentRecord } from '../domain/money-records.ts'
import { chooseTransfer, expirePaymentIfOver, finishPayment, payPaymentLater } from '../domain/payment-pages.ts'
import { checkoutPage } from './checkout-page.ts'
import type { Html } from './layout.ts'
import type { HostedPage } from './visits.ts'

/** What differs between the processors' pages of a payment. */
interface PaymentWords {
  /** An amount as a person reads it. */
  money(amount: number, currency: string): string
  terms: string
  hint: Html
  /** Where the browser goes, by what has become of the payment. */
  back(): string
}

/** The title of a payment's page, once the payment is not open any more. */
const ENDED = {
  open: 'Open',
  pending: 'Your payment is on its way',
  paid: 'Already paid',
  failed: 'This payment has failed',
  canceled: 'This payment was cancelled',
  expired: 'This payment has expired',
}

const BUTTONS = {
  later: 'Pay; the money arrives later',
  transfer: 'Pay by bank transfer',
  decline: 'Let the payment fail',
  cancel: 'Cancel',
}

/** The hosted page of one payment, where a second attempt would be a new payment. */
export function hostedPayment(context: AccountContext, payment: PaymentRecord, words: PaymentWords): HostedPage {
  expirePaymentIfOver(context, payment)
  const { status, description, amount, currency } = payment
  const price = words.money(amount, currency)
  const title = 'Your payment'
  const view = { title, heading: title, label: description, price, pay: `Pay ${price}`, buttons: BUTTONS, ...words }
  const press = (apply: () => unknown) => () => {
    apply()
    return { to: words.back() }
  }
  const next = { href: words.back(), label: 'Continue' }
  return {
    ...(status !== 'open' && { closed: { title: ENDED[status], text: description, next } }),
    show: (problem) => checkoutPage(view, problem),
    press: {
      pay: press(() => finishPayment(context, payment, 'paid')),
      later: press(() => payPaymentLater(context, payment)),
      transfer: press(() => chooseTransfer(context, payment)),
      decline: press(() => finishPayment(context, payment, 'failed')),
      cancel: press(() => finishPayment(context, payment, 'canceled')),
    },
  }
}
