import * as z from 'zod'
import type { EventType } from '../../../lib/events/types.ts'
import { currency, Purchase, time } from '../../../lib/purchases/purchase.ts'

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

const eventOf = <Data extends z.ZodRawShape>(noun: string, data: Data) =>
  z.object({
    id: id.describe('The id of the event, as in the header `webhook-id`: the same with every retry'),
    type: z.string().regex(new RegExp(`^${noun}\\.[a-z_]+$`)),
    timestamp: time.describe('When it happened'),
    data: z.object({ ...about, ...data }).describe('The state at that time'),
  })

export const SubscriptionEvent = eventOf('subscription', {
  subscription: Purchase,
  previous: Purchase.optional().describe('The subscription before the change'),
})

export const PaymentEvent = eventOf('payment', {
  payment: z
    .object({
      id: z.uuid(),
      purchase_id: z.uuid(),
      amount: z.int().min(0).describe('In minor currency units'),
      currency,
      occurred_at: time,
    })
    .describe('A payment that was made, failed, was refunded or disputed'),
})

export const CheckoutEvent = eventOf('checkout', {
  checkout: z
    .object({
      id: z.uuid().describe('The value that replaced `__SESSION__` in your URLs'),
      price_id: z.string(),
      purchase_id: z.uuid(),
      features: z.array(z.string()).describe('The features of the price that was sold'),
      amount: z.int().min(0).describe('What the page charged, in minor units of the currency'),
      currency,
      shop_url: z.string().nullable().describe('The `shopUrl` that start-checkout was given'),
      completed_at: time,
    })
    .describe('A hosted page on which something was bought'),
})

export const TicketEvent = eventOf('ticket', {
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

export const BalanceEvent = eventOf('balance', {
  balance: z
    .object({
      type: z.string().describe('The type of tokens'),
      count: z.int().min(0).describe('How many tokens the user has now'),
      delta: z.int().describe('How many tokens were added; negative if some were taken away'),
      reason: z
        .enum(['top_up', 'plan', 'trial', 'credit', 'debit', 'merge'])
        .describe(
          '`top_up`: the daily top-up. `plan`: the tokens of a price, for a period that was paid. `trial`: those for a trial. `credit`, `debit`: a call. `merge`: an ' +
            'anonymous user signed in as another one',
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
  'subscription.ended': 'A subscription has ended',
  'payment.succeeded': 'A payment was made',
  'payment.failed': 'A payment failed',
  'payment.refunded': 'A payment was refunded',
  'payment.disputed': 'The buyer disputed a payment',
  'checkout.completed': 'Something was bought on a hosted page',
  'ticket.created': 'A user or a guest opened a support ticket',
  'balance.changed': 'A balance changed. Sent only to webhook endpoints that ask for it by name',
}
