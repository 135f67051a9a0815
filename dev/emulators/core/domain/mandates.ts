import { type AccountContext, all, newRecord } from './context.ts'
import type { MandateRecord } from './selling-records.ts'

type NewMandate = Pick<MandateRecord, 'customer' | 'payment' | 'method' | 'slow'>

export function newMandate(context: AccountContext, given: NewMandate): MandateRecord {
  const mandate: MandateRecord = { ...newRecord(context, 'mandates'), ...given, revoked: false }
  context.records.mandates.set(mandate.id, mandate)
  return mandate
}

/** The newest first. */
export const mandatesOf = (context: AccountContext, customerId: string): MandateRecord[] =>
  all(context, 'mandates')
    .filter(({ customer }) => customer === customerId)
    .reverse()
