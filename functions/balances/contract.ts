import * as z from 'zod'
import type { Words } from '../../lib/errors.ts'
import { email } from '../../lib/identity.ts'
import { MAX_TOKENS } from '../../lib/tokens.ts'
import type { BalanceRefusal } from './change-balance.sql.ts'

/** How this endpoint says each refusal (contract section 7). */
export const words: Words<BalanceRefusal> = {
  unknown_key: [401, 'unauthorized'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'forbidden'],
  key_reused: [409, 'idempotency_key_reused'],
  unknown_identity: [404, 'identity_not_found'],
  not_member: [404, 'identity_not_found'],
  unknown_type: [400, 'invalid_type'],
  insufficient: [400, 'insufficient'],
  too_much: [400, 'balance_limit'],
}

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
        .describe('The type of tokens: one of the `tokenization_queries[].type` of the paywall'),
      email: z
        .string('identity_required')
        .pipe(email)
        .nullish()
        .describe('Whose balance: the address the user is known by. Give this or `user_id`'),
      user_id: z
        .string('identity_required')
        .nullish()
        .describe(
          'Whose balance: the id that start-checkout and events give. Counts before `email`, which must then fit',
        ),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.user_id, 'identity_required')
  .transform(({ email, user_id: userId, ...body }) => ({
    ...body,
    identity: { email: email || undefined, userId: userId || undefined },
  }))

export const Reply = z.object({
  success: z.literal(true),
  user_id: z.uuid().describe('Whose balance was changed'),
  type: z.string().describe('The type of tokens that was changed'),
  count: z.int().min(0).describe('How many tokens of this type the user has now'),
  balances: z
    .array(z.object({ type: z.string(), count: z.int().min(0) }))
    .describe('All balances of the user on this paywall, by type'),
})
