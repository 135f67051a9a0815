import * as z from 'zod'
import { type Purchase, type PurchaseWithPayment, time } from '../../lib/access/purchase.ts'
import type { GateRefusal } from '../../lib/auth/gate.ts'
import { callerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import { MemberState } from '../../lib/member-state/member-state.ts'
import type { MemberRefusal } from '../../lib/members/member.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

export const PATH = '/api/v1/paywall/:id/user'

export type ReadUserRefusal = GateRefusal | MemberRefusal

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<ReadUserRefusal | 'no_credential' | 'bad_token'>({
  ...callerErrors,
  ...memberErrors,
})

/** The user that an owner queries. With a Bearer token, which identifies the user, the query is not read. */
export const Query = z
  .object({
    email: email
      .optional()
      .describe(
        "With an owner key: the user's e-mail address. At least one of `email`, `user_id` and `external_id` is " +
          'required',
      ),
    user_id: z
      .string()
      .optional()
      .describe(
        "With an owner key: the user's id, as returned by start-checkout and sent in events. All identifiers sent " +
          'must belong to the same user',
      ),
    external_id: externalIdOr('Invalid external_id').describe('With an owner key: your own id of the user'),
  })
  .refine((query) => query.email || query.user_id || query.external_id, 'identity_required')
  .transform((query) => ({
    email: query.email || undefined,
    userId: query.user_id || undefined,
    externalId: query.external_id,
  }))

const externalId = z.string().nullable().describe('Your own id of the user. Null if you assigned none')

export const Reply = z.object({
  user: z
    .object({
      id: z.uuid(),
      email: z.string().nullable().describe('Null for an anonymous user'),
      external_id: externalId,
      name: z.string().nullable().describe('The name sent to `sign-in/exchange`. Null if none was sent'),
      created_at: time,
    })
    .optional()
    .describe("The token's user. Absent if called with an owner key"),
  tier: z.int().min(1).describe('The price tier of this country on the paywall'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .describe("The user's country, by IP address: ISO 3166-1 alpha-2, or `XX` if unknown"),
  countryMatch: z.boolean().describe('Whether the paywall targets this country'),
  ...MemberState.shape,
  meta: z
    .record(z.string(), z.unknown())
    .describe(
      'The `userMeta` stored for the user on this paywall. If the owner and the user wrote the same field, the ' +
        "owner's value is returned",
    ),
})

/** A subscription in the examples of the API's document. */
export const EXAMPLE_PURCHASE = {
  id: '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11',
  status: 'active',
  acquiring: PROCESSOR_NAMES[0],
  price_id: 'price_3f1c9a2b7d4e5f60718293a4',
  price_slug: 'monthly',
  features: ['export'],
  interval: 'month',
  interval_count: 1,
  unit_amount: 999,
  quantity: 1,
  currency: 'USD',
  current_period_end: '2026-12-01T09:00:00.000Z',
  trial_end: null,
  scheduled_change: null,
  cancel_at_period_end: false,
  cancel_at: null,
  canceled_at: null,
  access_until: '2026-12-04T09:00:00.000Z',
  created_at: '2026-11-01T09:05:00.000Z',
} satisfies z.input<typeof Purchase>

/** Its latest payment. */
export const EXAMPLE_PAYMENT = {
  amount: 999,
  tax: 160,
  discount: 0,
  currency: 'USD',
  paid_at: '2026-11-01T09:05:00.000Z',
  receipt_url: 'https://invoice.example.com/i/test_YWNjdF8',
} satisfies z.input<typeof PurchaseWithPayment>['last_payment']

/** The response for an owner key, as in the example request: without `user`. */
const example = {
  tier: 1,
  country: 'US',
  countryMatch: true,
  purchases: [{ ...EXAMPLE_PURCHASE, last_payment: EXAMPLE_PAYMENT }],
  grants: [],
  being_replaced: [],
  paid: true,
  access_until: EXAMPLE_PURCHASE.access_until,
  features: ['export'],
  balances: [{ type: 'standard', count: 500 }],
  trial: null,
  meta: { plan: 'pro' },
} satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'readUser',
    method: 'get',
    path: PATH,
    tag: 'Paywall',
    summary: "Read a user's state",
    description:
      "Returns a user's purchases, balances, trial and country on the paywall. Also serves to verify an access " +
      'token: 200 means that the token is valid, and `user` is its user.',
    access: ['owner', 'user'],
    query: Query,
    example: { email: 'ada@example.com' },
    clientIp: true,
    reply: { status: 200, description: 'The state of the user', body: { name: 'UserState', schema: Reply, example } },
    errors,
  },
]
