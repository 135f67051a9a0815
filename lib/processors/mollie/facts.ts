// The money facts in a sale's payments. A webhook only triggers the read, so each fact has the same key, whichever kind of webhook arrives,
// or none.

import * as z from 'zod'
import { toMinorUnits } from '../../money/money.ts'
import type { PaymentFact } from '../processor.ts'
import { isChargedBack, type Payment, Reduction, Renewal } from './objects.ts'
import { withoutEnded } from './plan.ts'

/** Number of charges to check, the newest: older ones were reported in their time. */
const NEWEST = 12

/** `charges`: latest first. */
export const saleFacts = (payment: Payment, charges: Payment[]): PaymentFact[] => [
  ...paymentFacts(payment, charges),
  ...chargeFacts(charges),
]

/** The facts of charges, or of differences; latest first. */
export function chargeFacts(charges: Payment[]): PaymentFact[] {
  const isRecent = (charge: Payment, place: number) => place < NEWEST || charge._embedded != null
  return charges
    .filter(isRecent)
    .toReversed()
    .flatMap((charge) => paymentFacts(charge, charges))
}

function paymentFacts(payment: Payment, charges: Payment[]): PaymentFact[] {
  const { id, amount, createdAt, paidAt, failedAt, status, sequenceType, _embedded } = payment
  if (amount.amount === 0) return []
  const facts: PaymentFact[] = []
  const add = (
    kind: PaymentFact['kind'],
    about: { id: string; amount: Payment['amount'] },
    occurredAt: Date,
    more: Pick<PaymentFact, 'discount'> = {},
  ) => facts.push({ kind, id: about.id, paymentId: id, ...about.amount, occurredAt, ...more })

  if (status === 'paid') add('succeeded', payment, paidAt ?? createdAt, { discount: takenOff(payment, charges) })
  if (status === 'failed') add('failed', payment, failedAt ?? createdAt)
  for (const refund of _embedded?.refunds ?? []) {
    if (refund.status === 'refunded') add('refunded', refund, refund.createdAt)
    if (refund.status === 'failed') add('refund_failed', refund, refund.createdAt)
  }
  for (const chargeback of _embedded?.chargebacks ?? []) {
    add('disputed', chargeback, chargeback.createdAt)
    add('dispute_lost', chargeback, chargeback.createdAt)
    if (chargeback.reversedAt) add('dispute_won', chargeback, chargeback.reversedAt)
    // A direct debit from an empty account is paid at first, and charged back days later: then the charge has failed.
    if (sequenceType === 'recurring' && isChargedBack(payment)) add('failed', payment, chargeback.createdAt)
  }
  return facts
}

const Reduced = z.object({ reduction: Reduction, scheduled: Renewal.shape.scheduled })

/** What an offer has taken off a payment. Its metadata also names an offer that has ended, perhaps by an earlier charge or by this one. */
function takenOff({ metadata, createdAt, amount: { amount, currency } }: Payment, charges: Payment[]): number {
  const { data } = Reduced.safeParse(metadata)
  const until = charges.filter((charge) => charge.createdAt <= createdAt)
  const reduction = data && withoutEnded(data, until)
  const units = (value: string) => toMinorUnits(Number(value), currency)
  return reduction && units(reduction.reduced) === amount ? units(reduction.price) - amount : 0
}
