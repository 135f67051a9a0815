import * as z from 'zod'
import { toMinorUnits } from '../../money/money.ts'
import { INTERVALS } from '../processor.ts'

/** Mollie's objects as far as we rely on them. */

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const date = z.iso.date().transform((text) => new Date(text))

/** What the seller wrote. Mollie's examples show it as the text of what was sent. */
const metadata = z.unknown().optional().transform(fromText)

/** Mollie writes an amount as text with the currency's decimals; here it is minor units. */
export const Amount = z
  .object({ currency: z.string().regex(/^[A-Z]{3}$/), value: z.string().regex(/^\d{1,12}(\.\d{1,4})?$/) })
  .transform(({ currency, value }) => ({ currency, amount: toMinorUnits(Number(value), currency) }))

export const Customer = z.object({ id: z.string() })

export const Payment = z.object({
  id: z.string(),
  status: z.enum(['open', 'pending', 'authorized', 'paid', 'canceled', 'expired', 'failed']),
  sequenceType: z.enum(['oneoff', 'first', 'recurring']),
  description: z.string(),
  amount: Amount,
  amountRefunded: Amount.nullish(),
  amountChargedBack: Amount.nullish(),
  customerId: z.string().nullish(),
  mandateId: z.string().nullish(),
  metadata,
  createdAt: time,
  paidAt: time.nullish(),
  _links: z.object({ checkout: z.object({ href: z.url() }).nullish() }),
})
export type Payment = z.output<typeof Payment>

export const Subscription = z.object({
  id: z.string(),
  customerId: z.string(),
  status: z.enum(['pending', 'active', 'canceled', 'suspended', 'completed']),
  amount: Amount,
  startDate: date,
  nextPaymentDate: date.nullish(),
  canceledAt: time.nullish(),
  metadata,
  createdAt: time,
})
export type Subscription = z.output<typeof Subscription>

export const Payments = z.object({ _embedded: z.object({ payments: z.array(Payment) }) })
export const Subscriptions = z.object({ _embedded: z.object({ subscriptions: z.array(Subscription) }) })

/** What we write on every payment of a page of ours. */
export const Sale = z.object({ checkout_id: z.uuid(), paywall_id: z.string(), user_id: z.string() })

/** On a first payment also: what the subscription that it begins is to be. */
export const FirstSale = Sale.extend({
  interval: z.enum(INTERVALS),
  interval_count: z.int().min(1),
  trial_days: z.int().min(0),
  renewal: z.object({ currency: z.string(), value: z.string() }),
  /** When the buyer cancelled, if that was before there was a subscription to end. */
  canceled_at: time.optional(),
})
export type FirstSale = z.output<typeof FirstSale>

/** What we write on a subscription, and Mollie on each payment of it. */
export const Renewal = Sale.extend({ first_payment: z.string() })

function fromText(written: unknown): unknown {
  if (typeof written !== 'string') return written
  try {
    return JSON.parse(written)
  } catch {
    // Somebody else's words: no sale of ours.
    return written
  }
}
