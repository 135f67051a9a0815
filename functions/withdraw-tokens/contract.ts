import * as z from 'zod'
import { missingKeyErrors, ownerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors, interpolate, withError } from '../../lib/http/errors.ts'
import { idempotencyErrors } from '../../lib/http/shared-errors.ts'
import { externalIdOr } from '../../lib/http/user-fields.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'
import {
  BALANCE_OUTCOME_UNKNOWN,
  type ChangeRefusal,
  MAX_TOKENS,
  MAX_TOKENS_TEXT,
} from '../../lib/tokens/add-tokens.ts'

export const PATH = '/api/v1/withdraw-tokens'

export type WithdrawRefusal = ChangeRefusal | 'no_balance' | 'insufficient'

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<WithdrawRefusal | 'no_credential' | 'missing_parameters'>({
  no_credential: withError(missingKeyErrors.no_credential, 401, 'Invalid API key'),
  missing_parameters: [400, 'Missing required parameters: {names}', 'Required fields are missing'],
  ...ownerErrors,
  not_owner: withError(ownerErrors.not_owner, 403, 'Unauthorized. You are not the owner of this paywall'),
  ...idempotencyErrors,
  unknown_identity: withError(memberErrors.unknown_identity, 404, 'No balance found for this user and paywall'),
  not_member: withError(memberErrors.not_member, 404, 'No balance found for this user and paywall'),
  no_balance: [404, 'No balance found for this user and paywall', 'The user has no balance on the paywall'],
  unknown_type: [
    400,
    'Token type {type} not found in user balance',
    'The paywall has no such type of tokens, or the user has no balance of it',
  ],
  insufficient: [400, 'Insufficient tokens', 'The user has fewer tokens than that. Nothing was debited'],
})

const REQUIRED = ['paywall_id', 'user_id', 'tokens'] as const

describeCodes({
  'Invalid paywall_id': '`paywall_id` must be a string',
  'Invalid user_id': '`user_id` must be a string',
  'Invalid tokens': `\`tokens\` must be an integer from 1 to ${MAX_TOKENS_TEXT}`,
  'Invalid token_type': '`token_type` must be a string',
})

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

export const Body = z.object(
  {
    paywall_id: z.string('Invalid paywall_id').describe('The id of the paywall'),
    user_id: z
      .string('Invalid user_id')
      .nullish()
      .transform((id) => id || undefined)
      .describe(
        "The user's id, as returned by start-checkout and sent in events. Required unless `external_id` is sent",
      ),
    external_id: externalIdOr('Invalid external_id').describe(
      'Your own id of the user. If `user_id` is sent too, both must belong to the same user',
    ),
    tokens: z
      .int('Invalid tokens')
      .min(1, 'Invalid tokens')
      .max(MAX_TOKENS, 'Invalid tokens')
      .describe(`Number of tokens to debit: an integer from 1 to ${MAX_TOKENS_TEXT}`),
    token_type: z
      .string('Invalid token_type')
      .nullish()
      .transform((type) => type || 'standard')
      .describe("Token type: one of the paywall's `tokenization_queries[].type`. Default `standard`"),
  },
  'invalid_body',
)

/** The same, with one error that lists all missing parameters. */
export const NamedBody = z
  .looseObject({}, 'invalid_body')
  .superRefine((body, context) => {
    const isNamed = !isMissing(body.external_id)
    const missing = REQUIRED.filter((name) => isMissing(body[name]) && !(name === 'user_id' && isNamed))
    if (missing.length === 0) return
    const [, message, , explanation] = interpolate(errors.missing_parameters, missing.join(', '))
    context.addIssue({ code: 'custom', message, params: { explanation } })
  })
  .pipe(Body)

export const Reply = z.object({
  success: z.literal(true),
  remaining: z.int().min(0).describe("The user's remaining balance of this type"),
})

const left = z.object({
  available: z.int().min(0).describe("Number of tokens of this type that can be debited now, including today's top-up"),
  requested: z.int().min(1).describe('Number of tokens that the call requested'),
})

const example = { success: true, remaining: 490 } satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'withdrawTokens',
    method: 'post',
    path: PATH,
    tag: 'Tokens',
    summary: "Debit a user's tokens (legacy)",
    description:
      'Kept for existing integrations; use `balances` in new ones. Without an `Idempotency-Key` every call takes ' +
      'effect. With one, a retry within 24 hours returns the first response and changes nothing.',
    access: ['owner'],
    bodies: { Withdrawal: Body },
    example: {
      paywall_id: '1001',
      user_id: '0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e',
      tokens: 10,
    } satisfies z.input<typeof Body>,
    idempotent: true,
    ifOutcomeUnknown: BALANCE_OUTCOME_UNKNOWN,
    reply: { status: 200, description: 'The tokens were debited', body: { name: 'Withdrawn', schema: Reply, example } },
    errors,
    details: { insufficient: left },
  },
]
