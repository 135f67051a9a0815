import type { AccountContext } from '../../core/domain/context.ts'
import { amountToday } from '../../core/domain/pages.ts'
import type { CustomerRecord, PageRecord, PortalSessionRecord } from '../../core/domain/selling-records.ts'
import { same } from '../../core/wire/same.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { pageOwn } from '../own.ts'
import { priceObject } from './price.ts'
import { complete, listOf } from './wire.ts'

export function checkoutSessionObject(page: PageRecord, { url }: AccountContext) {
  const recurs = page.mode === 'subscription'
  return complete('checkout.session', {
    ...snakeFields(page, 'id', 'cancelUrl', 'created', 'customer', 'expiresAt', 'invoice', 'mode', 'status'),
    ...snakeFields(page, 'subscription', 'successUrl'),
    ...pageOwn(page),
    ...same(amountToday(page), 'amount_subtotal amount_total'),
    currency: page.price.currency,
    customer_creation: recurs || page.makesCustomer ? 'always' : 'if_required',
    customer_details: customerDetails(page),
    payment_intent: recurs ? null : page.payment,
    payment_method_collection: recurs ? 'always' : 'if_required',
    payment_status: paymentStatus(page),
    url: page.status === 'open' ? `${url}/c/pay/${page.id}` : null,
  })
}

/** Stripe adds these to a session only if `expand` asks for them. */
export function checkoutLineItems(page: PageRecord) {
  const item = complete('item', {
    id: `li_${page.id.slice(-24)}`,
    ...same(amountToday(page), 'amount_subtotal amount_total'),
    currency: page.price.currency,
    description: page.price.label,
    price: priceObject(page.price),
    quantity: page.quantity,
  })
  return listOf(`/v1/checkout/sessions/${page.id}/line_items`, [item])
}

function paymentStatus(page: PageRecord) {
  if (page.status !== 'complete' || page.unpaid) return 'unpaid'
  return amountToday(page) === 0 ? 'no_payment_required' : 'paid'
}

function customerDetails({ email: known, payerEmail, status }: PageRecord) {
  const email = payerEmail ?? known
  return email === null ? null : { email, tax_ids: status === 'complete' ? [] : null }
}

export const portalSessionObject = (session: PortalSessionRecord, { url }: AccountContext) =>
  complete('billing_portal.session', {
    ...snakeFields(session, 'id', 'created', 'customer', 'returnUrl'),
    url: `${url}/p/session/${session.id}`,
  })

export const customerObject = (customer: CustomerRecord) =>
  complete('customer', {
    ...snakeFields(customer, 'id', 'created', 'email'),
    invoice_prefix: customer.id.slice(-8).toUpperCase(),
  })
