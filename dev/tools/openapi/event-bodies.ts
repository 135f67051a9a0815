import * as z from 'zod'
import { currency, Purchase, time } from '../../../lib/access/purchase.ts'
import type { EventType } from '../../../lib/events/types.ts'
import { PURCHASE_STATUSES } from '../../../lib/processors/processor.ts'

const id = z.string().regex(/^evt_[0-9a-f]{32}$/)

const externalId = z.string().nullable().describe('Your own id of the user. Null: you gave none')

const user = z
  .object({
    id: z.uuid(),
    email: z.string().nullable().describe('Null for an anonymous user'),
    external_id: externalId,
  })
  .describe('The user whom the event is about')

const guest = z
  .object({
    id: z.uuid().nullable().describe('Null for a guest'),
    email: z.string().nullable(),
    external_id: externalId,
  })
  .describe('The user or guest who opened the ticket')

/** The fields of every event, besides the object that its type is named after. */
const about = {
  paywall_id: z.string(),
  user,
  sequence: z
    .int()
    .min(1)
    .describe(
      "Numbers a user's events on a paywall in their order: 1, 2, 3 and so on, without gaps. Events of guests all have 1",
    ),
}

const toEventSchema = <Data extends z.ZodRawShape>(noun: string, data: Data) =>
  z.object({
    id: id.describe('The id of the event, as in the header `webhook-id`: the same with every retry'),
    type: z.string().regex(new RegExp(`^${noun}\\.[a-z_]+$`)),
    timestamp: time.describe('When it happened'),
    is_test: z.boolean().describe('Whether it happened on a test paywall, where no money is real'),
    data: z.object({ ...about, ...data }).describe('The state at that time'),
  })

export const SubscriptionEvent = toEventSchema('subscription', {
  subscription: Purchase,
  previous: Purchase.optional().describe('The subscription before the change'),
})

export const PaymentEvent = toEventSchema('payment', {
  payment: z
    .object({
      id: z.uuid().describe('The same for a payment, its failed attempts, its refunds and its disputes'),
      processor_id: z.string().describe("The processor's own id of the payment"),
      purchase_id: z.uuid(),
      purchase_status: z.enum(PURCHASE_STATUSES).describe('The status of the purchase after this'),
      price_slug: z.string().nullable().describe('Null: no price of the paywall names what was charged for'),
      amount: z
        .int()
        .min(0)
        .describe(
          'What was paid, failed, went back or is disputed, in minor units of the currency: of a refund, its own amount',
        ),
      currency,
      refunded_amount: z.int().min(0).describe('What went back of the payment so far, by refunds and lost disputes'),
      refunded: z.boolean().describe('Whether all of the payment went back'),
      occurred_at: time,
    })
    .describe('A payment, and what became of it'),
})

export const CheckoutEvent = toEventSchema('checkout', {
  checkout: z
    .object({
      id: z.uuid().describe('The value that replaced `__SESSION__` in your URLs'),
      price_id: z.string(),
      price_slug: z.string().nullable(),
      purchase_id: z.uuid(),
      features: z.array(z.string()).describe('The features of the price that was sold'),
      amount: z
        .int()
        .min(0)
        .describe('What was charged, with taxes and after discounts, in minor units of the currency; 0 for a trial'),
      currency,
      shop_url: z.string().nullable().describe('The `shopUrl` that start-checkout was given'),
      duplicate_of: z
        .uuid()
        .nullable()
        .describe(
          'An earlier purchase of the user that is still running, although this checkout was not to replace it: two pages were open ' +
            'before either was paid. Neither is ended by us: refund one, or cancel it',
        ),
      completed_at: time,
    })
    .describe('A hosted page on which something was bought'),
})

export const TicketEvent = toEventSchema('ticket', {
  user: guest,
  ticket: z
    .object({
      id: z.int(),
      status: z.literal('open'),
      subject: z.string(),
      content: z.string(),
      customer_email: z.string().nullable().describe('The address for an answer. Null for an anonymous user'),
      attachments: z.array(
        z.object({
          key: z.string().describe('The key by which `paywall tickets` fetches the file'),
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
      type: z.string().describe('The type of tokens'),
      count: z.int().min(0).describe('How many tokens the user has now'),
      delta: z.int().describe('How many tokens were added; negative if some were taken away'),
      reason: z
        .enum(['top_up', 'plan', 'trial', 'credit', 'debit', 'merge', 'refund'])
        .describe(
          '`top_up`: the daily top-up. `plan`: the tokens of a price, for a period that was paid. `trial`: those for a trial. `credit`, `debit`: a call. `merge`: an ' +
            'anonymous user signed in as another one. `refund`: tokens that went back with the money, or came again as a refund failed',
        ),
    })
    .describe('A change of a balance'),
})

/** What each type of event means. */
export const EVENT_MEANINGS: Record<EventType, string> = {
  'subscription.created': 'A subscription began, on trial or paid',
  'subscription.updated':
    'A subscription changed in a way that no other event tells, such as a new period that is not paid yet',
  'subscription.renewed': 'A new period of a subscription was paid',
  'subscription.trial_ending': 'A trial is about to end',
  'subscription.cancel_scheduled': 'A subscription is set to end with its current period',
  'subscription.uncanceled': 'A subscription that was going to end will be renewed after all',
  'subscription.past_due': 'A payment of a subscription is overdue',
  'subscription.access_ended':
    'The grace period of a subscription that is past due is over: it gives no access any more, while its processor goes on trying',
  'subscription.recovered': 'A subscription whose access had ended is paid again',
  'subscription.plan_changed':
    'A subscription has another price, wherever that was changed. `price_slug` is null if no price of the paywall names it: ' +
    'then it keeps its features to the end of the period that is paid for',
  'subscription.ended': 'A subscription has ended',
  'subscription.stop_failed':
    'A subscription that a newer purchase replaced, or that you have ended, could not be stopped at its processor for a day: its buyer ' +
    'may be charged for both. It is tried again and again; look at it in the dashboard',
  'payment.succeeded': 'A payment was made',
  'payment.failed': 'A payment failed',
  'payment.refunded': 'A payment was refunded',
  'payment.refund_failed': 'A refund failed after it had succeeded: the money is yours again',
  'payment.disputed': 'The buyer disputed a payment',
  'payment.dispute_lost': 'A dispute was decided for the buyer',
  'payment.dispute_won': 'A dispute was decided for you',
  'payment.unexpected':
    'A payment went through of a subscription that was to be charged no more: it was on its way when a newer purchase replaced it, or ' +
    'when you ended it, or the subscription could not be stopped in time. Refund it',
  'checkout.completed': 'Something was bought on a hosted page',
  'ticket.created': 'A user or a guest opened a support ticket',
  'balance.changed': 'A balance changed. Sent only to webhook endpoints that ask for it by name',
}
