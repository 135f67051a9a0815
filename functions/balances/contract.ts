import * as z from 'zod'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import { Balance } from '../../lib/member-state/member-state.ts'
import { type ChangeRefusal, MAX_TOKENS, UNKNOWN_CHANGE } from '../../lib/tokens/change-count.ts'

export const PATH = '/api/v1/paywall/:id/balances'

/** Every error of this endpoint says its code twice: as `error` like all others, and as `code` (contract section 7). */
export const duplicateCode = true

/** `too_much`: the balance would reach 2^53. */
export type BalanceRefusal = ChangeRefusal | 'insufficient' | 'too_much'

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<BalanceRefusal | 'no_credential'>({
  no_credential: [401, 'unauthorized'],
  unknown_key: [401, 'unauthorized'],
  test_key: [401, 'unauthorized'],
  live_key: [401, 'unauthorized'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'forbidden'],
  key_reused: [409, 'idempotency_key_reused'],
  unknown_identity: [404, 'identity_not_found'],
  not_member: [404, 'identity_not_found'],
  unknown_type: [400, 'invalid_type'],
  insufficient: [400, 'insufficient'],
  too_much: [400, 'balance_limit'],
})

/** The messages are the contract's codes, in the order in which they are checked. */
export const Body = z
  .object(
    {
      op: z.enum(['credit', 'debit'], 'invalid_op').describe('`credit` adds, `debit` takes away'),
      amount: z
        .int('invalid_amount')
        .min(1, 'invalid_amount')
        .max(MAX_TOKENS, 'invalid_amount')
        .describe('How many tokens: a whole number from 1 to 10^12'),
      type: z
        .string('type_required')
        .min(1, 'type_required')
        .describe('The type of tokens: one of `tokenization_queries[].type` of the paywall'),
      email: z
        .string('identity_required')
        .pipe(email)
        .nullish()
        .describe("The user's e-mail address. Send at least one of the three"),
      user_id: z
        .string('identity_required')
        .nullish()
        .describe(
          "The user's id, as start-checkout and events give it. If others of the three are sent, all must be this user's",
        ),
      external_id: externalIdOr('identity_required').describe('Your own id of the user'),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.user_id || body.external_id, 'identity_required')
  .transform(({ email, user_id: userId, external_id: externalId, ...body }) => ({
    ...body,
    identity: { email: email || undefined, userId: userId || undefined, externalId },
  }))

export const Reply = z.object({
  success: z.literal(true),
  user_id: z.uuid().describe('The user whose balance was changed'),
  type: z.string().describe('The type of tokens that was changed'),
  count: z.int().min(0).describe('How many tokens of this type the user has now'),
  balances: z.array(Balance).describe('All balances of the user on this paywall, by type'),
})

const insufficient = z.object({
  available: z.int().min(0).describe('How many tokens of this type could be debited now, with the top-up of today'),
})

const example = {
  success: true,
  user_id: '0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e',
  type: 'standard',
  count: 490,
  balances: [{ type: 'standard', count: 490 }],
} satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'changeBalance',
    method: 'post',
    path: PATH,
    tag: 'Tokens',
    summary: "Credit or debit a user's tokens",
    description:
      'Adds tokens to a balance, or takes some away. Concurrent calls are applied one after the other: none is lost, and ' +
      'a debit of more tokens than there are changes nothing. Every call takes effect, unless it has an ' +
      '`Idempotency-Key`: then a repeat of it within 24 hours gets the first answer and changes nothing.',
    access: ['owner'],
    bodies: { BalanceChange: Body },
    example: { email: 'ada@example.com', type: 'standard', amount: 10, op: 'debit' } satisfies z.input<typeof Body>,
    idempotent: true,
    ifOutcomeUnknown: UNKNOWN_CHANGE,
    reply: {
      status: 200,
      description: 'The balance was changed',
      body: { name: 'ChangedBalance', schema: Reply, example },
    },
    errors,
    details: { insufficient },
    duplicateCode,
  },
]
