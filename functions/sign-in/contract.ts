import * as z from 'zod'
import { CODE_MINUTES } from '../../lib/auth/sign-in-code.ts'
import type { OwnerRefusal } from '../../lib/db/gate.sql.ts'
import type { Words } from '../../lib/errors.ts'
import { newEmail } from '../../lib/identity.ts'
import type { GrantRefusal } from './open-session.sql.ts'

const SIGN_IN = '/api/v1/paywall/:id/sign-in'

const email = z
  .unknown()
  .refine((text) => text, 'Email is required')
  .pipe(z.string('Invalid email format').pipe(newEmail))

/** Mails a code. */
export const CODE_PATH = `${SIGN_IN}/code` as const

export const CodeBody = z.object(
  { email: email.describe('Where the code is mailed to. Compared trimmed and in lower case.') },
  'invalid_body',
)

export const CodeReply = z.object({
  sent: z.literal(true).describe('The same for every address, whether or not anybody has it.'),
})

export type CodeRefusal = 'unknown_paywall' | 'too_many_codes'

/** How `code` says each refusal. `rate_limit_exceeded` comes with `Retry-After`. */
export const codeWords: Words<CodeRefusal> = {
  unknown_paywall: [404, 'paywall_not_found'],
  too_many_codes: [429, 'rate_limit_exceeded'],
}

/** Gives tokens for a code, for nothing (an anonymous user) or for a refresh token. */
export const TOKEN_PATH = `${SIGN_IN}/token` as const

export const TokenBody = z.discriminatedUnion(
  'grant_type',
  [
    z
      .object({
        grant_type: z.literal('code'),
        email: email.describe('The address that the code was mailed to.'),
        code: z
          .string('code_required')
          .trim()
          .min(1, 'code_required')
          .regex(/^\d{6}$/, 'invalid_code')
          .describe(`The six digits of the mail. They hold for ${CODE_MINUTES} minutes and work once.`),
      })
      .describe(
        'Signs in the user of an e-mail address. An anonymous user who sends its own access token along keeps its ' +
          'purchases, balances and meta.',
      ),
    z
      .object({ grant_type: z.literal('anonymous') })
      .describe('Makes a user without an e-mail address, known by its tokens alone.'),
    z
      .object({
        grant_type: z.literal('refresh_token'),
        refresh_token: z
          .string('refresh_token_required')
          .min(1, 'refresh_token_required')
          .describe('The latest one. It works once; a used one that comes again ends the whole session.'),
      })
      .describe('Gives the next tokens of a session.'),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'unsupported_grant_type' : 'invalid_body') },
)

const user = z.object({
  id: z.uuid(),
  email: z.string().nullable().describe('Null for an anonymous user.'),
  name: z.string().nullable(),
  created_at: z.iso.datetime(),
})

/** What `token` and `exchange` answer. */
export const TokenReply = z.object({
  access_token: z.string().describe('For `Authorization: Bearer`, on this paywall.'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds for which the access token holds.'),
  refresh_token: z.string().describe('For `grant_type: "refresh_token"`, once. Each use gives the next one.'),
  user,
})

export type TokenRefusal = GrantRefusal | 'bad_token'

/** How `token` says each refusal. A code or refresh token that is wrong, used, expired or tried too often: one answer. */
export const tokenWords: Words<TokenRefusal> = {
  bad_token: [401, 'invalid_token'],
  unknown_paywall: [404, 'paywall_not_found'],
  invalid_grant: [400, 'invalid_grant'],
}

/** For an owner that runs its own sign-in: tokens for its user. */
export const EXCHANGE_PATH = `${SIGN_IN}/exchange` as const

export const ExchangeBody = z.object(
  { email: email.describe('Whom the owner has signed in. Made and linked to the paywall if new.') },
  'invalid_body',
)

export type ExchangeRefusal = OwnerRefusal | 'no_credential'

/** How `exchange` says each refusal. */
export const exchangeWords: Words<ExchangeRefusal> = {
  no_credential: [401, 'Unauthorized'],
  unknown_key: [401, 'Invalid API key'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
}
