import { type Client, unwrap } from './client.ts'
import type { components } from './generated/api.ts'
import type { PriceName } from './register.ts'
import type { Checkout } from './schemas.ts'

type Sent = components['schemas']['StartCheckout']

/** The options of start-checkout, with the price by its slug or its id. */
export type CheckoutParams = Omit<Sent, 'priceId' | 'trial_days'> & {
  price: PriceName
  /** Days of trial before the first payment, 0 to 730, instead of the price's own. */
  trialDays?: number
}

/** Opens a hosted page for the price with this id. */
export function startCheckout(
  client: ReturnType<Client>,
  paywall: string,
  { price: priceId, trialDays, ...input }: CheckoutParams,
  key: string,
): Promise<Checkout> {
  return unwrap(
    client.POST('/api/v1/paywall/{id}/start-checkout', {
      params: { path: { id: paywall }, header: { 'Idempotency-Key': key } },
      body: { ...input, priceId, ...(trialDays !== undefined && { trial_days: trialDays }) },
    }),
  )
}
