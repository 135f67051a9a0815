import * as z from 'zod'
import { currency, time } from '../../lib/access/purchase.ts'
import type { GateRefusal } from '../../lib/auth/gate.ts'
import { callerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { MAX_QUANTITY } from '../../lib/http/input-limits.ts'
import { idempotencyErrors } from '../../lib/http/shared-errors.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import type { Identity, MemberRefusal } from '../../lib/members/member.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'
import { INTERVALS, PURCHASE_STATUSES } from '../../lib/processors/processor.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

export const PATH = '/api/v1/paywall/:id/change-plan'

/**
 * Why a plan is not changed: see plan-change-order.sql and claim-plan-change.sql. `several_subscriptions`: the call names none of them.
 * `unsupported`: its processor cannot change plans, or not in this way. `unschedulable`: the processor can do so at once only.
 * `same_price`: it has this price and quantity. `not_per_unit`: several units of a price that is sold one at a time. `other_currency`: the
 * price is not sold in the subscription's currency. `unchangeable`: it is past due, paused, pending, or about to be replaced or ended.
 * `cancelled`: its end is scheduled, and its processor cannot change plans then.
 */
export type OrderRefusal =
  | GateRefusal
  | MemberRefusal
  | 'unknown_subscription'
  | 'several_subscriptions'
  | 'unsupported'
  | 'unschedulable'
  | 'unknown_price'
  | 'same_price'
  | 'other_currency'
  | 'unchangeable'
  | 'cancelled'
  | 'too_many_changes'
  | 'not_per_unit'

export type ClaimRefusal = OrderRefusal | 'key_reused' | 'key_required' | 'quote_expired'

type ChangeRefusal = ClaimRefusal | 'no_credential' | 'anonymous' | 'bad_token' | 'plan_changing' | 'declined'

/** The error for each refusal. */
export const errors = defineErrors<ChangeRefusal>({
  ...callerErrors,
  ...memberErrors,
  ...idempotencyErrors,
  anonymous: [
    403,
    'Unauthorized',
    "The token's user is anonymous. This requires a user with an e-mail address or an external id",
  ],
  key_required: [400, 'idempotency_key_required', 'A live paywall requires an `Idempotency-Key`'],
  several_subscriptions: [
    400,
    'subscriptionId is required',
    'The user has several subscriptions on the paywall: send the one to change as `subscriptionId`',
  ],
  unknown_subscription: [404, 'Subscription not found', 'The user has no such subscription on the paywall'],
  unknown_price: [
    404,
    'price_not_found',
    'The paywall does not sell this price, or no longer does. Read bootstrap again',
  ],
  unsupported: [
    403,
    'plan_change_unavailable',
    "The subscription's processor, named in `acquiring`, cannot change plans through its API, or not in this way, or is " +
      "not the paywall's any more. One that keeps no credit makes no change at once whose credit exceeds the new price",
  ],
  unschedulable: [
    403,
    'plan_change_unavailable',
    "The subscription's processor, named in `acquiring`, changes plans at once only, and `when` is `period_end`, which is " +
      'the default for a lower price',
  ],
  same_price: [409, 'price_unchanged', 'The subscription has this price and quantity already'],
  other_currency: [409, 'currency_mismatch', "The price is not sold in the subscription's currency"],
  unchangeable: [
    409,
    'subscription_not_changeable',
    'The subscription is past due, paused or about to be replaced, so its plan cannot be changed: see `status`',
  ],
  cancelled: [
    409,
    'subscription_cancelled',
    "The subscription's end is scheduled, and its processor, named in `acquiring`, changes no plan then. The cancellation " +
      'has to be undone first',
  ],
  quote_expired: [
    409,
    'quote_expired',
    'The quote has expired or was used, the subscription has changed since, or another amount would be charged. Nothing has ' +
      'changed: request another preview',
  ],
  not_per_unit: [400, 'Invalid quantity', 'The price is not sold per unit: its `per_unit` is false'],
  too_many_changes: [
    429,
    'rate_limit_exceeded',
    'The user has made 20 previews and changes of its plan in ten minutes. Wait for the time in `Retry-After`',
  ],
  plan_changing: [
    409,
    'plan_change_in_progress',
    'A change of this subscription is under way, perhaps until a direct debit is paid. Repeat the call after the time in ' +
      '`Retry-After`',
  ],
  declined: [
    402,
    'payment_declined',
    'The charge was declined. The plan is unchanged: the buyer has to update the card in the portal first',
  ],
})

const PRICE_ID_LENGTH = 100
const SUBSCRIPTION_ID_LENGTH = 255

describeCodes({
  'Invalid priceId format': `\`priceId\` must be a string of at most ${PRICE_ID_LENGTH} characters`,
  'Invalid subscriptionId': `\`subscriptionId\` must be a string of at most ${SUBSCRIPTION_ID_LENGTH} characters`,
  'Invalid quantity': `\`quantity\` must be an integer from 1 to ${MAX_QUANTITY}`,
  'Invalid when': '`when` must be `now` or `period_end`',
  'Invalid preview': '`preview` must be true or false',
  'Invalid quote': '`quote` must be the `quote` of a preview',
})

/** Absent, null and empty are equivalent. */
const identifier = z
  .string('identity_required')
  .nullish()
  .transform((text) => text || undefined)

const change = z.object(
  {
    email: identifier
      .pipe(email.optional())
      .describe(
        "With an owner key: the user's e-mail address. At least one of `email`, `userId` and `externalId` is required",
      ),
    userId: identifier.describe("With an owner key: the user's id. All identifiers must belong to the same user"),
    externalId: externalIdOr('Invalid externalId').describe('With an owner key: your own id of the user'),
    priceId: z
      .string('Invalid priceId format')
      .min(1, 'Invalid priceId format')
      .max(PRICE_ID_LENGTH, 'Invalid priceId format')
      .describe(
        'The new price: a `prices[].id` from bootstrap that has an `interval`. The price that the subscription has, with ' +
          'its quantity, undoes a scheduled change',
      ),
    subscriptionId: z
      .string('Invalid subscriptionId')
      .max(SUBSCRIPTION_ID_LENGTH, 'Invalid subscriptionId')
      .nullish()
      .transform((id) => id || undefined)
      .describe("The purchase's `id`. Required only if the user has several subscriptions on the paywall"),
    quantity: z
      .int('Invalid quantity')
      .min(1, 'Invalid quantity')
      .max(MAX_QUANTITY, 'Invalid quantity')
      .nullish()
      .transform((quantity) => quantity ?? undefined)
      .describe(
        'The new number of units. The same price with another quantity is a change of plan, too. Default: that of the subscription ' +
          'if the new price has `per_unit`, else 1',
      ),
    when: z
      .enum(['now', 'period_end'], 'Invalid when')
      .nullish()
      .describe(
        '`now`: the unused time is credited, and the difference is charged at once. `period_end`: the subscription ' +
          'renews at the new price. Default: `now` if the new price times its quantity is higher per day, else `period_end`, which a ' +
          'processor that changes plans at once only refuses',
      ),
    preview: z
      .boolean('Invalid preview')
      .nullish()
      .transform((preview) => preview ?? false)
      .describe('True to change nothing and get what the change would cost. Default false'),
    quote: z
      .uuid('Invalid quote')
      .nullish()
      .transform((quote) => quote || undefined)
      .describe(
        'The `quote` of a preview: what it showed is charged, or nothing is and the response is 409. If it was an ' +
          '`estimate`, the amount may differ',
      ),
  },
  'invalid_body',
)

/** The body of an owner's call. */
export const OwnerBody = change.refine((body) => body.email || body.userId || body.externalId, 'identity_required')

/** The body of a user's call. The token identifies the user, so the names in it are ignored. */
export const UserBody = change.omit({ email: true, userId: true, externalId: true })

export type ChangeRequest = Identity & z.output<typeof UserBody>

const Money = z.object({ amount: z.int().min(0).describe('In minor units of the currency'), currency })

const Plan = z.object({
  price_id: z.string(),
  price_slug: z.string(),
  unit_amount: z.int().min(0).describe('The price of one unit per billing period, in minor units of the currency'),
  quantity: z.int().min(0).describe('How many units it is charged for'),
  currency,
  interval: z.enum(INTERVALS),
  interval_count: z.int().min(1),
})

const PlanBefore = Plan.extend({
  price_id: z.string().nullable().describe('Null if no price of the paywall matches what is charged'),
  price_slug: z.string().nullable(),
})

const When = z
  .enum(['now', 'period_end'])
  .describe('As requested, or the default. Always `period_end` if the subscription keeps its price and quantity')

export const Preview = z.object({
  quote: z
    .uuid()
    .describe(
      'Send it with the change: exactly this is charged, or nothing. If it is an `estimate`, the amount may differ',
    ),
  subscription_id: z.uuid().describe("The purchase's `id`"),
  from: PlanBefore.describe('The current price'),
  to: Plan.describe('The new price'),
  when: When,
  effective_at: time.describe('When the new price applies'),
  due_now: Money.describe('What is charged at once, with taxes, after the credit'),
  credit: Money.describe('The credit for the unused time of the current period, included in `due_now`'),
  next: z.object({ amount: z.int().min(0), currency, at: time }).describe('The next charge'),
  estimate: z
    .boolean()
    .describe('Whether the processor may charge another amount: then the quote only fixes the price and the date'),
  undoes_cancellation: z.boolean().describe('Whether the subscription is cancelled, which the change would undo'),
  expires_at: time.describe('When the quote expires'),
})

export const Changed = z.object({
  subscription_id: z.uuid().describe("The purchase's `id`: it stays the same"),
  from: PlanBefore.describe('The price before'),
  to: Plan.describe('The new price'),
  when: When,
  checkoutUrl: z
    .url()
    .nullable()
    .describe(
      'A page of the processor where the buyer must confirm or pay the difference: the plan changes once that is ' +
        'done, or it has changed and the subscription is past due until then. Null if the buyer has nothing left to do',
    ),
  pending: z
    .boolean()
    .describe(
      'Whether the difference is being collected, which takes days by direct debit: the plan changes once it is paid',
    ),
})

export const Reply = z.union([Preview, Changed])

const status = z.object({ status: z.enum(PURCHASE_STATUSES).describe("The subscription's status") })
const processor = z.object({ acquiring: z.enum(PROCESSOR_NAMES).describe("The subscription's processor") })

const plan = { quantity: 1, currency: 'USD', interval: 'month', interval_count: 1 } as const
const example = {
  quote: '9c1f0e0a-52a4-4c39-9d0e-3f3f0a4a9b61',
  subscription_id: '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11',
  from: { price_id: 'price_3f1c9a2b7d4e5f60718293a4', price_slug: 'monthly', unit_amount: 999, ...plan },
  to: { price_id: 'price_8d4e5f60718293a43f1c9a2b', price_slug: 'team', unit_amount: 2999, ...plan },
  when: 'now',
  effective_at: '2026-11-14T12:30:00.000Z',
  due_now: { amount: 1133, currency: 'USD' },
  credit: { amount: 566, currency: 'USD' },
  next: { amount: 2999, currency: 'USD', at: '2026-12-01T09:00:00.000Z' },
  estimate: false,
  undoes_cancellation: false,
  expires_at: '2026-11-14T12:45:00.000Z',
} satisfies z.input<typeof Preview>

export const operations: ApiOperation[] = [
  {
    id: 'changePlan',
    method: 'post',
    path: PATH,
    tag: 'Subscription',
    summary: 'Change the plan of a subscription',
    description:
      'Moves a subscription to another price of the paywall; no second subscription is created. With `preview: true` ' +
      'nothing changes, and the response says what the change would cost. A change with the `quote` of a preview ' +
      'charges exactly what was shown, or nothing; if the preview is an `estimate`, the amount may differ. Anonymous ' +
      'users cannot change plans. A scheduled cancellation is undone where the processor can do that in the same ' +
      'call. A retry with the same `Idempotency-Key` within 24 hours returns the first response; while the first call ' +
      'is running, a retry waits up to 5 seconds for it. Live paywalls require the key, except for previews. A user ' +
      'may make 20 previews and changes per ten minutes; an owner has no limit.',
    access: ['owner', 'user'],
    bodies: { ChangePlanByOwner: OwnerBody, ChangePlanByUser: UserBody },
    example: {
      email: 'ada@example.com',
      priceId: 'price_8d4e5f60718293a43f1c9a2b',
      preview: true,
    } satisfies z.input<typeof OwnerBody>,
    idempotent: true,
    reply: {
      status: 200,
      description: 'What the change costs, or the changed plan',
      body: { name: 'PlanChange', schema: Reply, example },
    },
    errors,
    details: { unchangeable: status, unsupported: processor, unschedulable: processor, cancelled: processor },
    retried: ['plan_changing'],
    ifResponseLost:
      'If the claim of a change was stored and only its response was lost, a retry is answered 409 ' +
      '`plan_change_in_progress` for up to 60 seconds, and then changes the plan once. A quote that was sent without ' +
      '`Idempotency-Key` is used up.',
    needs: ['processor'],
  },
]
