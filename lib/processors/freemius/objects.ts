import * as z from 'zod'
import { toMinorUnits } from '../../money/money.ts'

/* The fields of Freemius' objects that we rely on. */

/** Ids are numbers, which Freemius usually writes as text. */
export const Id = z.union([z.string().regex(/^\d{1,19}$/), z.int().min(0).transform(String)])

/** A UTC time without a zone: `2026-11-21 08:36:00`. */
export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .transform((text) => new Date(`${text.replace(' ', 'T')}Z`))
  .refine((date) => !Number.isNaN(date.getTime()), 'invalid date')

export const currency = z.enum(['usd', 'eur', 'gbp']).transform((code) => code.toUpperCase() as 'USD' | 'EUR' | 'GBP')

/** An amount in major units, as a float or as text; null if absent. */
const amount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/)
      .transform(Number),
  ])
  .nullish()

/** 0: live, 1: sandbox. */
const environment = z.union([z.literal(0), z.literal(1)])

/** Number of months between two payments; 0: one-time. */
const BillingCycle = z.union([z.literal(1), z.literal(12), z.literal(0)])
export type BillingCycle = z.output<typeof BillingCycle>

export const License = z.object({
  id: Id,
  created: time,
  user_id: Id.nullish(),
  plan_id: Id,
  pricing_id: Id.nullish(),
  expiration: time.nullish(),
  is_cancelled: z.boolean().nullish(),
  environment,
})
export type License = z.output<typeof License>

export const Subscription = z.object({
  id: Id,
  created: time,
  license_id: Id,
  plan_id: Id.nullish(),
  pricing_id: Id.nullish(),
  currency,
  amount_per_cycle: amount,
  initial_amount: amount,
  renewal_amount: amount,
  billing_cycle: BillingCycle,
  outstanding_balance: amount,
  failed_payments: z.int().min(0).nullish(),
  trial_ends: time.nullish(),
  next_payment: time.nullish(),
  canceled_at: time.nullish(),
  environment,
})
export type Subscription = z.output<typeof Subscription>

/**
 * `gross` excludes tax, and is negative if the money was returned to the buyer. `bound_payment_id` of a refunded payment names the refund,
 * which is a payment, too. Freemius' documentation has it the other way round, so both are supported.
 */
export const Payment = z.object({
  id: Id,
  created: time,
  license_id: Id.nullish(),
  subscription_id: Id.nullish(),
  bound_payment_id: Id.nullish(),
  plan_id: Id.nullish(),
  pricing_id: Id.nullish(),
  currency,
  gross: amount,
  vat: amount,
  coupon_id: Id.nullish(),
  /** `payment`, `refund`, or a type of dispute. Unknown types are ignored. */
  type: z.string(),
  is_renewal: z.boolean().nullish(),
  environment,
})
export type Payment = z.output<typeof Payment>

export const User = z.object({ id: Id, email: z.string() })

export const Users = z.object({ users: z.array(User) })
export const Licenses = z.object({ licenses: z.array(License) })
export const Subscriptions = z.object({ subscriptions: z.array(Subscription) })
export const Payments = z.object({ payments: z.array(Payment) })

/** The query parameters of Freemius' return URL. Its documentation omits the pricing for lifetime licences. */
export const ReturnQuery = z.object({
  license_id: Id,
  email: z.string().min(1),
  plan_id: Id,
  pricing_id: Id.optional(),
  billing_cycle: z.coerce.number().pipe(BillingCycle).catch(0),
  currency: z.string().toLowerCase().pipe(currency).catch('USD'),
})

/** Checked before a checkout is opened: a pricing has one currency, and a price per billing cycle that is sold. */
export const Pricing = z.object({
  currency,
  monthly_price: amount,
  annual_price: amount,
  lifetime_price: amount,
})
/** The values of a coupon's filter, in text or in a list; null: it has none. */
const filter = z
  .union([z.string().transform((text) => text.split(',').map((value) => value.trim())), z.array(Id)])
  .nullish()

/** `discounts`: an amount by currency. Only in a list that is enriched, which excludes a search. */
export const Coupon = z.object({
  code: z.string(),
  discount: amount,
  discount_type: z.string(),
  discounts: z.record(z.string(), z.number()).optional().catch(undefined),
  has_renewals_discount: z.boolean().nullish(),
  plans: filter,
  billing_cycles: filter,
  licenses: filter,
  user_type: z.string().default('all'),
  is_active: z.boolean().nullish(),
  start_date: time.nullish(),
  end_date: time.nullish(),
  redemptions: z.int().min(0).nullish(),
  redemptions_limit: z.int().min(0).nullish(),
  is_one_per_user: z.boolean().nullish(),
})
export type Coupon = z.output<typeof Coupon>
export const Coupons = z.object({ coupons: z.array(Coupon) })

/** The product's coupon for subscribers who cancel, set in its dashboard. */
const CancellationCoupon = Coupon.pick({
  code: true,
  discount: true,
  discount_type: true,
  discounts: true,
  has_renewals_discount: true,
}).extend({ coupon_id: Id })
export type CancellationCoupon = z.output<typeof CancellationCoupon>
export const SpecialCoupons = z.object({ coupon_entities: z.array(CancellationCoupon).nullish() })

/** A subscription, with what decides whether it can be discounted. */
export const DiscountableSubscription = Subscription.extend({ gateway: z.string().nullish() })
export type DiscountableSubscription = z.output<typeof DiscountableSubscription>

export const DiscountedSubscription = Subscription.extend({
  has_subscription_cancellation_discount: z.boolean().nullish(),
})

const GivenDiscount = z.object({ type: z.string(), coupon_id: Id.nullish(), created: time.nullish() })

/** A list that is enriched with cancellation discounts. `discounts`: by the id of the subscription; PHP writes an empty map as a list. */
export const DiscountedSubscriptions = z.object({
  subscriptions: z.array(DiscountedSubscription),
  discounts: z
    .record(z.string(), z.array(GivenDiscount))
    .or(z.array(z.never()).transform(() => ({})))
    .nullish()
    .transform((map): Record<string, z.output<typeof GivenDiscount>[]> => map ?? {}),
})

export const Plan = z.object({ trial_period: z.int().nullish() })

/** The settings of an upgrade link's page. The authorization is for one licence, and valid for 24 hours. */
export const UpgradeLink = z.object({ settings: z.object({ authorization: z.string().min(1) }) })

export const PortalLogin = z.object({ link: z.url() })

/** Converts Freemius' major units to minor ones. Its floats may have more decimals than the currency. */
export const minorUnits = (major: number | null | undefined, code: string) =>
  toMinorUnits(Math.round((major ?? 0) * 100) / 100, code)
