import * as z from 'zod'
import { currency, Purchase, Receipt, time } from '../../../lib/access/purchase.ts'
import type { EventType } from '../../../lib/events/types.ts'
import { GrantWithReason } from '../../../lib/grants/grant.ts'
import { PURCHASE_STATUSES } from '../../../lib/processors/processor.ts'

const id = z.string().regex(/^evt_[0-9a-f]{32}$/)

const externalId = z.string().nullable().describe('Your own id of the user. Null: you set none')

const user = z
  .object({
    id: z.uuid(),
    email: z.string().nullable().describe('Null for an anonymous user'),
    external_id: externalId,
  })
  .describe('The user that the event is about')

const guest = z
  .object({
    id: z.uuid().nullable().describe('Null for a guest'),
    email: z.string().nullable(),
    external_id: externalId,
  })
  .describe('The user or guest who opened the ticket')

const about = {
  paywall_id: z.string(),
  user,
  sequence: z
    .int()
    .min(1)
    .describe(
      "The number of the event among the user's events on the paywall: 1, 2, 3 and so on, without gaps. Always 1 for guests",
    ),
}

const toEventSchema = <Data extends z.ZodRawShape>(noun: string, data: Data) =>
  z.object({
    id: id.describe('The id of the event, as in the header `webhook-id`. It is the same in every retry'),
    type: z.string().regex(new RegExp(`^${noun}\\.[a-z_]+$`)),
    timestamp: time.describe('When the event happened'),
    is_test: z.boolean().describe('Whether the paywall is a test paywall, where no real money is charged'),
    data: z.object({ ...about, ...data }).describe('The state at that time'),
  })

export const SubscriptionEvent = toEventSchema('subscription', {
  subscription: Purchase,
  previous: Purchase.optional().describe('The subscription before the change'),
})

export const PaymentEvent = toEventSchema('payment', {
  payment: z
    .object({
      id: z
        .uuid()
        .describe('The id of the payment, the same in events about its failed attempts, refunds and disputes'),
      processor_id: z.string().describe("The processor's own id of the payment"),
      purchase_id: z.uuid(),
      purchase_status: z.enum(PURCHASE_STATUSES).describe('The status of the purchase after the event'),
      price_slug: z.string().nullable().describe('Null: the charge matches no price of the paywall'),
      amount: z
        .int()
        .min(0)
        .describe(
          'The amount that was paid, failed, was refunded or is disputed, in minor units of the currency. For a refund it is the amount of that refund',
        ),
      currency,
      tax: Receipt.shape.tax.describe(
        'The part of a payment that succeeded which is tax. Null if the processor does not report it, and for everything else',
      ),
      discount: Receipt.shape.discount.describe(
        'What was taken off the price before a payment that succeeded, without taxes. Null if the processor does not report it, and for everything else',
      ),
      receipt_url: Receipt.shape.receipt_url.describe(
        "The processor's page with the receipt of a payment that succeeded. Null if the processor reports none, and for everything else",
      ),
      refunded_amount: z.int().min(0).describe('The part of the payment returned so far, by refunds and lost disputes'),
      refunded: z.boolean().describe('Whether the whole payment was returned'),
      occurred_at: time,
    })
    .describe('The payment'),
})

export const CheckoutEvent = toEventSchema('checkout', {
  checkout: z
    .object({
      id: z.uuid().describe('The value that replaced `__SESSION__` in your URLs'),
      price_id: z.string(),
      price_slug: z.string().nullable(),
      purchase_id: z.uuid(),
      features: z.array(z.string()).describe('The features of the price that was sold'),
      quantity: z.int().min(0).describe('How many units of the price were sold'),
      amount: z
        .int()
        .min(0)
        .describe('The amount charged, including taxes and discounts, in minor units of the currency; 0 for a trial'),
      currency,
      shop_url: z.string().nullable().describe('The `shopUrl` that was sent to start-checkout'),
      duplicate_of: z
        .uuid()
        .nullable()
        .describe(
          'An earlier purchase of the user that is still running and that this checkout did not replace, because two pages were open ' +
            'before either was paid. We end neither of them: refund or cancel one',
        ),
      offer: z
        .object({
          id: z.string(),
          beyond_max: z
            .boolean()
            .describe(
              'Whether all uses of the offer, or all of this user, were taken when this was paid: its page had been open for more than a day, ' +
                'or the user has paid two pages, or one twice',
            ),
        })
        .nullable()
        .describe('The offer that took something off. Null if it was sold without one'),
      completed_at: time,
    })
    .describe('A hosted page on which something was bought'),
})

