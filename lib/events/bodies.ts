import * as z from 'zod'
import { currency, Purchase, time } from '../purchases/purchase.ts'
import type { EventType } from './types.ts'

const id = z.string().regex(/^evt_[0-9a-f]{32}$/)

const user = z
  .object({ id: z.uuid(), email: z.string().nullable().describe('Null for an anonymous user') })
  .describe('Whom it is about')

const guest = z
  .object({ id: z.uuid().nullable().describe('Null for a guest'), email: z.string().nullable() })
  .describe('Whom it is about')

/** What every event is about, besides the thing that it is named after. */
const about = {
  paywall_id: z.string(),
  user,
  sequence: z
    .int()
    .min(1)
    .describe(
      "Numbers a user's events on a paywall, from 1, without gaps. A guest's events have no order, and are all 1",
    ),
}

const eventOf = <Data extends z.ZodRawShape>(noun: string, data: Data) =>
  z.object({
    id: id.describe('The same as in `webhook-id`: the same however often it is sent'),
    type: z.string().regex(new RegExp(`^${noun}\\.[a-z_]+$`)),
    timestamp: time.describe('When it happened'),
    data: z.object({ ...about, ...data }).describe('As it was when it happened'),
  })

export const SubscriptionEvent = eventOf('subscription', {
  subscription: Purchase,
  previous: Purchase.optional().describe('What it was before, where it has changed'),
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
    .describe('A money fact, told once'),
})

export const CheckoutEvent = eventOf('checkout', {
  checkout: z
    .object({
      id: z.uuid().describe('What `__SESSION__` is replaced by'),
      price_id: z.string(),
      purchase_id: z.uuid(),
      amount: z.int().min(0).describe('What the page asked for, in minor currency units'),
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
      customer_email: z.string().nullable().describe('Where the sender can be answered; null for an anonymous user'),
      attachments: z.array(
        z.object({
          key: z.string().describe('What `paywall tickets` gets it by'),
          file_name: z.string(),
          media_type: z.string(),
          size: z.int().min(1).describe('In bytes'),
        }),
      ),
      created_at: time,
    })
    .describe('The ticket, whole'),
})

export const BalanceEvent = eventOf('balance', {
  balance: z
    .object({
      type: z.string().describe('The type of tokens'),
      count: z.int().min(0).describe('How many there are now'),
      delta: z.int().describe('How many were added, or taken away'),
      reason: z.enum(['top_up', 'plan', 'credit', 'debit', 'merge']),
    })
    .describe('A change of a balance'),
})

/** What each type of event means. */
export const EVENT_MEANINGS: Record<EventType, string> = {
  'subscription.created': 'A subscription began, on trial or paid',
  'subscription.updated':
    'A subscription changed in a way that has no event of its own: a new period that waits to be paid is one',
  'subscription.renewed': 'A new period of a subscription was paid',
  'subscription.trial_ending': 'A trial is about to end',
  'subscription.cancel_scheduled': 'A subscription will end with its period',
  'subscription.uncanceled': 'A subscription that was going to end will be renewed after all',
  'subscription.past_due': 'A payment of a subscription is overdue',
  'subscription.ended': 'A subscription is over',
  'payment.succeeded': 'A payment was made',
  'payment.failed': 'A payment failed',
  'payment.refunded': 'A payment was given back',
  'payment.disputed': 'A payment was disputed by the buyer',
  'checkout.completed': 'Something was bought on a hosted page',
  'ticket.created': 'A user or a guest opened a support ticket',
  'balance.changed': 'A balance changed. Sent only to endpoints that ask for it by name',
}
