// Mollie has pages for payments only. A subscription begins with the page of its first payment, and is made once that is
// paid, by whoever first looks; a trial begins with a payment of 0, which some payment methods allow. Mollie has no portal,
// and its pages cannot be closed.
import type * as z from 'zod'
import { toDecimalText } from '../../money/money.ts'
import type { Adapter, AdapterOptions } from '../adapter.ts'
import { type CheckoutOrder, ProcessorError, type PurchaseReference } from '../processor.ts'
import { type MollieApi, MollieApiError, mollieApi } from './api.ts'
import { readMollieEvent } from './events.ts'
import { Customer, FirstSale, Payment, Renewal, type Sale } from './objects.ts'
import { endSubscription, listCharges, listSubscriptions, makeSubscription } from './subscriptions.ts'
import { decideSale, type MollieTodo, type ObservedSale } from './translate.ts'

export function mollieAdapter(
  { apiKey, webhookSecret }: { apiKey: string; webhookSecret: string },
  options: AdapterOptions,
): Adapter<ObservedSale, MollieTodo> {
  const api = mollieApi(apiKey, options)

  return {
    async openCheckout(order) {
      const payment = Payment.parse(await createPayment(api, order))
      const url = payment._links.checkout?.href
      if (!url) throw new Error(`Mollie opened payment ${payment.id} without an address`)
      return { pageId: payment.id, url }
    },

    async cancelAtPeriodEnd(id) {
      const reference = { kind: 'subscription', id } as const
      await stopRenewal(api, await mustHave(observe(api, reference), id), options.now())
      const { found } = decideSale(await mustHave(observe(api, reference), id), options.now())
      if (!found) throw new Error(`Mollie's first payment ${id} is no sale of ours`)
      const { status, cancelAt, canceledAt } = found.purchase
      return { status, cancelAt, canceledAt }
    },

    observe: (reference) => observe(api, reference),

    decide: decideSale,

    act(todo) {
      switch (todo.do) {
        case 'make the subscription':
          return makeSubscription(api, todo.payment, todo.sale, options.now())
        case 'end the subscription':
          return endSubscription(api, todo.subscription)
        default:
          throw new Error(`nothing is known of ${todo satisfies never}`)
      }
    },

    readEvent: (inbound) => readMollieEvent((id) => findPayment(api, id), webhookSecret, inbound),
  }
}

/** A payment with what came of it. The charges are read after the subscriptions: see `snapshotOfSubscription`. */
async function observe(api: MollieApi, { kind, id }: PurchaseReference): Promise<ObservedSale | null> {
  const payment = await findPayment(api, id)
  if (!payment) return null
  if (payment.sequenceType === 'recurring') {
    // A renewal's payment is part of the purchase that its first payment began.
    const renewal = Renewal.safeParse(payment.metadata)
    if (!renewal.success || renewal.data.first_payment === id) return null
    return observe(api, { kind: 'subscription', id: renewal.data.first_payment })
  }
  const sale = payment.sequenceType === 'first' ? (FirstSale.safeParse(payment.metadata).data ?? null) : null
  const observed = { isPage: kind === 'page', payment, sale, subscriptions: [], charges: [] }
  if (sale === null || payment.status !== 'paid') return observed
  const subscriptions = await listSubscriptions(api, payment)
  return { ...observed, subscriptions, charges: subscriptions[0] ? await listCharges(api, subscriptions[0]) : [] }
}

/** Null if the account has no such payment, or none any more. */
async function findPayment(api: MollieApi, id: string): Promise<Payment | null> {
  try {
    return Payment.parse(await api.get(`/payments/${encodeURIComponent(id)}`))
  } catch (error) {
    if (error instanceof MollieApiError && error.isMissing) return null
    throw error
  }
}

async function stopRenewal(api: MollieApi, { payment, sale, subscriptions }: ObservedSale, now: Date): Promise<void> {
  if (!sale) throw new Error(`Mollie's payment ${payment.id} is not the first of a subscription of ours`)
  if (subscriptions[0]) return endSubscription(api, subscriptions[0])
  // There is no subscription yet: the date of the cancellation in the payment's metadata keeps it from being made.
  const metadata = { ...sale, canceled_at: sale.canceled_at ?? now }
  await api.patch(`/payments/${encodeURIComponent(payment.id)}`, { metadata })
}

async function mustHave<Observed>(observing: Promise<Observed | null>, id: string): Promise<Observed> {
  const observed = await observing
  if (observed !== null) return observed
  const message = `Mollie does not have the first payment ${id} any more`
  throw new ProcessorError('mollie', 'rejected', message, { answered: true })
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