export const GrantEvent = toEventSchema('grant', { grant: GrantWithReason })

export const TicketEvent = toEventSchema('ticket', {
  user: guest,
  ticket: z
    .object({
      id: z.int(),
      status: z.literal('open'),
      subject: z.string(),
      content: z.string(),
      customer_email: z.string().nullable().describe('The address for the reply. Null for an anonymous user'),
      attachments: z.array(
        z.object({
          key: z.string().describe('The key with which `paywall tickets` fetches the file'),
          file_name: z.string(),
          media_type: z.string(),
          size: z.int().min(1).describe('In bytes'),
        }),
      ),
      created_at: time,
    })
    .describe('The whole ticket'),
})

export const BalanceEvent = toEventSchema('balance', {
  balance: z
    .object({
      type: z.string().describe('Token type'),
      count: z.int().min(0).describe('How many tokens the user has now'),
      delta: z.int().describe('How many tokens were added; negative for a debit'),
      reason: z
        .enum(['top_up', 'plan', 'trial', 'credit', 'debit', 'refund'])
        .describe(
          '`top_up`: the daily top-up. `plan`: the tokens of a price for a paid period. `trial`: the tokens for a trial. `credit`, `debit`: an API call. ' +
            '`refund`: tokens removed because of a refund, or restored because a refund failed',
        ),
    })
    .describe('A change of a balance'),
})

export const UserEvent = toEventSchema('user', {
  user: user.describe('The user that now has everything that the merged one had'),
  merged_user: user.describe('The user that was merged, as it was before. Its `id` refers to `user` from now on'),
})

export const EVENT_MEANINGS: Record<EventType, string> = {
  'subscription.created': 'A subscription began, with a trial or a payment',
  'subscription.updated':
    'A subscription changed in a way that no other event covers, such as a new period that is not paid yet, or a scheduled change ' +
    'of plan that was undone',
  'subscription.renewed': 'A new period of a subscription was paid',
  'subscription.trial_ending': 'A trial is about to end',
  'subscription.cancel_scheduled': 'A subscription is set to end with its current period',
  'subscription.uncanceled': 'The cancellation of a subscription was undone: it will renew',
  'subscription.past_due': 'A payment of a subscription is overdue',
  'subscription.access_ended':
    'The grace period of a past due subscription is over: it no longer gives access, while its processor keeps retrying the charge',
  'subscription.recovered': 'A subscription whose access had ended was paid',
  'subscription.plan_changed':
    'A subscription has another price or quantity, wherever it was changed. `price_slug` is null if it matches no price of the paywall: ' +
    'then the subscription keeps its features until the end of the paid period',
  'subscription.plan_change_scheduled':
    'A change of plan is scheduled, usually for the end of the current period: see `scheduled_change`',
  'subscription.ended': 'A subscription has ended',
  'subscription.stop_failed':
    'A subscription that a newer purchase replaced, or that you ended, could not be stopped at its processor for a day: its buyer ' +
    'may be charged for both. We keep retrying; check it in the dashboard',
  'payment.succeeded': 'A payment was made',
  'payment.failed': 'A payment failed',
  'payment.refunded': 'A payment was refunded',
  'payment.refund_failed': 'A refund failed after it had succeeded: the money was returned to you',
  'payment.disputed': 'The buyer disputed a payment',
  'payment.dispute_lost': 'A dispute was decided in favor of the buyer',
  'payment.dispute_won': 'A dispute was decided in your favor',
  'payment.unexpected':
    'A subscription that should no longer be charged was charged: the payment was pending when a newer purchase replaced it or ' +
    'when you ended it, or the subscription could not be stopped in time. Refund the payment',
  'checkout.completed': 'Something was bought on a hosted page',
  'grant.created': 'You gave a user access without a payment',
  'grant.ended':
    'Access without a payment has ended: its time is over, or you ended it, which `ended_at` before `ends_at` shows',
  'ticket.created': 'A user or a guest opened a support ticket',
  'balance.changed': 'A balance changed. Sent only to webhook endpoints that list this type by name',
  'user.merged':
    'A user was merged into another one, which now has its purchases, tickets, tokens and `meta`. All earlier events about the merged user ' +
    'arrive before this one, and none follow',
}
