import { latestPaid } from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { byInvoice } from '../core/acts/by-invoice.ts'
import type { StripeEmulator } from './emulator.ts'

export const stripeActs = (stripe: StripeEmulator, { records }: Account<'stripe'>): Acts => ({
  ...byInvoice(stripe, records),
  refund: (id, cents) => stripe.refund(latestPaid(records, id), cents),
  dispute: (id) => stripe.dispute(latestPaid(records, id)),
  rollOver: (id) => stripe.rollOver(id),
})
