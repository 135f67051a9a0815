import * as z from 'zod'
import { type AccountContext, accountRecord, find } from '../core/domain/context.ts'
import type { PortalSessionRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { text } from '../core/wire/form-fields.ts'
import { ChargebeeError } from './errors.ts'
import { redirectUrl } from './parameters.ts'

export const PORTAL_SECONDS = 3600

export const PortalParameters = z.strictObject({
  customer: z.strictObject({ id: text(50) }),
  redirect_url: redirectUrl.optional(),
})

/** Opens the portal, unless the site has it switched off. What Chargebee answers then is UNVERIFIED. */
export function createPortalSession(context: AccountContext, given: z.output<typeof PortalParameters>) {
  if (accountRecord(context.records, context.account.id).own.portalEnabled === false) {
    throw new ChargebeeError(400, 'configuration_incompatible', 'The customer portal is not enabled.')
  }
  const customer = find(context, 'customers', given.customer.id, 'customer[id]')
  return openPortal(context, { customer: customer.id, returnUrl: given.redirect_url ?? null })
}

export const portalSessionObject = ({ id, customer, created, returnUrl }: PortalSessionRecord, url: string) => ({
  id,
  token: id,
  access_url: `${url}/portal/v2/${id}`,
  ...(returnUrl !== null && { redirect_url: returnUrl }),
  status: 'created',
  created_at: created,
  expires_at: created + PORTAL_SECONDS,
  customer_id: customer,
  linked_customers: [],
  object: 'portal_session',
})
