import type { models } from '@polar-sh/sdk/2026-10'
import * as z from 'zod'
import { newCustomer } from '../core/domain/checkout.ts'
import { type AccountContext, all } from '../core/domain/context.ts'
import type { CustomerRecord, PortalSessionRecord } from '../core/domain/selling-records.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { invalid, noSuch } from './errors.ts'
import { customerOf, since } from './objects/goods.ts'
import { customerOwn } from './own.ts'
import { uuid } from './parameters.ts'
import { PORTAL_SECONDS, timeText } from './rules.ts'

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

const back = { return_url: optional(webAddress) }

/** A customer by its id, or by the seller's own. */
export const PortalBody = z.union([
  z.strictObject({ customer_id: uuid, ...back }),
  z.strictObject({ external_customer_id: z.string(), ...back }),
])

export const portalObject = ({ id, created, returnUrl, customer }: PortalSessionRecord, context: AccountContext) =>
  ({
    ...since(created),
    ...{ id, token: `polar_cst_${id}`, expires_at: timeText(created + PORTAL_SECONDS), return_url: returnUrl },
    customer_portal_url: `${context.url}/portal/polar_cst_${id}`,
    ...{ customer_id: customer, customer: customerOf(context, customer) },
  }) satisfies models.CustomerSession
