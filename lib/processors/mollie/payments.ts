import type * as z from 'zod'
import { toDecimalText } from '../../money/money.ts'
import type { CheckoutOrder, HostedCheckout } from '../processor.ts'
import { type MollieApi, MollieApiError } from './api.ts'
import { Customer, type FirstSale, Payment, type Sale } from './objects.ts'

/**
 * Opens a hosted page. Mollie has pages for payments only, so a subscription begins with the page of its first payment,
 * and is made once that is paid. A trial begins with a payment of 0, which some payment methods allow.
 */
export async function openPayment(api: MollieApi, order: CheckoutOrder): Promise<HostedCheckout> {
  const payment = Payment.parse(await createPayment(api, order))
  const url = payment._links.checkout?.href
  if (!url) throw new Error(`Mollie opened payment ${payment.id} without an address`)
  return { pageId: payment.id, url }
}

/** Null if the account has no such payment, or none any more. */
export async function findPayment(api: MollieApi, id: string): Promise<Payment | null> {
  try {
    return Payment.parse(await api.get(`/payments/${encodeURIComponent(id)}`))
  } catch (error) {
    if (error instanceof MollieApiError && error.isMissing) return null
    throw error
  }
}

/**
 * If the account does not have the stored customer, the sale is made with a new one: the owner may have changed
 * accounts. The second call needs another idempotency key, because Mollie has stored its refusal under the first.
 */
async function createPayment(api: MollieApi, order: CheckoutOrder): Promise<unknown> {
  try {
    return await api.post('/payments', paymentFor(order, await customerOf(api, order)), order.key)
  } catch (error) {
    const isMissing = error instanceof MollieApiError && (error.isMissing || error.field === 'customerId')
    if (order.customer === null || !isMissing) throw error
    const another = { ...order, customer: null, key: `${order.key}:new-customer` }
    return api.post('/payments', paymentFor(another, await customerOf(api, another)), another.key)
  }
}

/** The customer to charge. A subscription needs one, which is created if need be; a one-time purchase does not. */
async function customerOf(api: MollieApi, { customer, recurring, email, userId, key }: CheckoutOrder) {
  if (customer !== null || recurring === null) return customer
  const body = { ...(email && { email }), metadata: { user_id: userId } }
  return Customer.parse(await api.post('/customers', body, `${key}:customer`)).id
}

function paymentFor(order: CheckoutOrder, customer: string | null) {
  const { currency, recurring, trialDays } = order
  const price = { currency, value: toDecimalText(order.amount, currency) }
  const sale: z.input<typeof Sale> = {
    checkout_id: order.checkoutId,
    paywall_id: order.paywallId,
    user_id: order.userId,
  }
  const payment = {
    description: order.processorPrice,
    redirectUrl: order.successUrl,
    cancelUrl: order.errorUrl,
    ...(customer !== null && { customerId: customer }),
  }
  if (recurring === null) return { ...payment, amount: price, sequenceType: 'oneoff', metadata: sale }

  const amount = trialDays > 0 ? { currency, value: toDecimalText(0, currency) } : price
  const metadata: z.input<typeof FirstSale> = {
    ...sale,
    interval: recurring.interval,
    interval_count: recurring.intervalCount,
    trial_days: trialDays,
    renewal: price,
  }
  return { ...payment, amount, sequenceType: 'first', metadata }
}
