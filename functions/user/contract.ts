import * as z from 'zod'
import { time } from '../../lib/access/purchase.ts'
import type { GateRefusal } from '../../lib/auth/gate.ts'
import { ownerErrors, userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import { MemberState } from '../../lib/member-state/member-state.ts'
import type { MemberRefusal } from '../../lib/members/member.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'

export const PATH = '/api/v1/paywall/:id/user'

export type ReadUserRefusal = GateRefusal | MemberRefusal

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<ReadUserRefusal | 'no_credential' | 'bad_token'>({
  no_credential: [401, 'Unauthorized'],
  ...userErrors,
  ...ownerErrors,
  unknown_identity: [404, 'identity_not_found'],
  not_member: [404, 'identity_not_on_paywall'],
})

/** The user whom an owner asks about. A Bearer token tells the user itself: then the query is not read. */
export const Query = z
  .object({
    email: email.optional().describe("With an owner key: the user's e-mail address. Send at least one of these three"),
    user_id: z
      .string()
      .optional()
      .describe(
        "With an owner key: the user's id, as start-checkout and events give it. If others of the three are sent, all must be " +
          "this user's",
      ),
    external_id: externalIdOr('Invalid external_id').describe('With an owner key: your own id of the user'),
  })
  .refine((query) => query.email || query.user_id || query.external_id, 'identity_required')
  .transform((query) => ({
    email: query.email || undefined,
    userId: query.user_id || undefined,
    externalId: query.external_id,
  }))

const externalId = z.string().nullable().describe('Your own id of the user. Null: you gave none')

export const Reply = z.object({
  user: z
    .object({
      id: z.uuid(),
      email: z.string().nullable().describe('Null for an anonymous user'),
      external_id: externalId,
      name: z.string().nullable().describe('As given to `sign-in/exchange`. Null: none was given'),
      created_at: time,
    })
    .optional()
    .describe('The user of the token. Absent when an owner key asks'),
  tier: z.int().min(1).describe('The price tier that the paywall puts this country in'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .describe("The user's country, by IP address: ISO 3166-1 alpha-2, or `XX` if it is unknown"),
  countryMatch: z.boolean().describe('Whether the paywall targets that country'),
  ...MemberState.shape,
  meta: z
    .record(z.string(), z.unknown())
    .describe(
      'What was stored about the user on this paywall as `userMeta`. Where the owner and the user wrote the same field, it is ' +
        "the owner's",
    ),
})

/** As an owner key gets it, by which the example asks: without `user`. */
const example = {
  tier: 1,
  country: 'US',
  countryMatch: true,
  purchases: [
    {
      id: '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11',
      status: 'active',
      acquiring: PROCESSOR_NAMES[0],
      price_id: 'price_3f1c9a2b7d4e5f60718293a4',
      price_slug: 'monthly',
      features: ['export'],
      interval: 'month',
      interval_count: 1,
      unit_amount: 999,
      currency: 'USD',
      current_period_end: '2026-12-01T09:00:00.000Z',
      trial_end: null,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      access_until: '2026-12-04T09:00:00.000Z',
      created_at: '2026-11-01T09:05:00.000Z',
    },
  ],
  being_replaced: [],
  paid: true,
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
      'Purchases, balances, trial and country of a user on the paywall. It is also the way to verify an access token: 200 ' +
      'says that the token is valid, and whose it is.',
    access: ['owner', 'user'],
    query: Query,
    example: { email: 'ada@example.com' },
    clientIp: true,
    reply: { status: 200, description: 'The state of the user', body: { name: 'UserState', schema: Reply, example } },
    errors,
  },
]
