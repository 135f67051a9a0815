import type { Account } from '../core/acts/acts.ts'
import { byInvoice } from '../core/acts/by-invoice.ts'
import { INVOICE_PREFIX } from './bills.ts'
import type { ChargebeeEmulator } from './emulator.ts'

/** A dispute is recorded by a credit note, as Chargebee recommends. The other way is a `payment_reversal`. */
export const chargebeeActs = (chargebee: ChargebeeEmulator, account: Account<'chargebee'>) =>
  byInvoice({ ...chargebee, dispute: chargebee.chargeback }, account, (id) => id.replace(INVOICE_PREFIX, ''))
