import * as z from 'zod'
import type { NameRefusal, OwnerRefusal } from '../../lib/db/gate.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineWords } from '../../lib/http/errors.ts'
import { externalIdOr, newEmail } from '../../lib/http/user-fields.ts'
import { time } from '../../lib/purchases/purchase.ts'
import { CODE_MINUTES } from './sign-in-code.ts'

const SIGN_IN = '/api/v1/paywall/:id/sign-in'

const email = z
  .unknown()
  .refine((text) => text, 'Email is required')
  .pipe(z.string('Invalid email format').pipe(newEmail))

/** The same with a description. It is `unknown` only so that a missing address gets an error of its own. */
const emailFor = (description: string) => email.meta({ type: 'string', format: 'email', maxLength: 254, description })

/** Mails a code. */
export const CODE_PATH = `${SIGN_IN}/code` as const

export const CodeBody = z.object(
  { email: emailFor('The address to mail the code to. Case and surrounding white space do not matter') },
  'invalid_body',
)

const CodeReply = z.object({
  sent: z.literal(true).describe('The same for every address, whether or not it belongs to a user'),
})

type CodeRefusal = 'unknown_paywall' | 'too_many_codes'

/** How `code` says each refusal. `rate_limit_exceeded` comes with `Retry-After`. */
export const codeWords = defineWords<CodeRefusal>({
  unknown_paywall: [404, 'paywall_not_found'],
  too_many_codes: [429, 'rate_limit_exceeded'],
})

/** Gives tokens for a code, for nothing (an anonymous user) or for a refresh token. */
export const TOKEN_PATH = `${SIGN_IN}/token` as const

