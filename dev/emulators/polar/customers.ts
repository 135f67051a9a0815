import * as z from 'zod'
import { type AccountContext, all, find } from '../core/domain/context.ts'
import { customerAt, newCustomer } from '../core/domain/customers.ts'
import type { CustomerRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { invalid, noSuch } from './errors.ts'
import { customerOwn } from './own.ts'
import { uuid } from './parameters.ts'

/* An organisation has one customer for each address and one for each external id, whoever bought. */

export const CustomerBody = z.strictObject({
  email: z.email(),
  name: optional(z.string()),
  external_id: optional(z.string()),
})

export function createCustomer(context: AccountContext, body: z.output<typeof CustomerBody>): CustomerRecord {
  const { email, name, external_id } = body
  if (customerAt(context, email))
    throw invalid(['body', 'email'], 'A customer with this email address already exists.', email)
  if (external_id !== null && byExternalId(context, external_id)) {
    throw invalid(['body', 'external_id'], 'A customer with this external ID already exists.', external_id)
  }
  return newCustomer(context, { email, name, own: { external_id } })
}

export const byExternalId = (context: AccountContext, externalId: string) =>
  all(context, 'customers').find((customer) => customerOwn(customer).external_id === externalId)

const back = { return_url: optional(webAddress) }

/** A customer by its id, or by the seller's own. */
export const PortalBody = z.union([
  z.strictObject({ customer_id: uuid, ...back }),
  z.strictObject({ external_customer_id: z.string(), ...back }),
])

export function createPortalSession(context: AccountContext, body: z.output<typeof PortalBody>) {
  const customer =
    'customer_id' in body
      ? find(context, 'customers', body.customer_id, 'customer_id')
      : byExternalId(context, body.external_customer_id)
  if (!customer) throw noSuch('customers', '')
  return openPortal(context, { customer: customer.id, returnUrl: body.return_url })
}
