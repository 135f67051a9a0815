import * as z from 'zod'
import type { OwnerRefusal } from '../../lib/auth/gate.ts'
import { missingKeyErrors, ownerErrors } from '../../lib/auth/gate-errors.ts'
import {
  GRANT_REASON_LENGTH,
  type GrantRefusal,
  GrantReply,
  grantDays,
  grantEnd,
  grantEndReason,
  grantReason,
  MAX_GRANT_DAYS,
} from '../../lib/grants/grant.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { idempotencyErrors } from '../../lib/http/shared-errors.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'

export const PATH = '/api/v1/paywall/:id/grants'
export const END_PATH = '/api/v1/paywall/:id/grants/:grant/end'

export type CreateRefusal = OwnerRefusal | GrantRefusal | 'key_reused'
export type EndRefusal = OwnerRefusal | 'unknown_grant'

const ENDS_AT_MEANING = `\`ends_at\` must be a time in ISO 8601 with its zone, such as \`2026-12-31T23:00:00Z\`, in the future and at most ${MAX_GRANT_DAYS} days away`

export const createErrors = defineErrors<CreateRefusal | 'no_credential'>({
  ...missingKeyErrors,
  ...ownerErrors,
  ...idempotencyErrors,
  ...memberErrors,
  unknown_price: [404, 'price_not_found', 'The paywall sells no price with this slug or id'],
  price_without_access: [400, 'price_without_access', 'The price is a pack, which gives no access: leave out `price`'],
  end_out_of_range: [400, 'invalid_ends_at', ENDS_AT_MEANING],
})

export const endErrors = defineErrors<EndRefusal | 'no_credential'>({
  ...missingKeyErrors,
  ...ownerErrors,
  unknown_grant: [404, 'grant_not_found', 'The paywall has no such grant'],
})

describeCodes({
  invalid_price: '`price` must be the slug or the id of a price, as text',
  invalid_days: `\`days\` must be an integer from 1 to ${MAX_GRANT_DAYS}`,
  invalid_ends_at: ENDS_AT_MEANING,
  end_required: 'Send either `days` or `ends_at`',
  reason_required: `\`reason\` is required: text of at most ${GRANT_REASON_LENGTH} characters`,
  invalid_reason: `\`reason\` must be text of at most ${GRANT_REASON_LENGTH} characters`,
})

/** The error codes are those of balances where it has them, in the order of the checks. */
export const Body = z
  .object(
    {
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
      price: z
        .string('invalid_price')
        .nullish()
        .transform((price) => price || undefined)
        .describe(
          'The slug or the id of a price on sale, whose features the user gets. Default: none, so the user is `paid` and has no features',
        ),
      days: grantDays
        .nullish()
        .describe(`For how many days of 24 hours: an integer from 1 to ${MAX_GRANT_DAYS}. Either this or \`ends_at\``),
      ends_at: grantEnd
        .nullish()
        .describe(
          `When the access ends: in the future, and at most ${MAX_GRANT_DAYS} days away. Either this or \`days\``,
        ),
      reason: grantReason.describe(
        `Why, for your colleagues: 1 to ${GRANT_REASON_LENGTH} characters. It is in the event, and the user never sees it`,
      ),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.user_id || body.external_id, 'identity_required')
  .refine((body) => (body.days == null) !== (body.ends_at == null), 'end_required')
  .transform(({ email, user_id: userId, external_id: externalId, ends_at: endsAt, ...grant }) => ({
    identity: { email: email || undefined, userId: userId || undefined, externalId },
    grant: { ...grant, endsAt },
  }))

export const EndParams = z.object({ grant: z.string().describe('The id of the grant') })

export const EndBody = z.object(
  {
    reason: grantEndReason.describe(
      `Why, for your colleagues: at most ${GRANT_REASON_LENGTH} characters. The user never sees it`,
    ),
  },
  'invalid_body',
)

const GRANT_ID = '7d0f5a52-9b1e-4f43-8a38-1d2c6f0b9e75'
const USER_ID = '0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e'

/** A grant in the examples of the API's document. */
export const EXAMPLE_GRANT = {
  id: GRANT_ID,
  price_id: 'price_3f1c9a2b7d4e5f60718293a4',
  price_slug: 'monthly',
  features: ['export'],
  created_at: '2026-11-15T12:00:00.000Z',
  ends_at: '2026-12-15T12:00:00.000Z',
  ended_at: null,
} satisfies z.input<typeof GrantReply>['grant']

const granted = { user_id: USER_ID, grant: EXAMPLE_GRANT } satisfies z.input<typeof GrantReply>
const ended = { user_id: USER_ID, grant: { ...EXAMPLE_GRANT, ended_at: '2026-11-20T08:00:00.000Z' } }

export const operations: ApiOperation[] = [
  {
    id: 'createGrant',
    method: 'post',
    path: PATH,
    tag: 'Grants',
    summary: 'Give a user access without a payment',
    description:
      "Until its end the user has access: `paid` is true, `features` has the price's features, and `access_until` the latest end. " +
      'A grant is no purchase: nothing is charged, it never prevents a purchase, and it credits no tokens. A user can have several; ' +
      'each ends by itself. Without an `Idempotency-Key` every call creates a grant. With one, a retry within 24 hours ' +
      'returns the first response and creates none.',
    access: ['owner'],
    bodies: { NewGrant: Body },
    example: {
      email: 'ada@example.com',
      price: 'monthly',
      days: 30,
      reason: 'Apology for the outage',
    } satisfies z.input<typeof Body>,
    idempotent: true,
    ifOutcomeUnknown: "it is unknown whether access was granted: read the user's `grants` before you retry",
    reply: {
      status: 200,
      description: 'Access was granted',
      body: { name: 'Granted', schema: GrantReply, example: granted },
    },
    errors: createErrors,
  },
  {
    id: 'endGrant',
    method: 'post',
    path: END_PATH,
    tag: 'Grants',
    summary: 'End a grant now',
    description:
      'Takes the access back at once. A grant that has ended stays as it is and the response is the same, so a retry is ' +
      'harmless. Whatever else gives the user access, such as a purchase or another grant, still does.',
    access: ['owner'],
    params: EndParams,
    exampleParams: { grant: GRANT_ID },
    bodies: { EndGrant: EndBody },
    bodyOptional: true,
    example: { reason: 'Granted to the wrong user' } satisfies z.input<typeof EndBody>,
    reply: {
      status: 200,
      description: 'The grant has ended',
      body: { name: 'EndedGrant', schema: GrantReply, example: ended },
    },
    errors: endErrors,
  },
]
