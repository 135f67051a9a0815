import type { Credentials } from '../credentials.ts'
import type { Processor } from '../processor.ts'
import { mollieApi } from './api.ts'
import { openPayment } from './payments.ts'
import { endSale, fetchSale, isUndecided } from './sales.ts'

/**
 * Mollie, through its API v2. It has no portal, and its pages cannot be closed. A subscription can only be made after
 * the first payment: whoever first fetches a page that was paid makes it. An empty `apiBase` means api.mollie.com.
 */
export function mollie(credentials: Credentials<'mollie'>, options: { paywallId: string; apiBase: string }): Processor {
  const api = mollieApi(credentials.apiKey, options.apiBase)

  return {
    acquiring: 'mollie',
    tellsOfCancellations: false,

    openCheckout: (order) => openPayment(api, order),

    // Mollie sends the browser back whether the payment succeeded or not, and some banks take days to decide.
    isUndecided: (pageId) => isUndecided(api, pageId),

    async cancelAtPeriodEnd(subscriptionId) {
      const found = await endSale(api, subscriptionId, new Date())
      if (!found) throw new Error(`Mollie does not have the first payment ${subscriptionId} any more`)
      const { status, cancelAt, canceledAt } = found.purchase
      return { status, cancelAt, canceledAt }
    },

    async fetchPurchase(reference) {
      const found = await fetchSale(api, reference, options.paywallId, new Date())
      return found?.paywallId === options.paywallId ? found.purchase : null
    },
  }
}
