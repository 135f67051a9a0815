import { newRecord } from '../core/tables.ts'
import type { AccountContext } from './account-context.ts'
import type { CustomerRecord, MandateRecord, PaymentRecord } from './records.ts'

/** Makes the mandate that a paid first payment gives: the permission to charge its customer again. */
export function newMandate(context: AccountContext, payment: PaymentRecord, customer: string): MandateRecord {
  const mandate: MandateRecord = {
    ...newRecord(context, 'mdt_', 6),
    customer,
    payment: payment.id,
    method: mandateMethod(payment.method),
    slow: context.slowMandates,
    revoked: false,
  }
  context.records.mandates.set(mandate.id, mandate)
  return mandate
}

export function mandateStatus(
  context: AccountContext,
  { slow, revoked }: MandateRecord,
): 'valid' | 'pending' | 'invalid' {
  if (revoked) return 'invalid'
  return slow && context.slowMandates ? 'pending' : 'valid'
}

/** The newest first. */
export const mandatesOf = ({ records }: AccountContext, { id }: CustomerRecord): MandateRecord[] =>
  [...records.mandates.values()].filter(({ customer }) => customer === id).reverse()

/** Methods that need the customer at every payment, such as iDEAL, give a mandate for direct debit. */
function mandateMethod(method: string | null): MandateRecord['method'] {
  return method === 'creditcard' || method === 'paypal' ? method : 'directdebit'
}
