import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { MollieEmulator } from '../../../dev/emulators/mollie/emulator.ts'
import type { PurchaseStatus } from '../../../lib/processors/processor.ts'
import { type Driver, Refused } from './driver.ts'

const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  amount: z.object({ value: z.string() }),
  subscriptionId: z.string().nullish(),
})

const Subscription = z.looseObject({
  id: z.string(),
  status: z.string(),
  customerId: z.string(),
  startDate: z.string(),
  metadata: z.object({ first_payment: z.string() }),
})

export const MOLLIE: Driver<'mollie'> = {
  prices: { monthly: 'Monthly', yearly: 'Yearly', lifetime: 'For ever', local: 'Monthly, in euros' },
  sign: ({ body }, { webhookSecret }) => ({
    'x-mollie-signature': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
  }),
  ofAnotherScheme: ({ 'x-mollie-signature': signature = '' }) => ({
    'x-mollie-signature': signature.replace('sha256=', 'sha1='),
  }),
  there: (mollie, { apiKey }) => ({
    renew: (id) => mollie.renew(subscriptionOf(mollie, id).id),
    failCharge: (id) => mollie.renew(subscriptionOf(mollie, id).id, { fail: true }),
    recover: (id) => mollie.renew(subscriptionOf(mollie, id).id),
    refund: (id, cents) =>
      mollie.refund(latestPayment(mollie, id), cents === undefined ? cents : (cents / 100).toFixed(2)),
    dispute: (id) => mollie.chargeback(latestPayment(mollie, id)),
    async cancel(id) {
      const { id: subscriptionId, customerId } = subscriptionOf(mollie, id)
      const address = `${mollie.url}/v2/customers/${customerId}/subscriptions/${subscriptionId}`
      const answer = await fetch(address, { method: 'DELETE', headers: { authorization: `Bearer ${apiKey}` } })
      if (!answer.ok) throw new Refused(`Mollie did not cancel: ${await answer.text()}`)
    },
    endPeriod: (id) => letPass(mollie, id, 34),
    nearTrialEnd: (id) => letPass(mollie, id, 5),
    truth: async (id, now) => truthOf(mollie, id, now),
  }),
}

const findSubscription = ({ subscriptions }: MollieEmulator, firstPayment: string) =>
  subscriptions.map((each) => Subscription.parse(each)).find(({ metadata }) => metadata.first_payment === firstPayment)

function subscriptionOf(mollie: MollieEmulator, firstPayment: string) {
  const found = findSubscription(mollie, firstPayment)
  if (!found) throw new Error(`Mollie has no subscription of ${firstPayment}`)
  return found
}

/** The oldest first; the first payment is not one of them. */
const chargesOf = (mollie: MollieEmulator, subscriptionId: string) =>
  mollie.payments.map((each) => Payment.parse(each)).filter((each) => each.subscriptionId === subscriptionId)

/** A one-time purchase has no charges. */
function latestPayment(mollie: MollieEmulator, firstPayment: string): string {
  const charges = chargesOf(mollie, findSubscription(mollie, firstPayment)?.id ?? '')
  return charges.findLast(({ status }) => status === 'paid')?.id ?? firstPayment
}

async function letPass(mollie: MollieEmulator, id: string, days: number): Promise<number> {
  await mollie.elapse(subscriptionOf(mollie, id).id, days)
  return days
}

/** At Mollie a cancelled subscription is over at once. For its buyer it goes on to the day on which it would be charged. */
function truthOf(mollie: MollieEmulator, id: string, now: Date): { status: PurchaseStatus; renews: boolean } {
  const { id: subscriptionId, status, startDate } = subscriptionOf(mollie, id)
  const charges = chargesOf(mollie, subscriptionId)
  const renews = status === 'active'
  const nextCharge = new Date(startDate)
  nextCharge.setUTCMonth(nextCharge.getUTCMonth() + charges.length)
  const isOver = !renews && nextCharge < now
  if (isOver) return { status: 'canceled', renews }
  if (renews && charges.at(-1)?.status === 'failed') return { status: 'past_due', renews }
  const first = Payment.parse(mollie.payments.find((each) => each.id === id))
  const isTrial = Number(first.amount.value) === 0 && charges.length === 0
  return { status: isTrial ? 'trialing' : 'active', renews }
}
