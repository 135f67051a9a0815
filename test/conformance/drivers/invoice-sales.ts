import type { AccountRecords } from '../../../dev/emulators/core/acts/account-records.ts'
import type { PaymentRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import { oneTimePayments, oneTimeSale, type Sale, subscriptionSale } from './sale.ts'

/**
 * Sales at processors that charge by invoice. `processorId`: what identifies a one-time sale, derived from
 * its payment's id.
 */
export const salesByInvoice = (
  records: AccountRecords,
  processorId = (payment: PaymentRecord) => payment.id,
): Sale[] => [
  ...records('subscriptions').map((each) => subscriptionSale(records, each)),
  ...oneTimePayments(records).map((each) => oneTimeSale(records, each, { processorId: processorId(each) })),
]
