import { hash } from 'node:crypto'
import type * as Freemius from '@freemius/sdk'
import * as z from 'zod'
import type { SoldPrice } from '../../core/domain/selling-records.ts'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

/* Freemius' wire format: times in UTC without a zone, amounts as decimal numbers, currencies in lower case. */

/** An entity of the official SDK, whose fields are all optional there: here all are required. */
export type Full<Entity> = { [Field in keyof Entity]-?: Exclude<Entity[Field], undefined> }

interface Kinds {
  license: Full<Freemius.LicenseEntity>
  subscription: Omit<Full<Freemius.SubscriptionEntity>, 'renewals_discount' | 'renewals_discount_type'>
  /** `bound_payment_id` is null if a payment is bound to no other. */
  payment: Omit<Full<Freemius.PaymentEntity>, 'bound_payment_id'> & { bound_payment_id: string | null }
  user: Omit<Full<Freemius.UserEntity>, 'auth' | 'note'>
  /** `objects` are as they were at the event. */
  event: Omit<Full<Freemius.EventEntity>, 'developer_id'> & { objects: object }
  plan: Full<Freemius.PlanEntity>
  pricing: Full<Freemius.PricingEntity>
}

/** Completes an entity with the constants of its kind in `constants.json`. */
export const complete = completer<Kinds>()(CONSTANTS)

/** Formats a time: `2026-11-21 08:36:00`. */
export const dateTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19)

/** The same for an optional time. */
export const dateTimeOrNull = (seconds: number | null) => (seconds === null ? null : dateTime(seconds))

/** Cents as a decimal number: 999 is 9.99. */
export const decimal = (cents: number) => cents / 100

/** Freemius' currencies. */
export const Currency = z.enum(['usd', 'eur', 'gbp'])

export const toCurrency = (code: string) => Currency.parse(code.toLowerCase())

/** The number of months between two payments of a subscription. */
export const billingCycle = ({ interval }: Pick<SoldPrice, 'interval'>) => (interval === 'month' ? 1 : 12)

/** A coupon's id, a number derived from its code. */
export const couponId = (code: string) => String(Number.parseInt(hash('sha256', code).slice(0, 8), 16))

/** The plan and the pricing of a price. */
export function parsePrice({ id }: { id: string }) {
  const [plan_id = '', pricing_id = ''] = id.split(':')
  return { plan_id, pricing_id }
}
