import type { Credentials } from '../credentials.ts'
import type { Processor, PurchaseReference, SubscriptionReference } from '../processor.ts'
import { type MollieApi, mollieApi } from './api.ts'
import { readMollieEvent } from './events.ts'
import { Sale, type Subscription } from './objects.ts'
import { closePayment, fetchPayment, openPayment } from './payments.ts'
import { cancellationOf, type Found, snapshotOfPayment, snapshotOfSubscription } from './snapshots.ts'
import { endSubscription, readCharges, readSubscription, subscriptionBegunBy } from './subscriptions.ts'

/**
 * Mollie, by its API v2. It has no portal, and no subscription until the first payment is made: whoever first looks at
 * a paid page makes it. An empty `apiBase` means api.mollie.com.
 */
export function mollie(credentials: Credentials<'mollie'>, options: { paywallId: string; apiBase: string }): Processor {
  const api = mollieApi(credentials.apiKey, options.apiBase)

  return {
    acquiring: 'mollie',
    tellsOfCancellations: false,

    openCheckout: (order) => openPayment(api, order),

    closeCheckout: (sessionId) => closePayment(api, sessionId),

    async cancelAtPeriodEnd(reference) {
      await endSubscription(api, customerOf(reference), reference.id)
      const found = await fetchSubscription(api, reference)
      if (!found) throw new Error(`Mollie's subscription ${reference.id} is not one of ours`)
      return cancellationOf(found.purchase)
    },

    async fetchPurchase(reference) {
      const found = await fetchSale(api, reference, options.paywallId)
      return found?.paywallId === options.paywallId ? found.purchase : null
    },

    readEvent: (headers, rawBody) => readMollieEvent(api, credentials.webhookSecret, headers, rawBody),
  }
}

async function fetchSale(api: MollieApi, reference: PurchaseReference, paywallId: string): Promise<Found> {
  switch (reference.kind) {
    case 'session':
      return fetchBought(api, reference.id, paywallId)
    case 'subscription':
      return fetchSubscription(api, reference)
    case 'payment':
      return snapshotOfPayment(await fetchPayment(api, reference.id))
  }
}

/** What a page led to: null until it is paid, or a bank has it in hand. */
async function fetchBought(api: MollieApi, paymentId: string, paywallId: string): Promise<Found> {
  const payment = await fetchPayment(api, paymentId)
  const { status } = payment
  if (payment.sequenceType !== 'first') {
    return status === 'paid' || status === 'pending' || status === 'authorized' ? snapshotOfPayment(payment) : null
  }
  // Paywalls may share an account: only the one that sold it makes the subscription.
  const isOurs = Sale.safeParse(payment.metadata).data?.paywall_id === paywallId
  if (status !== 'paid' || !isOurs) return null
  return withCharges(api, await subscriptionBegunBy(api, payment))
}

async function fetchSubscription(api: MollieApi, reference: SubscriptionReference): Promise<Found> {
  return withCharges(api, await readSubscription(api, customerOf(reference), reference.id))
}

/** One after the other, since the charges must not be older than the subscription: see `snapshotOfSubscription`. */
async function withCharges(api: MollieApi, subscription: Subscription): Promise<Found> {
  return snapshotOfSubscription(subscription, await readCharges(api, subscription), new Date())
}

/** A subscription of Mollie's is found by its customer only. */
function customerOf({ id, customer }: SubscriptionReference): string {
  if (customer === null) throw new Error(`nobody knows the customer of Mollie's subscription ${id}`)
  return customer
}
