import type * as z from 'zod'
import { EXAMPLE_GRANT } from '../../../functions/grants/contract.ts'
import { EXAMPLE_PAYMENT, EXAMPLE_PURCHASE } from '../../../functions/user/contract.ts'
import type { Purchase } from '../../../lib/access/purchase.ts'
import type { EventType } from '../../../lib/events/types.ts'
import { EXAMPLE_PAYWALL } from './parameters.ts'
import type { Json } from './schemas.ts'

/** When most of the examples happen. */
const NOW = '2026-11-15T12:00:00.000Z'

const YEARLY = {
  price_id: 'price_8d2e6c40a1b3f5970e6d4c2b',
  price_slug: 'yearly',
  interval: 'year',
  unit_amount: 9900,
  current_period_end: '2027-11-15T12:00:00.000Z',
  access_until: '2027-11-18T12:00:00.000Z',
} satisfies Partial<z.input<typeof Purchase>>
const SCHEDULED = {
  scheduled_change: {
    price_id: YEARLY.price_id,
    price_slug: YEARLY.price_slug,
    quantity: 1,
    effective_at: EXAMPLE_PURCHASE.current_period_end,
  },
} satisfies Change
const RENEWED = { current_period_end: '2027-01-01T09:00:00.000Z', access_until: '2027-01-04T09:00:00.000Z' }
const TRIAL = { status: 'trialing', trial_end: EXAMPLE_PURCHASE.current_period_end } as const
const PAST_DUE = { status: 'past_due', access_until: '2026-12-08T09:00:00.000Z' } as const
const CANCELLED = {
  cancel_at_period_end: true,
  cancel_at: EXAMPLE_PURCHASE.current_period_end,
  canceled_at: NOW,
  access_until: EXAMPLE_PURCHASE.current_period_end,
}
const ENDED = { ...CANCELLED, status: 'canceled' } as const

type Change = Partial<z.input<typeof Purchase>>

/** The data of an event about a subscription. `before` is what the event changed, as it was before. */
const subscription = (now: Change = {}, before?: Change): Json => ({
  subscription: { ...EXAMPLE_PURCHASE, ...now },
  ...(before && { previous: { ...EXAMPLE_PURCHASE, ...before } }),
})

const payment = (more: Json = {}): Json => ({
  payment: {
    id: '9b1d6f0c-7a34-4c52-8f0e-2d3c4b5a6978',
    processor_id: 'in_1QX2ab3CdE4fGh5I',
    purchase_id: EXAMPLE_PURCHASE.id,
    purchase_status: 'active',
    price_slug: 'monthly',
    amount: 999,
    tax: null,
    discount: null,
    receipt_url: null,
    currency: 'USD',
    refunded_amount: 0,
    refunded: false,
    occurred_at: NOW,
    ...more,
  },
})

const grant = (more: Json = {}): Json => ({
  grant: { ...EXAMPLE_GRANT, reason: 'Apology for the outage', end_reason: null, ...more },
})

const { tax, discount, receipt_url } = EXAMPLE_PAYMENT
const PAID = { tax, discount, receipt_url }
const RETURNED = { refunded_amount: 999, refunded: true }

/** The data of an example of each event, besides the user. */
const DATA: Record<EventType, Json> = {
  'subscription.created': subscription(),
  'subscription.updated': subscription(RENEWED, {}),
  'subscription.renewed': subscription(RENEWED, {}),
  'subscription.trial_ending': subscription(TRIAL),
  'subscription.cancel_scheduled': subscription(CANCELLED, {}),
  'subscription.uncanceled': subscription({}, CANCELLED),
  'subscription.past_due': subscription(PAST_DUE, {}),
  'subscription.access_ended': subscription(PAST_DUE, PAST_DUE),
  'subscription.recovered': subscription(RENEWED, PAST_DUE),
  'subscription.plan_changed': subscription(YEARLY, {}),
  'subscription.plan_change_scheduled': subscription(SCHEDULED, {}),
  'subscription.ended': subscription(ENDED, CANCELLED),
  'subscription.stop_failed': subscription(),
  'payment.succeeded': payment(PAID),
  'payment.failed': payment({ purchase_status: 'past_due' }),
  'payment.refunded': payment({ amount: 400, refunded_amount: 400 }),
  'payment.refund_failed': payment({ amount: 400 }),
  'payment.disputed': payment(),
  'payment.dispute_lost': payment(RETURNED),
  'payment.dispute_won': payment(),
  'payment.unexpected': payment({ ...PAID, purchase_status: 'canceled' }),
  'checkout.completed': {
    checkout: {
      id: '2c9a7f10-5e6b-4d3a-9c81-7b6a5d4e3f21',
      price_id: EXAMPLE_PURCHASE.price_id,
      price_slug: 'monthly',
      purchase_id: EXAMPLE_PURCHASE.id,
      features: ['export'],
      quantity: 1,
      amount: 999,
      currency: 'USD',
      shop_url: null,
      duplicate_of: null,
      offer: null,
      completed_at: NOW,
    },
  },
  'grant.created': grant(),
  'grant.ended': grant({ ended_at: EXAMPLE_GRANT.ends_at }),
  'ticket.created': {
    ticket: {
      id: 42,
      status: 'open',
      subject: 'No receipt',
      content: 'I paid yesterday and got no receipt.',
      customer_email: 'ada@example.com',
      attachments: [],
      created_at: NOW,
    },
  },
  'balance.changed': { balance: { type: 'standard', count: 495, delta: -5, reason: 'debit' } },
  'user.merged': {
    merged_user: { id: '5e2f8b71-93c4-4d06-a1b7-6f0e9d8c7b3a', email: null, external_id: null },
  },
  'webhook.ping': {
    user: { id: null, email: null, external_id: null },
    webhook: { id: '2f1c6f0e-3f0b-4f6e-8a55-0f6d3c1f9b1a', url: 'https://acme.com/webhooks' },
  },
}

/** When the examples happen that belong to the end of the period. */
const TIMES: Partial<Record<EventType, string>> = {
  'subscription.trial_ending': '2026-11-28T09:00:00.000Z',
  'subscription.updated': EXAMPLE_PURCHASE.current_period_end,
  'subscription.past_due': '2026-12-01T10:00:00.000Z',
  'subscription.renewed': '2026-12-01T10:00:00.000Z',
  'subscription.access_ended': PAST_DUE.access_until,
  'subscription.recovered': '2026-12-10T08:00:00.000Z',
  'subscription.ended': EXAMPLE_PURCHASE.current_period_end,
  'grant.ended': EXAMPLE_GRANT.ends_at,
}

/** An example of an event, as it is delivered. */
export const eventExample = (type: EventType): Json => ({
  id: 'evt_6f1d2c3b4a5968778695a4b3c2d1e0f9',
  type,
  timestamp: TIMES[type] ?? NOW,
  is_test: false,
  data: {
    paywall_id: EXAMPLE_PAYWALL,
    user: { id: '0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e', email: 'ada@example.com', external_id: null },
    sequence: 7,
    ...DATA[type],
  },
})
