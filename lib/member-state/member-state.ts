import * as z from 'zod'
import { Purchase, time } from '../access/purchase.ts'

export const Balance = z
  .object({
    type: z.string().describe('The type of tokens'),
    count: z.int().min(0).describe('How many tokens the user has'),
  })
  .describe("A user's balance of one type of tokens on a paywall")

export const Trial = z
  .object({
    purchase_id: z.uuid().describe('The purchase that is on trial'),
    started_at: time,
    ends_at: time,
    days_left: z.int().min(0).describe('Whole days left, rounded up'),
  })
  .describe('A running trial')

/** What a member has, as user and bootstrap report it (contract section 2). */
export const MemberState = z.object({
  purchases: z.array(Purchase).describe('All purchases that the user ever made on this paywall, the latest first'),
  being_replaced: z
    .array(z.uuid())
    .describe(
      'The subscriptions, by id, that a newer purchase replaces (`ignoreActivePurchase`) while their processor has yet to confirm ' +
        'it: they do not renew, and `cancel_at_period_end` or `canceled` follows',
    ),
  paid: z
    .boolean()
    .describe(
      'Whether a purchase gives the user access now, a subscription or a one-time purchase: one that is paid, on trial, or not ' +
        'long past due. Let users in by this',
    ),
  features: z
    .array(z.string())
    .describe('The features of all purchases that give the user access now, sorted, each once'),
  balances: z.array(Balance).describe('All balances on this paywall, by type'),
  trial: Trial.nullable().describe('The trial that ends last, if several run. Null: none runs'),
})

export type MemberState = z.output<typeof MemberState>
