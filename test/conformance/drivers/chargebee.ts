import * as z from 'zod'
import type { ChargebeeEmulator } from '../../../dev/emulators/chargebee/emulator.ts'
import type { Driver, Truth } from './driver.ts'

const Subscription = z.looseObject({
  id: z.string(),
  status: z.enum(['in_trial', 'active', 'non_renewing', 'cancelled']),
  cancelled_at: z.int().optional(),
  due_invoices_count: z.int(),
})

const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  invoice_id: z.string(),
  transactions: z.array(z.looseObject({ subscription_id: z.string().optional() })),
})

export const CHARGEBEE: Driver<'chargebee'> = {
  prices: {
    monthly: 'pro-USD-monthly',
    yearly: 'pro-USD-yearly',
    lifetime: 'lifetime-USD',
    local: 'pro-EUR-monthly',
  },
  sign: (_, { webhookUser, webhookPassword }) => ({
    authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookPassword}`).toString('base64')}`,
  }),
  ofAnotherScheme: ({ authorization = '' }) => ({ authorization: authorization.replace('Basic', 'Bearer') }),
  there: (chargebee) => ({
    renew: (id) => chargebee.renew(id),
    failCharge: (id) => chargebee.renew(id, { fail: true }),
    recover: (id) => chargebee.renew(id),
    refund: (id, cents) => chargebee.refund(latestPayment(chargebee, id), cents),
    // On a site that is set up as Chargebee recommends: by a credit note. The other way is a `payment_reversal`.
    dispute: (id) => chargebee.chargeback(latestPayment(chargebee, id)),
    cancel: (id) => chargebee.portalCancel(id),
    undo: (id) => chargebee.portalUndo(id),
    end: (id) => chargebee.end(id),
    // The term of a subscription that is cancelled is over where the next one would begin.
    async endPeriod(id) {
      await chargebee.renew(id)
      return 0
    },
    async nearTrialEnd(id) {
      await chargebee.trialWillEnd(id)
      return 0
    },
    truth: async (id) => truthOf(chargebee, id),
  }),
}

/** A subscription's payments are known by its id, a one-time purchase's by its invoice. */
function latestPayment({ payments }: ChargebeeEmulator, id: string): string {
  const found = payments
    .map((each) => Payment.parse(each))
    .findLast(
      ({ status, invoice_id: invoice, transactions: [transaction] }) =>
        status === 'paid' && (invoice === id || transaction?.subscription_id === id),
    )
  if (!found) throw new Error(`Chargebee has no payment of ${id}`)
  return found.id
}

/** Chargebee has no status for a subscription that owes money. */
function truthOf({ subscriptions }: ChargebeeEmulator, id: string): Truth {
  const found = subscriptions.find((each) => each.id === id)
  const { status, cancelled_at: cancelledAt, due_invoices_count: due } = Subscription.parse(found)
  const renews = status !== 'cancelled' && cancelledAt === undefined
  if (status === 'in_trial') return { status: 'trialing', renews }
  if (status === 'cancelled') return { status: 'canceled', renews }
  return { status: due > 0 ? 'past_due' : 'active', renews }
}
