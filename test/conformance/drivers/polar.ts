import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { PolarEmulator } from '../../../dev/emulators/polar/emulator.ts'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'
import type { Driver } from './driver.ts'

const Subscription = z.object({ id: z.string(), status: z.string(), cancel_at_period_end: z.boolean() })
const Order = z.object({ id: z.string(), subscription_id: z.string().nullable() })

const STATUSES: Record<string, PurchaseStatus> = {
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  canceled: 'canceled',
}

/** The products. One product has the monthly price in both currencies. */
const MONTHLY = '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0001'

export const POLAR: Driver<'polar'> = {
  prices: {
    monthly: MONTHLY,
    yearly: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0002',
    lifetime: '2f6f0b7a-6a51-4c5e-9a4e-0b1f1c2e0003',
    local: MONTHLY,
  },
  sign({ id, body, at }, { webhookSecret }) {
    const timestamp = Math.floor(at.getTime() / 1000)
    const signature = createHmac('sha256', webhookSecret).update(`${id}.${timestamp}.${body}`).digest('base64')
    return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
  },
  // Standard Webhooks have another one, of public keys.
  ofAnotherScheme: ({ 'webhook-signature': signature = '', ...others }) => ({
    ...others,
    'webhook-signature': signature.replace('v1,', 'v1a,'),
  }),
  there: (polar) => ({
    renew: (id) => polar.renew(id),
    failCharge: (id) => polar.renew(id, { fail: true }),
    recover: (id) => polar.renew(id),
    refund: (id, cents) => polar.refund(latestOrder(polar, id), cents),
    dispute: (id) => polar.dispute(latestOrder(polar, id)),
    cancel: (id) => polar.portalCancel(id),
    undo: (id) => polar.portalUndo(id),
    end: (id) => polar.end(id),
    async endPeriod(id) {
      await polar.rollOver(id)
      return 0
    },
    async nearTrialEnd(id) {
      await polar.elapse(id, 5)
      return 5
    },
    async truth(id) {
      const { status, cancel_at_period_end: cancels } = subscriptionOf(polar, id)
      const known = STATUSES[status]
      if (!known) throw new Error(`${id} is ${status} at Polar`)
      return { status: known, renews: known !== 'canceled' && !cancels }
    },
  }),
}

function subscriptionOf({ subscriptions }: PolarEmulator, id: string) {
  const found = subscriptions.map((each) => Subscription.parse(each)).find((each) => each.id === id)
  if (!found) throw new Error(`Polar has no subscription ${id}`)
  return found
}

/** The latest order of a subscription that is paid; a one-time purchase is known by its order. */
function latestOrder({ events }: PolarEmulator, id: string): string {
  const paid = events.filter(({ type }) => type === 'order.paid').map(({ data }) => Order.parse(data))
  return paid.findLast(({ subscription_id: subscription }) => subscription === id)?.id ?? id
}
