import * as z from 'zod'
import { type AccountContext, all } from '../core/domain/context.ts'
import { customerAt, newCustomer } from '../core/domain/customers.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { invalid, noSuch } from './errors.ts'
import { customerOwn } from './own.ts'
import { uuid } from './parameters.ts'

/* In an organisation the addresses and external ids of customers are unique. */

export const CustomerBody = z.strictObject({
  email: z.email(),
  name: optional(z.string()),
  external_id: optional(z.string()),
})

export function createCustomer(context: AccountContext, { email, name, external_id }: z.output<typeof CustomerBody>) {
  if (customerAt(context, email)) {
    throw invalid(['body', 'email'], 'A customer with this email address already exists.', email)
  }
  if (byExternalId(context, external_id)) {
    throw invalid(['body', 'external_id'], 'A customer with this external ID already exists.', external_id)
  }
  return newCustomer(context, { email, name, own: { external_id } })
}

export const byExternalId = (context: AccountContext, id: string | null) =>
  all(context, 'customers').find((customer) => id !== null && customerOwn(customer).external_id === id)

/** A customer by id or external id. */
export const PortalBody = z.union([
  z.strictObject({ customer_id: uuid, return_url: optional(webAddress) }),
  z.strictObject({ external_customer_id: z.string(), return_url: optional(webAddress) }),
])

export function createPortalSession(context: AccountContext, body: z.output<typeof PortalBody>) {
  const customer = 'customer_id' in body ? body.customer_id : byExternalId(context, body.external_customer_id)?.id
  if (customer === undefined) throw noSuch('customers', '')
  return openPortal(context, { customer, returnUrl: body.return_url }, { param: 'customer_id' })
}
