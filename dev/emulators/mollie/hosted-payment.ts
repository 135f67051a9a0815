import { html } from 'hono/html'
import type { AccountContext } from '../core/domain/context.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import { checkoutPage } from '../core/pages/checkout-page.ts'
import type { HostedPage } from '../core/pages/visits.ts'
import { money } from './amounts.ts'
import { paymentOwn } from './own.ts'
import { chooseTransfer, expireIfOver, finish, payLater } from './payments.ts'

/** The title of a payment's page, once the payment is not open any more. */
const ENDED = {
  open: 'Open',
  pending: 'Your payment is on its way',
  paid: 'Already paid',
  failed: 'This payment has failed',
  canceled: 'This payment was cancelled',
  expired: 'This payment has expired',
}

const HINT = html`This is an emulator: it asks for no card and moves no money. As at Mollie, a second attempt is a
          new payment. Money that is on its way, or is to be transferred, arrives with
          <code>POST /_emulator/resolve-payment</code>.`

/** The hosted page of one payment. */
export function hostedPayment(context: AccountContext, payment: PaymentRecord): HostedPage {
  expireIfOver(context, payment)
  const { sequenceType, redirectUrl, cancelUrl } = paymentOwn(payment)
  const price = money(payment.amount, payment.currency)
  /** Mollie sends the payer to `redirectUrl` whatever happened; only after a cancel to `cancelUrl`, if there is one. */
  const back = () => (payment.status === 'canceled' ? cancelUrl : null) ?? redirectUrl ?? '/'
  const press = (apply: () => unknown) => () => {
    apply()
    return { to: back() }
  }
  const view = {
    title: 'Your payment',
    heading: 'Your payment',
    label: payment.description,
    price,
    terms: sequenceType === 'first' ? 'You allow the seller to charge you again later' : 'One-time payment',
    pay: `Pay ${price}`,
    buttons: {
      later: 'Pay; the money arrives later',
      transfer: 'Pay by bank transfer',
      decline: 'Let the payment fail',
      cancel: 'Cancel',
    },
    hint: HINT,
  }
  return {
    ...(payment.status !== 'open' && {
      closed: { title: ENDED[payment.status], text: payment.description, next: { href: back(), label: 'Continue' } },
    }),
    show: (problem) => checkoutPage(view, problem),
    press: {
      pay: press(() => finish(context, payment, 'paid')),
      later: press(() => payLater(context, payment)),
      transfer: press(() => chooseTransfer(context, payment)),
      decline: press(() => finish(context, payment, 'failed')),
      cancel: press(() => finish(context, payment, 'canceled')),
    },
  }
}
