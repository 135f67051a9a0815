import type { models } from '@polar-sh/sdk/2026-10'
import * as z from 'zod'
import type { AccountContext } from '../core/domain/context.ts'
import type { PortalSessionRecord } from '../core/domain/selling-records.ts'
import { optional, webAddress } from '../core/wire/json-fields.ts'
import { customerOf } from './objects/customer.ts'
import { uuid } from './parameters.ts'
import { PORTAL_SECONDS, timeText } from './rules.ts'

const back = { return_url: optional(webAddress) }

/** A customer by its id, or by the seller's own. */
export const PortalBody = z.union([
  z.strictObject({ customer_id: uuid, ...back }),
  z.strictObject({ external_customer_id: z.string(), ...back }),
])

export const portalObject = (session: PortalSessionRecord, context: AccountContext): models.CustomerSession => ({
  id: session.id,
  created_at: timeText(session.created),
  modified_at: null,
  token: `polar_cst_${session.id}`,
  expires_at: timeText(session.created + PORTAL_SECONDS),
  return_url: session.returnUrl,
  customer_portal_url: `${context.url}/portal/polar_cst_${session.id}`,
  customer_id: session.customer,
  customer: customerOf(context, session.customer),
})
