import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'
import { SoldPrice, type SubscriptionRecord } from '../core/domain/selling-records.ts'
import { hasEnded } from '../core/domain/subscriptions.ts'
import { ownFields } from '../core/domain/tables.ts'
import { CancellationReason } from '../core/wire/cancellation-reasons.ts'

/* Fields of Stripe's objects that the core does not have, under Stripe's names. */

/** Stripe's limits: 50 keys, 40 characters a key, 500 a value. An empty value unsets the key. */
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length <= 50, 'You can have at most 50 keys')
  .default({})

const note = z.string().nullable().default(null)

/** `customer_email`: the address with which the session was created. */
const enabled = z.object({ enabled: z.boolean() })

export const pageOwn = ownFields({
  metadata,
  client_reference_id: note,
  customer_email: note,
  adaptive_pricing: enabled,
  automatic_tax: enabled,
  consent_collection: z.object({ terms_of_service: z.string() }).nullable(),
  invoice_creation: enabled.nullable(),
  locale: note,
})

/**
 * The account's setting for Adaptive Pricing, which the parameter of a session overrides
 * (docs.stripe.com/changelog/acacia/2024-11-20/adaptive-pricing-param). That it is on in a new account is UNVERIFIED, and the emulator does
 * not convert amounts.
 */
export const ADAPTIVE_PRICING = accountSetting('enabled', z.boolean(), true)

/**
 * Whether Stripe Tax is set up in the dashboard, without which Stripe refuses sessions with automatic tax
 * (docs.stripe.com/tax/set-up). Taxes are those of `setTerms`.
 */
export const STRIPE_TAX = accountSetting('ready', z.boolean(), true)

/** The owner's terms of service in the dashboard's public details, without which Stripe refuses sessions that ask for consent. */
export const TERMS_OF_SERVICE = accountSetting('url', z.url().nullable(), 'https://seller.example/terms')

const feedback = CancellationReason.nullable().default(null)

const Schedule = z.object({
  id: z.string(),
  created: z.int(),
  /** The first is the subscription's current period. */
  phases: z
    .array(z.object({ price: SoldPrice, quantity: z.int(), start: z.int(), end: z.int(), isTaxed: z.boolean() }))
    .min(1),
  endBehavior: z.enum(['release', 'cancel']),
  releasedAt: z.int().nullable(),
})
/** A subscription schedule, with which a price changes at the end of the period. */
export type Schedule = z.output<typeof Schedule>

const PendingUpdate = z.object({
  price: SoldPrice,
  quantity: z.int(),
  /** The period that begins with the update; null: the current one continues. */
  period: z.object({ periodStart: z.int(), periodEnd: z.int(), anchor: z.int() }).nullable(),
  /** Null: its end does not change. */
  cancelAtPeriodEnd: z.boolean().nullable(),
  expiresAt: z.int(),
  invoice: z.string(),
})
/** A change of a subscription that waits for the payment of its invoice. */
export type PendingUpdate = z.output<typeof PendingUpdate>

/** `comment` and `feedback` belong to the cancellation. */
export const subscriptionOwn = ownFields({
  metadata,
  comment: note,
  feedback,
  missing_payment_method: z.string().default('create_invoice'),
  schedules: z.array(Schedule).default([]),
  pendingUpdate: PendingUpdate.nullable().default(null),
})

/** The schedule that currently manages a subscription. */
export function managingSchedule(subscription: SubscriptionRecord): Schedule | undefined {
  const latest = subscriptionOwn(subscription).schedules.at(-1)
  if (hasEnded(subscription) || !latest || latest.releasedAt !== null) return undefined
  return subscription.periodStart >= latest.phases.at(-1)!.end ? undefined : latest
}

/**
 * When the portal charges a price change ("prorate charges and credits"): with an invoice at once or with the next one. This is a
 * setting of the account.
 */
export const PRORATION = accountSetting('behavior', z.enum(['always_invoice', 'create_prorations']), 'always_invoice')

/** `requires_action`: the latest attempt waits for the buyer's authentication. */
export const paymentOwn = ownFields({ metadata, requires_action: z.boolean().default(false) })

export const refundOwn = ownFields({ metadata })

/** `requires_authentication`: whether each charge of the stored card does. */
export const customerOwn = ownFields({ requires_authentication: z.boolean().default(false) })

/** Fields of an event besides its object. `previous`: the old values of changed fields. */
export const eventOwn = ownFields({
  previous: z.record(z.string(), z.unknown()).nullable(),
  request: z.object({ id: note, idempotency_key: note }),
})
