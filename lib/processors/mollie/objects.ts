import * as z from 'zod'
import { toMinorUnits } from '../../money/money.ts'
import { processorId } from '../event.ts'
import { INTERVALS } from '../processor.ts'

/** The fields of Mollie's objects that we rely on. */

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))
const date = z.iso.date().transform((text) => new Date(text))

/** The seller's own data. Mollie may return an object as its JSON text, as its examples show. */
const metadata = z.unknown().optional().transform(fromText)

/** Mollie writes an amount as text with the currency's decimals; this makes minor units of it. */
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

/** The metadata that we put on every payment of a hosted page. */
export const Sale = z.object({ checkout_id: z.uuid(), paywall_id: z.string(), user_id: z.string() })

/** The metadata of a first payment: it also describes the subscription that is made once it is paid. */
export const FirstSale = Sale.extend({
  interval: z.enum(INTERVALS),
  interval_count: z.int().min(1),
  trial_days: z.int().min(0),
  renewal: z.object({ currency: z.string(), value: z.string() }),
  /** When the buyer cancelled, if that was before the subscription was made. */
  canceled_at: time.optional(),
})
export type FirstSale = z.output<typeof FirstSale>

/** The metadata that we put on a subscription. Mollie copies it to each of its payments. */
export const Renewal = Sale.extend({ first_payment: processorId })

function fromText(written: unknown): unknown {
  if (typeof written !== 'string') return written
  try {
    return JSON.parse(written)
  } catch {
    // Text that is not JSON was not written by us, so this is not one of our sales.
    return written
  }
}
