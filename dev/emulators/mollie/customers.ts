import * as z from 'zod'
import { newRecord } from '../core/new-record.ts'
import { find, type Ledger } from './account-context.ts'
import { Metadata } from './metadata.ts'
import { locale, optional } from './parameters.ts'
import type { CustomerRecord } from './records.ts'

export const CustomerBody = z.strictObject({
  name: optional(z.string().max(255)),
  email: optional(z.email()),
  locale: optional(locale),
  metadata: optional(Metadata),
})

export function createCustomer(ledger: Ledger, body: z.output<typeof CustomerBody>): CustomerRecord {
  const customer = { ...newRecord(ledger, 'cst_', 6), ...body }
  ledger.records.customers.set(customer.id, customer)
  return customer
}

export const findCustomer = (ledger: Ledger, id: string) => find(ledger, ledger.records.customers, 'customer', id)
