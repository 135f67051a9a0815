import * as z from 'zod'
import { page, redirect } from '../core/html-responses.ts'
import { noticePage } from '../core/layout.ts'
import type { HttpRequest, HttpResponse } from '../core/server.ts'
import type { AccountContext } from './account-context.ts'
import { checkoutPage } from './checkout-page.ts'
import { chooseTransfer, endPayment, payLater } from './payments.ts'
import type { PaymentRecord } from './records.ts'

const PageForm = z.object({ action: z.enum(['pay', 'later', 'transfer', 'decline', 'cancel']) })

/** The title of a payment's page, once the payment is not open any more. */
const ENDED = {
  open: 'Open',
  pending: 'Your payment is on its way',
  paid: 'Already paid',
  failed: 'This payment has failed',
  canceled: 'This payment was cancelled',
  expired: 'This payment has expired',
}

/** The hosted page of one payment: GET shows it, POST is one of its buttons. */
export async function hostedCheckout(
  context: AccountContext,
  payment: PaymentRecord,
  request: HttpRequest,
): Promise<HttpResponse> {
  const shown = request.method === 'GET' || request.method === 'HEAD'
  if (payment.status !== 'open') return endedPayment(payment, shown ? 200 : 409)
  if (shown) return page(200, await checkoutPage(payment))
  if (request.method !== 'POST') return page(405, await noticePage('Not possible', 'This page takes GET and POST.'))

  const form = PageForm.safeParse(Object.fromEntries(new URLSearchParams(request.body)))
  if (!form.success) return page(400, await checkoutPage(payment, 'Choose one of the buttons.'))
  switch (form.data.action) {
    case 'pay':
      endPayment(context, payment, 'paid')
      break
    case 'later':
      payLater(context, payment)
      break
    case 'transfer':
      chooseTransfer(context, payment)
      break
    case 'decline':
      endPayment(context, payment, 'failed')
      break
    case 'cancel':
      endPayment(context, payment, 'canceled')
  }
  return redirect(returnAddress(payment))
}

export async function unknownPayment(): Promise<HttpResponse> {
  return page(404, await noticePage('Nothing to pay here', 'This payment does not exist. Check the address.'))
}

/** A second click on a button ends here, too: nothing is paid twice, and the page has a link to go on. */
async function endedPayment(payment: PaymentRecord, status: number): Promise<HttpResponse> {
  const onward = { href: returnAddress(payment), label: 'Continue' }
  return page(status, await noticePage(ENDED[payment.status], payment.description, onward))
}

/** Mollie sends the payer to `redirectUrl` whatever happened; only after a cancel to `cancelUrl`, if there is one. */
const returnAddress = ({ status, cancelUrl, redirectUrl }: PaymentRecord) =>
  (status === 'canceled' ? cancelUrl : null) ?? redirectUrl ?? '/'