export const TokenBody = z.discriminatedUnion(
  'grant_type',
  [
    z
      .object({
        grant_type: z.literal('code'),
        email: emailFor('The address that the code was mailed to'),
        code: z
          .string('code_required')
          .trim()
          .min(1, 'code_required')
          .regex(/^\d{6}$/, 'invalid_code')
          .describe(`The six digits from the mail. They expire after ${CODE_MINUTES} minutes and work once`),
      })
      .describe(
        'Signs in the user of an e-mail address. If an anonymous user sends its access token along, its purchases, ' +
          'balances and meta are moved to that user',
      ),
    z
      .object({ grant_type: z.literal('anonymous') })
      .describe('Creates a user without an e-mail address, whom only the tokens identify'),
    z
      .object({
        grant_type: z.literal('refresh_token'),
        refresh_token: z
          .string('refresh_token_required')
          .min(1, 'refresh_token_required')
          .describe('The latest refresh token. It works once: a used one that is sent again ends the whole session'),
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
    .describe('Gets new tokens with `grant_type: "refresh_token"`. It works once: each answer has the next one'),
  user,
})

export type GrantRefusal = 'unknown_paywall' | 'invalid_grant'

type TokenRefusal = GrantRefusal | 'bad_token'

/** How `token` says each refusal. A code or refresh token that is wrong, used, expired or tried too often: one answer. */
export const tokenWords = defineWords<TokenRefusal>({
  bad_token: [401, 'invalid_token'],
  unknown_paywall: [404, 'paywall_not_found'],
  invalid_grant: [400, 'invalid_grant'],
})

/** Gives tokens to an owner who signs in its users itself. */
export const EXCHANGE_PATH = `${SIGN_IN}/exchange` as const

export const ExchangeBody = z
  .object(
    {
      email: z
        .preprocess((text) => text || undefined, z.string('Invalid email format').pipe(newEmail).optional())
        .meta({
          type: 'string',
          format: 'email',
          maxLength: 254,
          description:
            'The address of the user whom you have signed in. Required, unless `external_id` is sent. A new user is created, ' +
            'and becomes a member of the paywall',
        }),
      external_id: externalIdOr('Invalid external_id').describe(
        "Your own id of the user. If `email` is sent too, both must be the same user's; a user who has none of the two yet " +
          'gets it. It never changes by itself',
      ),
      name: z
        .string('Invalid name')
        .trim()
        .max(200, 'Invalid name')
        .nullish()
        .transform((text) => text || null)
        .describe("The user's name on this paywall, shown as `user.name`. Left out or blank, it stays as it was"),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.external_id, 'Email is required')
  .transform(({ external_id: externalId, ...body }) => ({ ...body, externalId }))

export type ExchangeRefusal = OwnerRefusal | NameRefusal

/** How `exchange` says each refusal. */
export const exchangeWords = defineWords<ExchangeRefusal | 'no_credential'>({
  no_credential: [401, 'Unauthorized'],
  unknown_key: [401, 'Invalid API key'],
  test_key: [401, 'Invalid API key'],
  live_key: [401, 'Invalid API key'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
  unknown_identity: [404, 'identity_not_found'],
  other_external_id: [409, 'external_id_mismatch'],
})

const example = {
  access_token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwYjZjMGY0ZSJ9.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11.Zk3mC0qXv8yT1nLr5wPd7sHb2uJg9eAi4oKf6tQxVyM',
  user: {
    id: '0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e',
    email: 'ada@example.com',
    external_id: null,
    name: null,
    created_at: '2026-11-01T09:00:00.000Z',
  },
} satisfies z.input<typeof TokenReply>

const tokens = { name: 'Tokens', schema: TokenReply, example }

export const operations: ApiOperation[] = [
  {
    id: 'sendSignInCode',
    method: 'post',
    path: CODE_PATH,
    tag: 'Sign-in',
    summary: 'Mail a sign-in code',
    description: 'Mails a six-digit code, which `sign-in/token` takes. An address gets at most five codes an hour.',
    access: ['anybody'],
    bodies: { SendSignInCode: CodeBody },
    example: { email: 'ada@example.com' } satisfies z.input<typeof CodeBody>,
    reply: {
      status: 200,
      description: 'The code is on its way',
      body: { name: 'CodeSent', schema: CodeReply, example: { sent: true } satisfies z.input<typeof CodeReply> },
    },
    lostAnswer:
      'If the call was carried out and only its answer was lost, no code was mailed, and the one mailed before does not work ' +
      'any more. The call counts as one of the five of the hour.',
    words: codeWords,
  },
  {
    id: 'giveTokens',
    method: 'post',
    path: TOKEN_PATH,
    tag: 'Sign-in',
    summary: 'Sign in, or get the next tokens',
    description:
      'Gives an access token, which is good for an hour, and a refresh token. It takes a mailed code, a refresh token, or ' +
      'nothing for an anonymous user. Whoever signs in becomes a member of the paywall.',
    access: ['anybody', 'user'],
    // Counted by address: two of the three grants ignore the token, so made-up tokens would evade the limit.
    countedBy: 'address',
    bodies: { GiveTokens: TokenBody },
    example: { grant_type: 'code', email: 'ada@example.com', code: '123456' } satisfies z.input<typeof TokenBody>,
    unrepeatable:
      'it is not known whether the code or the refresh token was used. If it was, a repeat is answered 400 `invalid_grant`, and ' +
      'one by refresh token ends its session: then the user has to sign in again. An anonymous user can only do so by a mailed ' +
      'code, with its access token while that is good.',
    reply: { status: 200, description: 'Signed in', body: tokens },
    lostAnswer:
      'If a call with `grant_type: "anonymous"` was carried out and only its answer was lost, a repeat makes a second user.',
    words: tokenWords,
  },
  {
    id: 'exchangeTokens',
    method: 'post',
    path: EXCHANGE_PATH,
    tag: 'Sign-in',
    summary: 'Get tokens for a user of your own sign-in',
    description: 'For owners who sign in their users themselves: gives tokens for such a user, without a mailed code.',
    access: ['owner'],
    bodies: { ExchangeTokens: ExchangeBody },
    example: { email: 'ada@example.com' } satisfies z.input<typeof ExchangeBody>,
    reply: { status: 200, description: 'Signed in', body: tokens },
    words: exchangeWords,
  },
]
