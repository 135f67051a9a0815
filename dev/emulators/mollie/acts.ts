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
    if (!wins) throw new Refused('Mollie reports nothing about a lost chargeback')
    return mollie.reverseChargeback(latestReversal(records, 'disputes', findChargedId(records, id)))
  },
  cancel: (id) => mollie.cancel(requireSubscription(records, id).id),
  rollOver: (id) => mollie.renew(requireSubscription(records, id).id, { pending: true }),
  suspend: (id) => mollie.suspend(requireSubscription(records, id).id),
  resolve: async (fails, id) => mollie.resolvePayment(requirePending(awaited(records, id)).id, { fail: fails }),
})

/** Resolves a pending charge instead of making the next one: a direct debit takes days, and a period is longer. */
function chargeNext(mollie: MollieEmulator, records: AccountRecords, id: string, given?: { fail?: boolean }) {
  const pending = records('payments').find((each) => each.subscription === id && isPending(each))
  return pending ? mollie.resolvePayment(pending.id, given) : mollie.renew(id, given)
}

/** The oldest pending payment: of all, or of the purchase with this first payment. */
function awaited(records: AccountRecords, firstPayment?: string): PaymentRecord | undefined {
  const payments = records('payments').filter(isPending)
  if (firstPayment === undefined) return payments[0]
  const sale = findSubscription(records, firstPayment)?.id ?? firstPayment
  return payments.find(({ id, subscription }) => id === firstPayment || subscription === sale)
}

/** The subscription with this first payment. */
export const findSubscription = (records: AccountRecords, firstPayment: string) =>
  records('subscriptions').find((each) => Metadata.parse(subscriptionOwn(each).metadata).first_payment === firstPayment)

function requireSubscription(records: AccountRecords, firstPayment: string): SubscriptionRecord {
  const found = findSubscription(records, firstPayment)
  if (!found) throw new Refused(`Mollie has no subscription of ${firstPayment}`)
  return found
}

/** The id that a purchase's payments refer to: the subscription if it was charged, otherwise the first payment. */
function findChargedId(records: AccountRecords, firstPayment: string): string {
  const charged = findSubscription(records, firstPayment)?.id ?? ''
  return findPaid(records, charged).length > 0 ? charged : firstPayment
}

/** The latest charge, or the first payment if there is none. */
const latestPayment = (records: AccountRecords, firstPayment: string) =>
  latestPaid(records, findChargedId(records, firstPayment))

export const isPending = ({ status, method }: PaymentRecord) =>
  status === 'pending' || (status === 'open' && method === 'banktransfer')
