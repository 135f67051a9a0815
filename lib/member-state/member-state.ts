import * as z from 'zod'
import { PurchaseWithPayment, time } from '../access/purchase.ts'
import { Grant } from '../grants/grant.ts'

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
  grants: z
    .array(Grant)
    .describe('The access without a payment that the user has now (`createGrant`), the grant that ends last first'),
  being_replaced: z
    .array(z.uuid())
    .describe(
      'Ids of subscriptions that a newer purchase replaces (`ignoreActivePurchase`), until their processor has confirmed ' +
        'it. They do not renew: `cancel_at_period_end` or `canceled` follows',
    ),
  paid: z
    .boolean()
    .describe(
      'Whether the user has access now: by a purchase that is paid, on trial, or past due within its grace period, or ' +
        'by a grant. Enough to check if you sell one product. If plans differ, check `features`, in the SDK with `can`',
    ),
  access_until: time
    .nullable()
    .describe(
      'When the access that the user has now ends, as currently known: the latest `access_until` of the purchases and ' +
        '`ends_at` of the grants that give it. Null if it has no end, and if `paid` is false',
    ),
  features: z
    .array(z.string())
    .describe('Features of all purchases and grants that give access now, sorted and without duplicates'),
  balances: z.array(Balance).describe('All balances on this paywall, sorted by type'),
  trial: Trial.nullable().describe('The trial that ends last, if there are several. Null if there is none'),
})

export type MemberState = z.output<typeof MemberState>
