import { newRecord } from '../core/new-record.ts'
import type { Ledger } from './account-context.ts'
import type { CustomerRecord, MandateRecord, PaymentRecord } from './records.ts'

/** What a paid first payment gives: permission to charge its customer again. */
export function newMandate(ledger: Ledger, payment: PaymentRecord, customer: string): MandateRecord {
  const mandate: MandateRecord = {
    ...newRecord(ledger, 'mdt_', 6),
    customer,
    payment: payment.id,
    method: mandateMethod(payment.method),
    slow: ledger.slowMandates,
    revoked: false,
  }
  ledger.records.mandates.set(mandate.id, mandate)
  return mandate
}

export function mandateStatus(ledger: Ledger, { slow, revoked }: MandateRecord): 'valid' | 'pending' | 'invalid' {
  if (revoked) return 'invalid'
  return slow && ledger.slowMandates ? 'pending' : 'valid'
}

/** The newest first. */
export const mandatesOf = ({ records }: Ledger, { id }: CustomerRecord): MandateRecord[] =>
  [...records.mandates.values()].filter(({ customer }) => customer === id).reverse()

/** Banks that customers pay at by hand, such as iDEAL, are debited later. */
function mandateMethod(method: string | null): MandateRecord['method'] {
  return method === 'creditcard' || method === 'paypal' ? method : 'directdebit'
}
