import * as z from 'zod'
import { missingKeyErrors, ownerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors, withError } from '../../lib/http/errors.ts'
import { idempotencyErrors, paywallErrors } from '../../lib/http/shared-errors.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import { Balance } from '../../lib/member-state/member-state.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'
import {
  BALANCE_OUTCOME_UNKNOWN,
  type ChangeRefusal,
  MAX_TOKENS,
  MAX_TOKENS_TEXT,
} from '../../lib/tokens/add-tokens.ts'

export const PATH = '/api/v1/paywall/:id/balances'

/** This endpoint repeats the code of every error as `code` beside `error` (contract section 7). */
export const duplicateCode = true

/** `too_much`: the balance would reach 2^53. */
export type BalanceRefusal = ChangeRefusal | 'insufficient' | 'too_much'

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<BalanceRefusal | 'no_credential'>({
  no_credential: withError(missingKeyErrors.no_credential, 401, 'unauthorized'),
  unknown_key: withError(ownerErrors.unknown_key, 401, 'unauthorized'),
  test_key: withError(ownerErrors.test_key, 401, 'unauthorized'),
  live_key: withError(ownerErrors.live_key, 401, 'unauthorized'),
  ...paywallErrors,
  not_owner: withError(ownerErrors.not_owner, 403, 'forbidden'),
  ...idempotencyErrors,
  ...memberErrors,
  not_member: withError(memberErrors.not_member, 404, 'identity_not_found'),
  unknown_type: [400, 'invalid_type', 'The paywall has no such type of tokens, or the user has no balance of it'],
  insufficient: [400, 'insufficient', 'The user has fewer tokens than that. Nothing was debited'],
  too_much: [400, 'balance_limit', 'The balance would become 2^53 or more'],
})

describeCodes({
  invalid_op: '`op` must be `credit` or `debit`',
  invalid_amount: `\`amount\` must be an integer from 1 to ${MAX_TOKENS_TEXT}`,
  type_required: "`type` is required: one of the paywall's `tokenization_queries[].type`",
})

/** The messages are the contract's codes, in the order of the checks. */
export const Body = z
  .object(
    {
      op: z.enum(['credit', 'debit'], 'invalid_op').describe('`credit` adds tokens, `debit` removes them'),
      amount: z
        .int('invalid_amount')
        .min(1, 'invalid_amount')
        .max(MAX_TOKENS, 'invalid_amount')
        .describe('Number of tokens: an integer from 1 to 10^12'),
      type: z
        .string('type_required')
        .min(1, 'type_required')
        .describe("Token type: one of the paywall's `tokenization_queries[].type`"),
      email: z
        .string('identity_required')
        .pipe(email)
        .nullish()
        .describe("The user's e-mail address. At least one of `email`, `user_id` and `external_id` is required"),
      user_id: z
        .string('identity_required')
        .nullish()
        .describe(
          "The user's id, as returned by start-checkout and sent in events. All identifiers sent must belong to the " +
            'same user',
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
  user_id: z.uuid().describe('The user whose balance changed'),
  type: z.string().describe('The token type that changed'),
  count: z.int().min(0).describe("The user's new balance of this type"),
  balances: z.array(Balance).describe("All of the user's balances on this paywall, sorted by type"),
})

const insufficient = z.object({
  available: z.int().min(0).describe("Number of tokens of this type that can be debited now, including today's top-up"),
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
      'Adds tokens to a balance or removes them. Concurrent calls are serialised, so none is lost, and a debit ' +
      'that exceeds the balance changes nothing. Without an `Idempotency-Key` every call takes effect. With one, a ' +
      'retry within 24 hours returns the first response and changes nothing.',
    access: ['owner'],
    bodies: { BalanceChange: Body },
    example: { email: 'ada@example.com', type: 'standard', amount: 10, op: 'debit' } satisfies z.input<typeof Body>,
    idempotent: true,
    ifOutcomeUnknown: BALANCE_OUTCOME_UNKNOWN,
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
