import * as z from 'zod'
import { newCustomer } from '../core/domain/checkout.ts'
import { type AccountContext, all } from '../core/domain/context.ts'
import type { CustomerRecord } from '../core/domain/selling-records.ts'
import { optional } from '../core/wire/json-fields.ts'
import { invalid, noSuch } from './errors.ts'
import { customerOwn } from './own.ts'

/* An organisation has one customer for each address and one for each external id, whoever bought. */

export const CustomerBody = z.strictObject({
  email: z.email(),
  name: optional(z.string()),
  external_id: optional(z.string()),
})

export function createCustomer(context: AccountContext, body: z.output<typeof CustomerBody>): CustomerRecord {
  const { email, name, external_id: externalId } = body
  if (byEmail(context, email))
    throw invalid(['body', 'email'], 'A customer with this email address already exists.', email)
  if (externalId !== null && byExternalId(context, externalId)) {
    throw invalid(['body', 'external_id'], 'A customer with this external ID already exists.', externalId)
  }
  return newCustomer(context, { email, name, own: { externalId } })
}

export const byEmail = (context: AccountContext, email: string) =>
  all(context, 'customers').find((customer) => customer.email?.toLowerCase() === email.toLowerCase())

export const byExternalId = (context: AccountContext, externalId: string) =>
  all(context, 'customers').find((customer) => customerOwn(customer).externalId === externalId)

export function findByExternalId(context: AccountContext, externalId: string): CustomerRecord {
  const found = byExternalId(context, externalId)
  if (!found) throw noSuch('customers', externalId)
  return found
}
