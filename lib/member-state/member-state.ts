import * as z from 'zod'
import { PurchaseWithPayment, time } from '../access/purchase.ts'

export const Balance = z
  .object({
    type: z.string().describe('Token type'),
    count: z.int().min(0).describe('Number of tokens'),
  })
  .describe("A user's balance of one token type on a paywall")

export const Trial = z
  .object({
    purchase_id: z.uuid().describe('The purchase on trial'),
    started_at: time,
    ends_at: time,
    days_left: z.int().min(0).describe('Days left, rounded up'),
  })
  .describe('A running trial')

/** A member's state, as user and bootstrap return it (contract section 2). */
export const MemberState = z.object({
  purchases: z.array(PurchaseWithPayment).describe("All of the user's purchases on this paywall, latest first"),
  being_replaced: z
    .array(z.uuid())
    .describe(
      'Ids of subscriptions that a newer purchase replaces (`ignoreActivePurchase`), until their processor has confirmed ' +
        'it. They do not renew: `cancel_at_period_end` or `canceled` follows',
    ),
  paid: z
    .boolean()
    .describe(
      'Whether any purchase gives the user access now: one that is paid, on trial, or past due within its grace ' +
        'period. Enough to check if you sell one product. If plans differ, check `features`, in the SDK with `can`',
    ),
  features: z
    .array(z.string())
    .describe('Features of all purchases that give access now, sorted and without duplicates'),
  balances: z.array(Balance).describe('All balances on this paywall, sorted by type'),
  trial: Trial.nullable().describe('The trial that ends last, if there are several. Null if there is none'),
})

export type MemberState = z.output<typeof MemberState>
