import * as z from 'zod'
import type { Words } from '../../lib/errors.ts'
import { MAX_TOKENS } from '../../lib/tokens.ts'
import type { WithdrawRefusal } from './withdraw-tokens.sql.ts'

/** How this endpoint says each refusal (contract section 7). What `X` stands for is in `unknownType`. */
export const words: Words<WithdrawRefusal> = {
  unknown_key: [401, 'Invalid API key'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Unauthorized. You are not the owner of this paywall'],
  key_reused: [409, 'idempotency_key_reused'],
  unknown_identity: [404, 'No balance found for this user and paywall'],
  not_member: [404, 'No balance found for this user and paywall'],
  no_balance: [404, 'No balance found for this user and paywall'],
  unknown_type: [400, 'Token type X not found in user balance'],
  insufficient: [400, 'Insufficient tokens'],
}

export function unknownType(type: string): Words[string] {
  const [status, error] = words.unknown_type
  return [status, error.replace('X', () => type)]
}

const REQUIRED = ['paywall_id', 'user_id', 'tokens'] as const

export const Body = z.object({
  paywall_id: z.string('Invalid paywall_id').describe('The id of the paywall'),
  user_id: z
    .string('Invalid user_id')
    .describe("Whose tokens: the id that start-checkout and events give, not the owner's own id"),
  tokens: z
    .int('Invalid tokens')
    .min(1, 'Invalid tokens')
    .max(MAX_TOKENS, 'Invalid tokens')
    .describe('How many tokens to take away: a whole number from 1 to 10^12'),
  token_type: z
    .string('Invalid token_type')
    .nullish()
    .transform((type) => type || 'standard')
    .describe('The type of tokens: one of the `tokenization_queries[].type` of the paywall. Default `standard`'),
})

/** The same, after it has named in one message all that is missing. */
export const NamedBody = z
  .looseObject({}, 'invalid_body')
  .superRefine((body, context) => {
    const missing = REQUIRED.filter((name) => body[name] === undefined || body[name] === null || body[name] === '')
    if (missing.length > 0) context.addIssue(`Missing required parameters: ${missing.join(', ')}`)
  })
  .pipe(Body)

export const Reply = z.object({
  success: z.literal(true),
  remaining: z.int().min(0).describe('How many tokens of this type the user has now'),
})
