import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { ownFields } from '../core/domain/tables.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'

/* Fields of Polar's objects that the core does not have, under Polar's names. */

/** The seller's own data: up to 50 values, each at most 500 characters. */
export const Metadata = z
  .record(z.string().min(1).max(40), z.union([z.string().min(1).max(500), z.number(), z.boolean()]))
  .refine((values) => Object.keys(values).length <= 50, 'You can store up to 50 key-value pairs.')

const metadata = Metadata.default({})
const text = z.string().nullable().default(null)

export const pageOwn = ownFields({
  metadata,
  external_customer_id: text,
  allow_trial: z.boolean().default(true),
  allow_discount_codes: z.boolean().default(true),
  locale: text,
})

export const customerOwn = ownFields({ external_id: text })

/** Fields of an order, stored in its subscription or one-time payment. */
const sale = { metadata, checkout_id: text }
export const saleOwn = ownFields(sale)

export const subscriptionOwn = ownFields({
  ...sale,
  customer_cancellation_reason: CancellationReason.nullable().default(null),
  customer_cancellation_comment: text,
})

/** The reasons for a seller's refund. */
export const RefundReason = z.enum([
  ...(['duplicate', 'fraudulent', 'customer_request'] as const),
  ...(['service_disruption', 'satisfaction_guarantee', 'other'] as const),
])

export const refundOwn = ownFields({
  metadata,
  reason: z.enum([...RefundReason.options, 'dispute_prevention']).default('customer_request'),
  /** The dispute that it prevents. */
  dispute: text,
  /** The tax in its amount. */
  tax: z.int().default(0),
})

/**
 * Whether a customer may have several subscriptions: a setting of the organisation, which is off in a new one
 * (`_default_subscription_settings` in server/polar/models/organization.py). It is on in the emulator, as docs/processors/polar.md
 * instructs owners; tests of the refusal switch it off.
 */
export const MULTIPLE_SUBSCRIPTIONS = accountSetting('allowed', z.boolean(), true)

/** When a change of product is charged. `prorate` is the default (server/polar/models/organization.py). */
export const Proration = z.enum(['invoice', 'prorate', 'next_period'])
export const PRORATION = accountSetting('behavior', Proration, 'prorate')

/** The orders whose receipts are made. */
export const MADE_RECEIPTS = accountSetting('receipts', z.array(z.string()), [])

/** The scopes that the token lacks. */
export const LACKING_SCOPES = accountSetting('scopes', z.array(z.string()), [])
