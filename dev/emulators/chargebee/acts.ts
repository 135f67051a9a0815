import { latestPaid } from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { byInvoice } from '../core/acts/by-invoice.ts'
import { INVOICE_PREFIX } from './bills.ts'
import type { ChargebeeEmulator } from './emulator.ts'

export const chargebeeActs = (chargebee: ChargebeeEmulator, { records }: Account<'chargebee'>): Acts => ({
  ...byInvoice(chargebee, records),
  refund: (id, cents) => chargebee.refund(latestPaid(records, paidBy(id)), cents),
  // On a site that is set up as Chargebee recommends: by a credit note. The other way is a `payment_reversal`.
  dispute: (id) => chargebee.chargeback(latestPaid(records, paidBy(id))),
})

/** A subscription's payments are known by its id, a one-time purchase's by its invoice. */
const paidBy = (id: string) => id.replace(INVOICE_PREFIX, '')
