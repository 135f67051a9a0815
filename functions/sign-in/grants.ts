// The grants that sign-in/token takes, what it answers, and how it refuses.
import * as z from 'zod'
import { time } from '../../lib/access/purchase.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { emailFor } from './email-field.ts'
import { CODE_MINUTES, digitsOf, LONG_CODE_MINUTES } from './sign-in-code.ts'

export const refreshToken = z.string('refresh_token_required').min(1, 'refresh_token_required')

export const TokenBody = z.discriminatedUnion(
  'grant_type',
  [
    z
      .object({
        grant_type: z.literal('code'),
        email: emailFor('The address that the code was mailed to'),
        code: z
          .string('code_required')
          .overwrite(digitsOf)
          .min(1, 'code_required')
          .regex(/^\d{6}(\d{12})?$/, 'invalid_code')
          .describe(
            `The digits from the mail: six, which expire after ${CODE_MINUTES} minutes, or 18, which expire after ` +
              `${LONG_CODE_MINUTES} minutes. They work once. White space and hyphens do not matter`,
          ),
        request: z
          .string('request_required')
          .min(1, 'request_required')
          .describe(
            'The `request` that `sign-in/code` answered when this code was asked for. Of no matter with 18 digits',
          ),
        restore: z
          .boolean('Invalid restore')
          .nullish()
          .transform((wanted) => wanted ?? true)
          .describe(
            'Whether the user takes what the mail has offered: what an anonymous user bought with this address. Left out, ' +
              'it does. False: that stays where it is, and is offered again',
          ),
      })
      .describe(
        'Signs in the user of an e-mail address. If an anonymous user sends its access token along, its purchases, ' +
          'balances and meta are moved to that user',
      ),
    z
      .object({
        grant_type: z.literal('anonymous'),
        attempt: z
          .uuid('Invalid attempt')
          .nullish()
          .describe(
            'A random UUID. For five minutes, calls with the same one sign in the same user, so a form that is sent twice makes one ' +
              'user. Whoever knows it can sign in as that user meanwhile. Left out, each call makes a user',
          ),
      })
      .describe(
        'Creates a user without an e-mail address, whom only the tokens identify. A network makes 300 at once, and one each 12 seconds',
      ),
    z
      .object({
        grant_type: z.literal('refresh_token'),
        refresh_token: refreshToken.describe(
          'The latest refresh token. For 30 seconds after its first use it gives the same next one again, so two tabs may send ' +
            'it at once. Sent later than that, it ends the whole session',
        ),
      })
      .describe('Continues a session with new tokens'),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'unsupported_grant_type' : 'invalid_body') },
)

const user = z.object({
  id: z.uuid(),
  email: z.string().nullable().describe('Null for an anonymous user'),
  external_id: z.string().nullable().describe("The owner's own id of the user. Null: it gave none"),
  name: z.string().nullable().describe('As given to `sign-in/exchange`. Null: none was given'),
  created_at: time,
})

/** What `token` and `exchange` answer. */
export const TokenReply = z.object({
  access_token: z.string().describe('To send as `Authorization: Bearer`, on any paywall of the same owner'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds until the access token expires'),
  refresh_token: z
    .string()
    .describe(
      'Gets new tokens with `grant_type: "refresh_token"`. Each answer has the next one, which is to be used from then on. It ' +
        'holds for 30 days, but no longer than 90 days after the sign-in',
    ),
  user,
})

export type GrantRefusal = 'unknown_paywall' | 'invalid_grant'

type TokenRefusal = GrantRefusal | 'bad_token' | 'too_many_guesses' | 'too_many_users'

/**
 * How `token` says each refusal. A code or refresh token that is wrong, used, expired or tried too often: one answer.
 * `rate_limit_exceeded` comes with `Retry-After`.
 */
export const tokenErrors = defineErrors<TokenRefusal>({
  bad_token: [401, 'invalid_token'],
  unknown_paywall: [404, 'paywall_not_found'],
  invalid_grant: [400, 'invalid_grant'],
  too_many_guesses: [429, 'rate_limit_exceeded'],
  too_many_users: [429, 'rate_limit_exceeded'],
})
