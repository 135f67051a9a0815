import * as z from 'zod'
import { time } from '../../lib/access/purchase.ts'
import { CODE_MINUTES } from '../../lib/auth/challenge.ts'
import type { OwnerRefusal } from '../../lib/auth/gate.ts'
import { missingKeyErrors, ownerErrors, userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { EMAIL_LENGTH } from '../../lib/http/input-limits.ts'
import { paywallErrors } from '../../lib/http/shared-errors.ts'
import { externalIdOr, newEmail } from '../../lib/http/user-fields.ts'
import type { NameRefusal } from '../../lib/members/member.ts'
import { nameErrors } from '../../lib/members/member-errors.ts'

const SIGN_IN = '/api/v1/paywall/:id/sign-in'

/** Mails a code. */
export const CODE_PATH = `${SIGN_IN}/code` as const

/** Cloudflare's maximum: https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ */
const CAPTCHA_TOKEN_LENGTH = 2048
const NAME_LENGTH = 200

describeCodes({
  unsupported_grant_type: '`grant_type` must be `code`, `anonymous` or `refresh_token`',
  code_required: '`code` is required',
  invalid_code: '`code` must have 8 digits',
  'Invalid restore': '`restore` must be true or false',
  'Invalid captcha_token': `\`captcha_token\` must be a string of at most ${CAPTCHA_TOKEN_LENGTH} characters`,
  challenge_required: '`challenge` is required: it is in the response of `sign-in/code`',
  refresh_token_required: '`refresh_token` is required',
  'Invalid name': `\`name\` must be a string of at most ${NAME_LENGTH} characters`,
})

/** It is `unknown` only so that a missing address gets an error of its own. */
const email = z
  .unknown()
  .refine((text) => text, 'Email is required')
  .pipe(z.string('Invalid email format').pipe(newEmail))

const emailFor = (description: string) =>
  email.meta({ type: 'string', format: 'email', maxLength: EMAIL_LENGTH, description })

export const CodeBody = z.object(
  {
    email: emailFor('The address to mail the code to. Case and surrounding white space do not matter'),
    captcha_token: z
      .string('Invalid captcha_token')
      .max(CAPTCHA_TOKEN_LENGTH, 'Invalid captcha_token')
      .nullish()
      .describe('The token of a solved captcha, if an earlier response had `captcha`. Valid once, for 5 minutes'),
  },
  'invalid_body',
)

const CodeReply = z.object({
  sent: z.literal(true).describe('The same for every address, whether or not it belongs to a user'),
  challenge: z
    .string()
    .describe(
      'Send it to `sign-in/token` together with the code, which works only with this challenge. Keep it secret',
    ),
})

const Captcha = z.object({
  captcha: z
    .literal('turnstile')
    .optional()
    .describe(
      'Repeat the call with the `captcha_token` of a solved Cloudflare Turnstile captcha to get the code. Absent if a captcha does ' +
        'not help',
    ),
  site_key: z.string().optional().describe('The site key for the Turnstile widget'),
})

type CodeRefusal =
  | 'unknown_paywall'
  | 'too_many_mails'
  | 'captcha_failed'
  | 'captcha_misconfigured'
  | 'captcha_unavailable'

/** The errors of `code`. `rate_limit_exceeded` and `captcha_unavailable` have `Retry-After`. */
export const codeErrors = defineErrors<CodeRefusal>({
  ...paywallErrors,
  too_many_mails: [
    429,
    'rate_limit_exceeded',
    'Too many codes were requested in the last hour: for this address from your network or in total, from your network, or ' +
      'on the paywall. Codes already mailed stay valid. Wait for the time in `Retry-After`, or show the captcha that ' +
      '`captcha` names',
  ],
  captcha_failed: [
    400,
    'captcha_failed',
    'The captcha was not solved, or its token is older than 5 minutes or was used before. Show the widget again',
  ],
  captcha_misconfigured: [
    502,
    'captcha_misconfigured',
    "Turnstile rejects the paywall's secret key, or we cannot decrypt it. The owner has to correct it",
  ],
  captcha_unavailable: [
    503,
    'captcha_unavailable',
    'Turnstile did not respond. Try again with another token after the time in `Retry-After`',
  ],
})

/** Issues tokens for a code, for a refresh token, or for nothing to an anonymous user. */
export const TOKEN_PATH = `${SIGN_IN}/token` as const

const refreshToken = z.string('refresh_token_required').min(1, 'refresh_token_required')

export const TokenBody = z.discriminatedUnion(
  'grant_type',
  [
    z
      .object({
        grant_type: z.literal('code'),
        email: emailFor('The address that the code was mailed to'),
        code: z
          .string('code_required')
          .overwrite((typed) => typed.replace(/[\s-]/g, ''))
          .min(1, 'code_required')
          .regex(/^\d{8}$/, 'invalid_code')
          .describe(
            `The eight digits from the mail. Valid once, for ${CODE_MINUTES} minutes. White space and hyphens are ignored`,
          ),
        challenge: z
          .string('challenge_required')
          .min(1, 'challenge_required')
          .describe('The challenge that `sign-in/code` returned for this code. It allows five guesses'),
        restore: z
          .boolean('Invalid restore')
          .nullish()
          .transform((wanted) => wanted ?? true)
          .describe(
            'Whether to add purchases that an anonymous user made with this address, as the mail offers. Default true. If false, they ' +
              'stay where they are and are offered again',
          ),
      })
      .describe(
        'Signs in the user of an e-mail address. If an anonymous user sends its access token with the call, its purchases, ' +
          'balances and meta move to that user',
      ),
    z
      .object({
        grant_type: z.literal('anonymous'),
      })
      .describe(
        'Creates a user without an e-mail address, identified only by the tokens. A network can create 300 at once, and one more every ' +
          '12 seconds. For five minutes, calls with the same `Idempotency-Key` sign in the same user, so a double submit creates one. ' +
          'During that time anyone who knows the key can sign in as that user: generate it at random',
      ),
    z
      .object({
        grant_type: z.literal('refresh_token'),
        refresh_token: refreshToken.describe(
          'The latest refresh token. For 30 seconds after its first use it returns the same next one again, so two tabs may send ' +
            'it at once. Sent later than that, it ends the session',
        ),
      })
      .describe('Continues a session with new tokens'),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'unsupported_grant_type' : 'invalid_body') },
)

