import type * as Freemius from '@freemius/sdk'
import * as z from 'zod'
import type { SoldPrice } from '../../core/domain/selling-records.ts'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

/* How Freemius writes: times in UTC without a zone, amounts as decimal numbers, currencies in small letters. */

/** An entity of the official SDK, whose types leave every field out: here none can be missing. */
export type Full<Entity> = { [Field in keyof Entity]-?: Exclude<Entity[Field], undefined> }

interface Kinds {
  license: Full<Freemius.LicenseEntity>
  subscription: Omit<Full<Freemius.SubscriptionEntity>, 'renewals_discount' | 'renewals_discount_type'>
  /** `bound_payment_id` is null where a payment is bound to no other. */
  payment: Omit<Full<Freemius.PaymentEntity>, 'bound_payment_id'> & { bound_payment_id: string | null }
  user: Omit<Full<Freemius.UserEntity>, 'auth' | 'note'>
  /** `objects` are as they were when the event happened. */
  event: Omit<Full<Freemius.EventEntity>, 'developer_id'> & { objects: object }
  plan: Full<Freemius.PlanEntity>
  pricing: Full<Freemius.PricingEntity>
}

/** An entity of Freemius': what is the same in all of its kind is in `constants.json`. */
export const complete = completer<Kinds>()(CONSTANTS)

/** A time as Freemius writes it: `2026-11-21 08:36:00`. */
export const dateTime = (seconds: number) => new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19)

/** The same, where a time may be missing. */
export const dateTimeOrNull = (seconds: number | null) => (seconds === null ? null : dateTime(seconds))

/** Cents as a decimal number: 999 is 9.99. */
export const decimal = (cents: number) => cents / 100

/** The currencies that Freemius has. */
export const Currency = z.enum(['usd', 'eur', 'gbp'])

export const toCurrency = (code: string) => Currency.parse(code.toLowerCase())

/** The number of months between two payments of a subscription. */
export const billingCycle = ({ interval }: Pick<SoldPrice, 'interval'>) => (interval === 'month' ? 1 : 12)

/** The plan and the pricing of a price. */
export function parsePrice({ id }: { id: string }) {
  const [plan_id = '', pricing_id = ''] = id.split(':')
  return { plan_id, pricing_id }
}
