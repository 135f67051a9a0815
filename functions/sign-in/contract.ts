import * as z from 'zod'
import type { OwnerRefusal } from '../../lib/auth/gate.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { externalIdOr, newEmail } from '../../lib/http/user-fields.ts'
import type { NameRefusal } from '../../lib/members/member.ts'
import { emailFor } from './email-field.ts'
import { type GrantRefusal, refreshToken, TokenBody, TokenReply, tokenErrors } from './grants.ts'

const SIGN_IN = '/api/v1/paywall/:id/sign-in'

/** Mails a code. */
export const CODE_PATH = `${SIGN_IN}/code` as const

export const CodeBody = z.object(
  { email: emailFor('The address to mail the code to. Case and surrounding white space do not matter') },
  'invalid_body',
)

const request = z.string()

const CodeReply = z.object({
  sent: z
    .literal(true)
    .describe(
      'The same for every address, whether or not it belongs to a user, and also where an address gets no other mail, because it ' +
        'has a code of 18 digits that is good for ten minutes or more',
    ),
  request: request.describe(
    'To send to `sign-in/token` together with the code: a code of six digits works for the call that asked for it, and no other',
  ),
})

const TooManyCodes = z.object({
  request: request.describe(
    'To send to `sign-in/token` together with the code of 18 digits that was mailed if the address is known here: show the user a ' +
      'field for a code, with this `message`',
  ),
})

type CodeRefusal = 'unknown_paywall' | 'too_many_codes'

/** How `code` says each refusal. `rate_limit_exceeded` comes with `Retry-After` and `request`. */
export const codeErrors = defineErrors<CodeRefusal>({
  unknown_paywall: [404, 'paywall_not_found'],
  too_many_codes: [429, 'rate_limit_exceeded'],
})

/** Gives tokens for a code, for nothing (an anonymous user) or for a refresh token: see grants.ts. */
export const TOKEN_PATH = `${SIGN_IN}/token` as const

/** Ends a session. */
export const END_PATH = `${SIGN_IN}/end` as const

export const EndBody = z.object(
  { refresh_token: refreshToken.describe('A refresh token of the session, the latest or one before it') },
  'invalid_body',
)

const EndReply = z.object({
  ended: z.literal(true).describe('The same whether the session had ended before, or there never was one'),
})

/** How `end` says each refusal. What has not the form of a refresh token is `invalid_grant`. */
export const endErrors = defineErrors<GrantRefusal>({
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
            'The address of the user whom you have signed in. You must have proven that it is theirs. Required, unless `external_id` is sent. A new user is created, ' +
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
export const exchangeErrors = defineErrors<ExchangeRefusal | 'no_credential'>({
  no_credential: [401, 'Unauthorized'],
  unknown_key: [401, 'Invalid API key'],
  test_key: [401, 'Invalid API key'],
  live_key: [401, 'Invalid API key'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
  unknown_identity: [404, 'identity_not_found'],
  other_external_id: [409, 'external_id_mismatch'],
})

/** Examples. In constants of their own, since no bundle can leave out what reads a field of an object. */
const nonce = 'Q2wqYl0c7kXn3o9vT5yJm1sRbE8dHaZgUeFiOpLtK4w'
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
      'Mails a code of six digits, which `sign-in/token` takes together with the `request` of this answer. Codes mailed before stay ' +
      'good until they expire. From one network an address gets at most five codes an hour, and in all 30; a network and a paywall ' +
      'have their limits, too. Where one of them is used up, an address gets codes of 18 digits instead, which work with any ' +
      '`request` and from everywhere: let your users type either. If the five codes of a network for the address are used up, or what ' +
      'a network or the paywall has, the answer is 429; in the latter two cases only an address that is known here gets such a code. ' +
      'If an anonymous user has bought something and gave the processor this address, the mail says so, and the code brings that to ' +
      'the user who signs in with it.',
    access: ['anybody'],
    bodies: { SendSignInCode: CodeBody },
    example: { email: 'ada@example.com' } satisfies z.input<typeof CodeBody>,
    reply: {
      status: 200,
      description: 'The code is on its way',
      body: {
        name: 'CodeSent',
        schema: CodeReply,
        example: { sent: true, request: nonce } satisfies z.input<typeof CodeReply>,
      },
    },
    ifResponseLost:
      'If the call was carried out and only its answer was lost, no code was mailed. The call counts as one of the five of the ' +
      'hour; where the code would have had 18 digits, the next one is mailed ten minutes later, or six hours.',
    errors: codeErrors,
    details: { too_many_codes: TooManyCodes },
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
    example: { grant_type: 'code', email: 'ada@example.com', code: '123456', request: nonce } satisfies z.input<
      typeof TokenBody
    >,
    ifOutcomeUnknown:
      'it is not known whether the code was used. If it was, a repeat is answered 400 `invalid_grant`: then the user has to ask ' +
      'for another code.',
    reply: { status: 200, description: 'Signed in', body: tokens },
    ifResponseLost:
      'If a call was carried out and only its answer was lost: with `grant_type: "anonymous"` a repeat makes a second user, unless its ' +
      '`attempt` is the same; with ' +
      '`grant_type: "refresh_token"` it gets the same tokens for 30 seconds, and later it ends the session.',
    errors: tokenErrors,
  },
  {
    id: 'endSession',
    method: 'post',
    path: END_PATH,
    tag: 'Sign-in',
    summary: 'Sign out',
    description:
      'Ends the session of a refresh token: none of its refresh tokens gets new tokens from then on. Its access tokens last out ' +
      'their hour.',
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
      'For owners who sign in their users themselves: gives tokens for such a user, without a mailed code. An `email` must be an address ' +
      "that you have proven to be that person's, such as by a link that you mailed: whoever gets the tokens has all that the user of " +
      'that address has on your paywalls. Never pass on what somebody has only typed.',
    access: ['owner'],
    bodies: { ExchangeTokens: ExchangeBody },
    example: { email: 'ada@example.com' } satisfies z.input<typeof ExchangeBody>,
    reply: { status: 200, description: 'Signed in', body: tokens },
    errors: exchangeErrors,
  },
]
