import { latestPaid } from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { byInvoice } from '../core/acts/by-invoice.ts'
import type { PolarEmulator } from './emulator.ts'

export const polarActs = (polar: PolarEmulator, { records }: Account<'polar'>): Acts => ({
  ...byInvoice(polar, records),
  refund: (id, cents) => polar.refund(latestPaid(records, id), cents),
  dispute: (id) => polar.dispute(latestPaid(records, id)),
  rollOver: (id) => polar.rollOver(id),
})
