// Money facts derived from a sale's payments. Their keys do not depend on what triggered the read, so a repeated read adds nothing.

import * as z from 'zod'
import { toMinorUnits } from '../../money/money.ts'
import type { PaymentFact } from '../processor.ts'
import { isChargedBack, type Payment, Reduction, Renewal } from './objects.ts'
import { withoutEnded } from './plan.ts'

/** How many of the newest charges to check, besides older ones with refunds or chargebacks. */
const NEWEST = 12

/** `charges`: latest first. */
export const saleFacts = (payment: Payment, charges: Payment[]): PaymentFact[] => [
  ...paymentFacts(payment, charges),
  ...chargeFacts(charges),
]

/** The facts of charges, or of differences; latest first. */
export function chargeFacts(charges: Payment[]): PaymentFact[] {
  const isRecent = (charge: Payment, index: number) => index < NEWEST || charge._embedded != null
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

  if (status === 'paid') add('succeeded', payment, paidAt ?? createdAt, { discount: readDiscount(payment, charges) })
  if (status === 'failed') add('failed', payment, failedAt ?? createdAt)
  for (const refund of _embedded?.refunds ?? []) {
    const fact = refundFact(refund, id)
    if (fact) facts.push(fact)
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

/** What a refund has moved; null while it is in progress, and if it was cancelled before. */
export function refundFact(
  { id, status, amount, createdAt }: { id: string; status: string; amount: Payment['amount']; createdAt: Date },
  paymentId: string,
): PaymentFact | null {
  const kind = status === 'refunded' ? 'refunded' : status === 'failed' ? 'refund_failed' : null
  return kind && { kind, id, paymentId, ...amount, occurredAt: createdAt }
}

const Reduced = z.object({ reduction: Reduction, scheduled: Renewal.shape.scheduled })

/** What an offer took off a payment. Metadata keeps an offer after it has ended, so an ended one is ignored. */
function readDiscount({ metadata, createdAt, amount: { amount, currency } }: Payment, charges: Payment[]): number {
  const { data } = Reduced.safeParse(metadata)
  const until = charges.filter((charge) => charge.createdAt <= createdAt)
  const reduction = data && withoutEnded(data, until)
  const toMinor = (value: string) => toMinorUnits(Number(value), currency)
  return reduction && toMinor(reduction.reduced) === amount ? toMinor(reduction.price) - amount : 0
}
