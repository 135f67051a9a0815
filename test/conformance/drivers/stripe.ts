import Stripe from 'stripe'
import * as z from 'zod'
import type { StripeEmulator } from '../../../dev/emulators/stripe/emulator.ts'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'
import type { Driver } from './driver.ts'

const Subscription = z.object({
  id: z.string(),
  customer: z.string(),
  status: z.string(),
  cancel_at: z.int().nullable(),
})

const STATUSES: Record<string, PurchaseStatus> = {
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  canceled: 'canceled',
}

export const STRIPE: Driver<'stripe'> = {
  prices: {
    monthly: 'price_monthly',
    yearly: 'price_yearly',
    lifetime: 'price_lifetime',
    local: 'price_monthly_eur',
  },
  sign({ body, at }, { webhookSecret: secret }) {
    const timestamp = Math.floor(at.getTime() / 1000)
    const { webhooks } = new Stripe('sk_test_unused')
    return { 'stripe-signature': webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) }
  },
  // What Stripe signs test events with, besides.
  ofAnotherScheme: ({ 'stripe-signature': signature = '' }) => ({
    'stripe-signature': signature.replace('v1=', 'v0='),
  }),
  there: (stripe) => ({
    renew: (id) => stripe.renew(id),
    failCharge: (id) => stripe.renew(id, { fail: true }),
    recover: (id) => stripe.renew(id),
    refund: (id, cents) => stripe.refund(latestPayment(stripe, id), cents),
    dispute: (id) => stripe.dispute(latestPayment(stripe, id)),
    cancel: (id) => stripe.portalCancel(id),
    undo: (id) => stripe.portalUndo(id),
    end: (id) => stripe.end(id),
    async endPeriod(id) {
      await stripe.rollOver(id)
      return 0
    },
    async nearTrialEnd(id) {
      await stripe.trialWillEnd(id)
      return 0
    },
    async truth(id) {
      const { status, cancel_at: cancelAt } = subscriptionOf(stripe, id)!
      const known = STATUSES[status]
      if (!known) throw new Error(`${id} is ${status} at Stripe`)
      return { status: known, renews: known !== 'canceled' && cancelAt === null }
    },
  }),
}

const subscriptionOf = ({ subscriptions }: StripeEmulator, id: string) =>
  subscriptions.map((each) => Subscription.parse(each)).find((each) => each.id === id)

/** A subscription's payments are its customer's; a one-time purchase is known by its payment. */
function latestPayment(stripe: StripeEmulator, id: string): string {
  const subscription = subscriptionOf(stripe, id)
  if (!subscription) return id
  const { customer } = subscription
  const paid = stripe.events.filter(({ type }) => type === 'payment_intent.succeeded')
  return String(paid.findLast(({ data }) => data.object.customer === customer)?.data.object.id)
}
