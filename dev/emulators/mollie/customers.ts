import * as z from 'zod'
import { newRecord } from '../core/tables.ts'
import { type AccountContext, find } from './account-context.ts'
import { Metadata } from './metadata.ts'
import { locale, optional } from './parameters.ts'
import type { CustomerRecord } from './records.ts'

export const CustomerBody = z.strictObject({
  name: optional(z.string().max(255)),
  email: optional(z.email()),
  locale: optional(locale),
  metadata: optional(Metadata),
})

export function createCustomer(context: AccountContext, body: z.output<typeof CustomerBody>): CustomerRecord {
  const customer = { ...newRecord(context, 'cst_', 6), ...body }
  context.records.customers.set(customer.id, customer)
  return customer
}

export const findCustomer = (context: AccountContext, id: string) =>
  find(context, context.records.customers, 'customer', id)
