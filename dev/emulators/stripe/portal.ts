import * as z from 'zod'
import { type AccountContext, accountRecord, find } from '../core/domain/context.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { text, webAddress } from '../core/wire/form-fields.ts'
import { optional } from '../core/wire/json-fields.ts'
import { refused } from './errors.ts'

export const PortalParameters = z.strictObject({ customer: text(), return_url: optional(webAddress) })

/** Opens the portal. Stripe refuses as long as nobody has saved the portal's settings in the dashboard. */
export function createPortalSession(context: AccountContext, given: z.output<typeof PortalParameters>) {
  const { id: customer } = find(context, 'customers', given.customer, 'customer')
  const { own } = accountRecord(context.records, context.account.id)
  if (own.portalConfigured === false) throw refused('portal_not_configured')
  return openPortal(context, { customer, returnUrl: given.return_url })
}