const user = z.object({
  id: z.uuid(),
  email: z.string().nullable().describe('Null for an anonymous user'),
  external_id: z.string().nullable().describe("The owner's own id of the user. Null if it has none"),
  name: z.string().nullable().describe('As sent to `sign-in/exchange`. Null if none was sent'),
  created_at: time,
})

/** The response of `token` and `exchange`. */
export const TokenReply = z.object({
  access_token: z.string().describe('Send it as `Authorization: Bearer`, to any paywall of the same owner and mode'),
  token_type: z.literal('Bearer'),
  expires_in: z.int().describe('Seconds until the access token expires'),
  refresh_token: z
    .string()
    .describe(
      'Exchange it for new tokens with `grant_type: "refresh_token"`. Each response has the next one, to be used from then on. Valid for ' +
        '30 days, but no longer than 90 days after the sign-in',
    ),
  user,
})

export type GrantRefusal = 'unknown_paywall' | 'invalid_grant'

/** `user_merged`: the refresh token is that of a user who was merged into another one. */
export type RefreshRefusal = GrantRefusal | 'user_merged'

const grantErrors = {
  ...paywallErrors,
  invalid_grant: [
    400,
    'invalid_grant',
    'The code or the refresh token is wrong, was used before, has expired, or had too many attempts',
  ],
} as const

const MERGED = 'The user of this session was merged into the one who now has its purchases'

/**
 * The errors of `token`. A code or refresh token that is wrong, used or expired, or had too many guesses, gets the same error.
 * `rate_limit_exceeded` has `Retry-After`.
 */
export const tokenErrors = defineErrors<RefreshRefusal | 'bad_token' | 'too_many_users'>({
  bad_token: userErrors.bad_token,
  ...grantErrors,
  user_merged: [400, 'invalid_grant', MERGED],
  too_many_users: [
    429,
    'rate_limit_exceeded',
    'Too many anonymous users were created from your network. Wait for the time in `Retry-After`, or sign in with a code',
  ],
})

/** Ends a session. */
export const END_PATH = `${SIGN_IN}/end` as const

export const EndBody = z.object(
  { refresh_token: refreshToken.describe('A refresh token of the session, the latest or an earlier one') },
  'invalid_body',
)

const EndReply = z.object({
  ended: z.literal(true).describe('The same if the session has ended before or never existed'),
})

/** The errors of `end`. Text that does not look like a refresh token is `invalid_grant`. */
export const endErrors = defineErrors(grantErrors)

/** Issues tokens to an owner that signs in its users itself. */
export const EXCHANGE_PATH = `${SIGN_IN}/exchange` as const

