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

/** The schema of a type of events. `data` is its own fields, besides those that all events have. */
const toEventSchema = <Type extends EventType, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({
    id: id.describe('The id of the event, as in the header `webhook-id`. It is the same in every retry'),
    type: z.literal(type),
    timestamp: time.describe('When the event happened'),
    is_test: z.boolean().describe('Whether the paywall is a test paywall, where no real money is charged'),
    data: z.object({ ...about, ...data }).describe('The state at that time'),
  })

/** An event about a subscription that begins, or that has not changed. */
const subscriptionEvent = (type: EventType) => toEventSchema(type, { subscription: Purchase })

const subscriptionChange = (type: EventType) =>
  toEventSchema(type, { subscription: Purchase, previous: Purchase.describe('The subscription before the change') })

const Payment = z
  .object({
    id: z.uuid().describe('The id of the payment, the same in events about its failed attempts, refunds and disputes'),
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
    ...Receipt.shape,
    refunded_amount: z.int().min(0).describe('The part of the payment returned so far, by refunds and lost disputes'),
    refunded: z.boolean().describe('Whether the whole payment was returned'),
    occurred_at: time,
  })
  .describe('The payment')

/** A payment that succeeded: only that has taxes, a discount and a receipt. */
const paymentMade = (type: EventType) => toEventSchema(type, { payment: Payment })

const notMade = z.null().describe('Always null: only a payment that succeeded has it')

const paymentEvent = (type: EventType) =>
  toEventSchema(type, {
    payment: Payment.extend({ tax: notMade, discount: notMade, receipt_url: notMade }).describe('The payment'),
  })

const Checkout = z
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
  .describe('A hosted page on which something was bought')

const Ticket = z
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
  .describe('The whole ticket')

const ChangedBalance = z
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
  .describe('A change of a balance')

const nobody = z
  .object({ id: z.null(), email: z.null(), external_id: z.null() })
  .describe('Nobody: a test event is about no user')

/** The body of each type of events. */
export const EVENT_SCHEMAS: Record<EventType, z.ZodType> = {
  'subscription.created': subscriptionEvent('subscription.created'),
  'subscription.updated': subscriptionChange('subscription.updated'),
  'subscription.renewed': subscriptionChange('subscription.renewed'),
  'subscription.trial_ending': subscriptionEvent('subscription.trial_ending'),
  'subscription.cancel_scheduled': subscriptionChange('subscription.cancel_scheduled'),
  'subscription.uncanceled': subscriptionChange('subscription.uncanceled'),
  'subscription.past_due': subscriptionChange('subscription.past_due'),
  'subscription.access_ended': subscriptionChange('subscription.access_ended'),
  'subscription.recovered': subscriptionChange('subscription.recovered'),
  'subscription.plan_changed': subscriptionChange('subscription.plan_changed'),
  'subscription.plan_change_scheduled': subscriptionChange('subscription.plan_change_scheduled'),
  'subscription.ended': subscriptionChange('subscription.ended'),
  'subscription.stop_failed': subscriptionEvent('subscription.stop_failed'),
  'payment.succeeded': paymentMade('payment.succeeded'),
  'payment.failed': paymentEvent('payment.failed'),
  'payment.refunded': paymentEvent('payment.refunded'),
  'payment.refund_failed': paymentEvent('payment.refund_failed'),
  'payment.disputed': paymentEvent('payment.disputed'),
  'payment.dispute_lost': paymentEvent('payment.dispute_lost'),
  'payment.dispute_won': paymentEvent('payment.dispute_won'),
  'payment.unexpected': paymentMade('payment.unexpected'),
  'checkout.completed': toEventSchema('checkout.completed', { checkout: Checkout }),
  'ticket.created': toEventSchema('ticket.created', { user: guest, ticket: Ticket }),
  'balance.changed': toEventSchema('balance.changed', { balance: ChangedBalance }),
  'grant.created': toEventSchema('grant.created', { grant: GrantWithReason }),
  'grant.ended': toEventSchema('grant.ended', { grant: GrantWithReason }),
  'user.merged': toEventSchema('user.merged', {
    user: user.describe('The user that now has everything that the merged one had'),
    merged_user: user.describe('The user that was merged, as it was before. Its `id` refers to `user` from now on'),
  }),
  'webhook.ping': toEventSchema('webhook.ping', {
    user: nobody,
    webhook: z
      .object({ id: z.uuid(), url: z.string() })
      .describe('The webhook endpoint that the test event was sent to'),
  }),
}
