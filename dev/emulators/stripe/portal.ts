import * as z from 'zod'
import { type AccountContext, accountRecord, find } from '../core/domain/context.ts'
import type { PortalSessionRecord } from '../core/domain/selling-records.ts'
import { openPortal } from '../core/pages/hosted-portal.ts'
import { text, webAddress } from '../core/wire/form-fields.ts'
import { invalidRequest } from './errors.ts'

export const PortalParameters = z.strictObject({ customer: text(), return_url: webAddress.optional() })

/** Opens the portal. Stripe refuses as long as nobody has saved the portal's settings in the dashboard. */
export function createPortalSession(
  context: AccountContext,
  { customer: id, return_url: returnUrl }: z.output<typeof PortalParameters>,
): PortalSessionRecord {
  const customer = find(context, 'customers', id, 'customer')
  if (accountRecord(context.records, context.account.id).own.portalConfigured === false) {
    throw invalidRequest(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
    )
  }
  return openPortal(context, { customer: customer.id, returnUrl: returnUrl ?? null })
}
