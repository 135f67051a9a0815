import * as z from 'zod'
import { page, redirect } from '../core/html-responses.ts'
import { noticePage } from '../core/layout.ts'
import type { Answer, HttpRequest } from '../core/server.ts'
import type { Ledger } from './account-context.ts'
import { checkoutPage } from './checkout-page.ts'
import { chooseTransfer, endPayment, payLater } from './payments.ts'
import type { PaymentRecord } from './records.ts'

const PageForm = z.object({ action: z.enum(['pay', 'later', 'transfer', 'decline', 'cancel']) })

/** How a payment that is not open any more is called on its page. */
const ENDED = {
  open: 'Open',
  pending: 'Your payment is on its way',
  paid: 'Already paid',
  failed: 'This payment has failed',
  canceled: 'This payment was cancelled',
  expired: 'This payment has expired',
}

/** The hosted page of one payment: GET shows it, POST is one of its buttons. */
export async function hostedCheckout(ledger: Ledger, payment: PaymentRecord, request: HttpRequest): Promise<Answer> {
  const shown = request.method === 'GET' || request.method === 'HEAD'
  if (payment.status !== 'open') return endedPayment(payment, shown ? 200 : 409)
  if (shown) return page(200, await checkoutPage(payment))
  if (request.method !== 'POST') return page(405, await noticePage('Not possible', 'This page takes GET and POST.'))

  const form = PageForm.safeParse(Object.fromEntries(new URLSearchParams(request.body)))
  if (!form.success) return page(400, await checkoutPage(payment, 'Choose one of the buttons.'))
  switch (form.data.action) {
    case 'pay':
      endPayment(ledger, payment, 'paid')
      break
    case 'later':
      payLater(ledger, payment)
      break
    case 'transfer':
      chooseTransfer(ledger, payment)
      break
    case 'decline':
      endPayment(ledger, payment, 'failed')
      break
    case 'cancel':
      endPayment(ledger, payment, 'canceled')
  }
  return redirect(wayBack(payment))
}

export async function unknownPayment(): Promise<Answer> {
  return page(404, await noticePage('Nothing to pay here', 'This payment does not exist. Check the address.'))
}

/** A second click on a button ends here as well, so the way on is offered and nothing is paid twice. */
async function endedPayment(payment: PaymentRecord, status: number): Promise<Answer> {
  const onward = { href: wayBack(payment), label: 'Continue' }
  return page(status, await noticePage(ENDED[payment.status], payment.description, onward))
}

/** Mollie sends everybody to the one address, and who cancels to the other where there is one. */
const wayBack = ({ status, cancelUrl, redirectUrl }: PaymentRecord) =>
  (status === 'canceled' ? cancelUrl : null) ?? redirectUrl ?? '/'
