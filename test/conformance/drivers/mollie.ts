import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { PaymentRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { SubscriptionRecord } from '../../../dev/emulators/core/domain/selling-records.ts'
import { addDays, dateOf } from '../../../dev/emulators/mollie/dates.ts'
import { paymentOwn, subscriptionOwn } from '../../../dev/emulators/mollie/own.ts'
import type { Driver } from './driver.ts'
import { type AccountRecords, latestPaid } from './records.ts'
import { Refused } from './refused.ts'
import { isGivenBack, oneTimeSale, type Sale } from './sale.ts'

const PageMetadata = z.looseObject({ checkout_id: z.string(), trial_days: z.int().default(0) })
const Metadata = z.looseObject({ first_payment: z.string() })

export const MOLLIE: Driver<'mollie'> = {
  prices: { monthly: 'Monthly', yearly: 'Yearly', lifetime: 'For ever', local: 'Monthly, in euros' },
  sign: ({ body }, { webhookSecret }) => ({
    'x-mollie-signature': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
  }),
  ofAnotherScheme: ({ 'x-mollie-signature': signature = '' }) => ({
    'x-mollie-signature': signature.replace('sha256=', 'sha1='),
  }),
  opensPage: /^\/v2\/(payments|customers)$/,
  there: (mollie, { records, credentials: { apiKey }, now }) => ({
    renew: (id) => mollie.renew(subscriptionOf(records, id).id),
    failCharge: (id) => mollie.renew(subscriptionOf(records, id).id, { fail: true }),
    recover: (id) => mollie.renew(subscriptionOf(records, id).id),
    refund: (id, cents) =>
      mollie.refund(latestPayment(records, id), cents === undefined ? cents : (cents / 100).toFixed(2)),
    dispute: (id) => mollie.chargeback(latestPayment(records, id)),
    async cancel(id) {
      const { id: subscriptionId, customer } = subscriptionOf(records, id)
      const address = `${mollie.url}/v2/customers/${customer}/subscriptions/${subscriptionId}`
      const answer = await fetch(address, { method: 'DELETE', headers: { authorization: `Bearer ${apiKey}` } })
      if (!answer.ok) throw new Refused(`Mollie did not cancel: ${await answer.text()}`)
    },
    rollOver: (id) => mollie.renew(subscriptionOf(records, id).id, { pending: true }),
    suspend: (id) => mollie.suspend(subscriptionOf(records, id).id),
    async resolve(fails) {
      const waiting = records('payments').find(isOnItsWay)
      if (!waiting) throw new Refused('no money is on its way')
      await mollie.resolvePayment(waiting.id, { fail: fails })
    },
    sales: () =>
      firstPayments(records)
        .filter(isSold)
        .map((page) => saleOf(records, page, now())),
    pages: () =>
      firstPayments(records).map((page) => ({
        checkoutId: PageMetadata.parse(paymentOwn(page).metadata).checkout_id,
        isPaid: isSold(page),
      })),
  }),
}

/** Those that have a page: all but the charges of subscriptions. */
const firstPayments = (records: AccountRecords) =>
  records('payments').filter((payment) => paymentOwn(payment).sequenceType !== 'recurring')

const findSubscription = (records: AccountRecords, firstPayment: string) =>
  records('subscriptions').find((each) => Metadata.parse(subscriptionOwn(each).metadata).first_payment === firstPayment)

function subscriptionOf(records: AccountRecords, firstPayment: string): SubscriptionRecord {
  const found = findSubscription(records, firstPayment)
  if (!found) throw new Refused(`Mollie has no subscription of ${firstPayment}`)
  return found
}

/** A one-time purchase has no charges, and the first payment is not one of them. */
function latestPayment(records: AccountRecords, firstPayment: string): string {
  const charged = findSubscription(records, firstPayment)?.id ?? ''
  const isPaid = records('payments').some(({ subscription, status }) => subscription === charged && status === 'paid')
  return latestPaid(records, isPaid ? charged : firstPayment)
}

const isOnItsWay = ({ status, method }: PaymentRecord) =>
  status === 'pending' || (status === 'open' && method === 'banktransfer')

/** A payment whose bank has decided against it, or whose page was left, sold nothing. */
const isSold = (payment: PaymentRecord) => payment.status === 'paid' || isOnItsWay(payment)

/** A purchase is known by its first payment. At Mollie a cancelled subscription is over at once, for its buyer later. */
function saleOf(records: AccountRecords, page: PaymentRecord, now: number): Sale {
  const once = oneTimeSale(records, page, { refundsWhatIsDisputed: true })
  if (paymentOwn(page).sequenceType === 'oneoff') return once
  if (!once.begun) return { ...once, isSubscription: true, covered: 0 }
  const subscription = findSubscription(records, page.id)
  const charges = records('payments').filter((each) => each.subscription === (subscription?.id ?? ''))
  const paid = charges.filter(({ status }) => status === 'paid')
  const isSuspended = subscription?.status === 'suspended'
  const renews = subscription?.status === 'active' || isSuspended
  return {
    ...once,
    ...{ isSubscription: true, renews, covered: 1 + paid.length, paid: [...once.paid, ...paid.map(({ id }) => id)] },
    status: statusOf(records, { page, subscription, charges, renews, now }),
    // A period lasts to the end of the day of the next charge. A suspended subscription has no such day.
    periodEnd: renews && !isSuspended ? addDays(dateOf(subscription.periodEnd), 1) : null,
  }
}

interface Recurring {
  page: PaymentRecord
  subscription: SubscriptionRecord | undefined
  charges: PaymentRecord[]
  renews: boolean
  now: number
}

function statusOf(records: AccountRecords, { page, subscription, charges, renews, now }: Recurring): Sale['status'] {
  if (!subscription && isGivenBack(records, page, true)) return 'canceled'
  if (subscription && !renews && subscription.periodEnd < now) return 'canceled'
  if (renews && charges.findLast(({ status }) => status !== 'pending')?.status === 'failed') return 'past_due'
  const { trial_days: trialDays } = PageMetadata.parse(paymentOwn(page).metadata)
  return trialDays > 0 && charges.length === 0 ? 'trialing' : 'active'
}
