import * as z from 'zod'
import {
  type AccountRecords,
  findPaid,
  latestPaid,
  latestReversal,
  requirePending,
} from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { charges } from '../core/acts/by-invoice.ts'
import { Refused } from '../core/acts/refused.ts'
import type { PaymentRecord } from '../core/domain/money-records.ts'
import type { SubscriptionRecord } from '../core/domain/selling-records.ts'
import type { MollieEmulator } from './emulator.ts'
import { subscriptionOwn } from './own.ts'

const Metadata = z.looseObject({ first_payment: z.string() })

export const mollieActs = (mollie: MollieEmulator, { records }: Account<'mollie'>): Acts => ({
  ...charges(
    { renew: (id, given) => chargeNext(mollie, records, id, given) },
    (id) => requireSubscription(records, id).id,
  ),
  refund: (id, cents) =>
    mollie.refund(latestPayment(records, id), cents === undefined ? cents : (cents / 100).toFixed(2)),
  failRefund: async (id) => mollie.failRefund(latestReversal(records, 'refunds', findChargedId(records, id))),
  dispute: (id) => mollie.chargeback(latestPayment(records, id)),
  decideDispute: async (id, wins) => {
    if (!wins) throw new Refused('Mollie reports nothing about a chargeback that stays')
    return mollie.reverseChargeback(latestReversal(records, 'disputes', findChargedId(records, id)))
  },
  cancel: (id) => mollie.cancel(requireSubscription(records, id).id),
  rollOver: (id) => mollie.renew(requireSubscription(records, id).id, { pending: true }),
  suspend: (id) => mollie.suspend(requireSubscription(records, id).id),
  resolve: async (fails, id) => mollie.resolvePayment(requirePending(awaited(records, id)).id, { fail: fails }),
})

/** A charge that is on its way is decided before the next one is made: a direct debit takes days, and a period is longer. */
function chargeNext(mollie: MollieEmulator, records: AccountRecords, id: string, given?: { fail?: boolean }) {
  const underWay = records('payments').find((each) => each.subscription === id && isOnItsWay(each))
  return underWay ? mollie.resolvePayment(underWay.id, given) : mollie.renew(id, given)
}

/** The oldest payment that is on its way: of all, or of the purchase that a first payment has begun. */
function awaited(records: AccountRecords, firstPayment?: string): PaymentRecord | undefined {
  const payments = records('payments').filter(isOnItsWay)
  if (firstPayment === undefined) return payments[0]
  const sale = findSubscription(records, firstPayment)?.id ?? firstPayment
  return payments.find(({ id, subscription }) => id === firstPayment || subscription === sale)
}

/** The subscription that a first payment has begun. */
export const findSubscription = (records: AccountRecords, firstPayment: string) =>
  records('subscriptions').find((each) => Metadata.parse(subscriptionOwn(each).metadata).first_payment === firstPayment)

function requireSubscription(records: AccountRecords, firstPayment: string): SubscriptionRecord {
  const found = findSubscription(records, firstPayment)
  if (!found) throw new Refused(`Mollie has no subscription of ${firstPayment}`)
  return found
}

/** What the payments of a purchase are known by: its charges, if there are any. */
function findChargedId(records: AccountRecords, firstPayment: string): string {
  const charged = findSubscription(records, firstPayment)?.id ?? ''
  return findPaid(records, charged).length > 0 ? charged : firstPayment
}

/** A one-time purchase has no charges, and the first payment is not one of them. */
const latestPayment = (records: AccountRecords, firstPayment: string) =>
  latestPaid(records, findChargedId(records, firstPayment))

export const isOnItsWay = ({ status, method }: PaymentRecord) =>
  status === 'pending' || (status === 'open' && method === 'banktransfer')