export const ExchangeBody = z
  .object(
    {
      email: z
        .preprocess((text) => text || undefined, z.string('Invalid email format').pipe(newEmail).optional())
        .meta({
          type: 'string',
          format: 'email',
          maxLength: EMAIL_LENGTH,
          description:
            'The address of the user whom you have signed in. You must have verified that it is theirs. Required unless `external_id` is ' +
            'sent. A new user is created, and becomes a member of the paywall',
        }),
      external_id: externalIdOr('Invalid external_id').describe(
        'Your own id of the user. If `email` is sent too, both must belong to the same user; an identifier that the user lacks is ' +
          'added. It never changes by itself',
      ),
      name: z
        .string('Invalid name')
        .trim()
        .max(NAME_LENGTH, 'Invalid name')
        .nullish()
        .transform((text) => text || null)
        .describe("The user's name on this paywall, shown as `user.name`. If absent or blank, it stays unchanged"),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.external_id, 'Email is required')
  .transform(({ external_id: externalId, ...body }) => ({ ...body, externalId }))

export type ExchangeRefusal = OwnerRefusal | NameRefusal

/** The errors of `exchange`. */
export const exchangeErrors = defineErrors<ExchangeRefusal | 'no_credential'>({
  ...missingKeyErrors,
  ...ownerErrors,
  ...nameErrors,
})

const Merged = z.object({
  reason: z.literal('merged').describe(`${MERGED}. Absent for other reasons`),
})

/** Examples. They are separate constants because bundlers keep an object of which a field is read. */
const challenge = 'Q2wqYl0c7kXn3o9vT5yJm1sRbE8dHaZgUeFiOpLtK4w'
const refresh_token = '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11.Zk3mC0qXv8yT1nLr5wPd7sHb2uJg9eAi4oKf6tQxVyM'

const example = {
  access_token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwYjZjMGY0ZSJ9.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token,
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
    description:
      'Mails an eight-digit code, which `sign-in/token` accepts together with the `challenge` of this response. Codes mailed before ' +
      'stay valid until they expire. An address gets five codes an hour for calls from one network and 30 in total; a network and the ' +
      'paywall have limits, too. If one of them is used up the response is 429, the same for every address. If it has a ' +
      '`captcha`, show the Turnstile widget and repeat the call with its token. ' +
      'If an anonymous user has bought something with this address, the mail offers to restore it, and the code adds it to the user who ' +
      'signs in with it. The mail is in German if `Accept-Language` prefers that, otherwise in English.',
    access: ['anybody'],
    bodies: { SendSignInCode: CodeBody },
    example: { email: 'ada@example.com' } satisfies z.input<typeof CodeBody>,
    reply: {
      status: 200,
      description: 'The code will be mailed',
      body: {
        name: 'CodeSent',
        schema: CodeReply,
        example: { sent: true, challenge } satisfies z.input<typeof CodeReply>,
      },
    },
    ifResponseLost:
      'If the call was carried out and only its response was lost, no code was mailed. The call counts as one of the five per hour. ' +
      'A `captcha_token` cannot be used again.',
    errors: codeErrors,
    retried: ['captcha_unavailable'],
    details: { too_many_mails: Captcha, captcha_failed: Captcha },
  },
  {
    id: 'issueTokens',
    method: 'post',
    path: TOKEN_PATH,
    tag: 'Sign-in',
    summary: 'Sign in, or get the next tokens',
    description:
      'Issues an access token, valid for an hour, and a refresh token. Send a mailed code, a refresh token, or nothing for an anonymous ' +
      'user. The user becomes a member of the paywall.',
    access: ['anybody', 'user'],
    // Counted by address: two of the three grants ignore the token, so invented tokens would evade the limit.
    countedBy: 'address',
    bodies: { GiveTokens: TokenBody },
    idempotent: true,
    example: { grant_type: 'code', email: 'ada@example.com', code: '12345678', challenge } satisfies z.input<
      typeof TokenBody
    >,
    ifOutcomeUnknown:
      'it is unknown whether the code was used. If it was, a retry is answered 400 `invalid_grant`: then the user has to request ' +
      'another code.',
    reply: { status: 200, description: 'Signed in', body: tokens },
    ifResponseLost:
      'If a call was carried out and only its response was lost: with `grant_type: "anonymous"` a retry creates a second user, unless it ' +
      'has the same `Idempotency-Key`; with `grant_type: "refresh_token"` it gets the same tokens for 30 seconds, and later it ends the ' +
      'session.',
    errors: tokenErrors,
    details: { user_merged: Merged },
  },
  {
    id: 'endSession',
    method: 'post',
    path: END_PATH,
    tag: 'Sign-in',
    summary: 'Sign out',
    description:
      'Ends the session of a refresh token: from then on its access tokens are refused, and none of its refresh tokens gets new tokens.',
    access: ['anybody'],
    bodies: { EndSession: EndBody },
    example: { refresh_token } satisfies z.input<typeof EndBody>,
    reply: {
      status: 200,
      description: 'The session has ended',
      body: { name: 'SessionEnded', schema: EndReply, example: { ended: true } satisfies z.input<typeof EndReply> },
    },
    errors: endErrors,
  },
  {
    id: 'exchangeTokens',
    method: 'post',
    path: EXCHANGE_PATH,
    tag: 'Sign-in',
    summary: 'Get tokens for a user of your own sign-in',
    description:
      'For owners that sign in their users themselves: issues tokens for such a user, without a mailed code. An `email` must be an address ' +
      "that you have verified to be the user's, for example with a link that you mailed: the holder of the tokens has access to everything " +
      'that the user of that address has on your paywalls. Never send an address that somebody has only typed.',
    access: ['owner'],
    bodies: { ExchangeTokens: ExchangeBody },
    example: { email: 'ada@example.com' } satisfies z.input<typeof ExchangeBody>,
    reply: { status: 200, description: 'Signed in', body: tokens },
    errors: exchangeErrors,
  },
]
