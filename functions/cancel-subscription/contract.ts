import * as z from 'zod'
import { time } from '../../lib/access/purchase.ts'
import type { GateRefusal } from '../../lib/auth/gate.ts'
import { missingCredentialErrors, ownerErrors, userErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors, withError } from '../../lib/http/errors.ts'
import { CANCELLATION_REASON_LENGTH } from '../../lib/http/input-limits.ts'
import { email, externalIdOr } from '../../lib/http/user-fields.ts'
import type { Identity, MemberRefusal } from '../../lib/members/member.ts'
import { memberErrors } from '../../lib/members/member-errors.ts'
import { PURCHASE_STATUSES } from '../../lib/processors/processor.ts'

export const PATH = '/api/paywall/cancel-subscription'

describeCodes({
  'subscriptionId is required': '`subscriptionId` is required: the `id` of a purchase',
  'cancellationReason is required': `\`cancellationReason\` is required: text of at most ${CANCELLATION_REASON_LENGTH} characters`,
  'cancellationReason too long': `\`cancellationReason\` must not exceed ${CANCELLATION_REASON_LENGTH} characters`,
})

const required = (name: string) => z.string(`${name} is required`).trim().min(1, `${name} is required`)

/** The body of a user's call. The token identifies the user. */
export const UserBody = z.object(
  {
    subscriptionId: required('subscriptionId').describe(
      "The purchase's `id`, as returned by the user endpoint and sent in events. The processor's own id works too",
    ),
    cancellationReason: required('cancellationReason')
      .max(CANCELLATION_REASON_LENGTH, 'cancellationReason too long')
      .describe('The reason, in the words of the person who cancels. It is stored and passed on to the processor'),
  },
  'invalid_body',
)

/** Absent, null and empty are equivalent. */
const identity = z
  .string('identity_required')
  .nullish()
  .transform((text) => text || undefined)

/** The body of an owner's call, which also names the paywall, and the user by `email`, `userId` or `externalId`. */
export const OwnerBody = z
  .object(
    {
      paywallId: z
        .string('identity_required')
        .min(1, 'identity_required')
        .describe('The paywall where the subscription was bought'),
      ...UserBody.shape,
      email: identity
        .pipe(email.optional())
        .describe("The user's e-mail address. At least one of `email`, `userId` and `externalId` is required"),
      userId: identity.describe(
        "The user's id, as returned by start-checkout and sent in events. All identifiers sent must belong to the " +
          'same user',
      ),
      externalId: externalIdOr('identity_required').describe('Your own id of the user'),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.userId || body.externalId, 'identity_required')

export type CancelRequest = Identity & z.output<typeof UserBody>

export const Reply = z.object({
  success: z.literal(true),
  message: z.string().describe('A human-readable message'),
  subscription: z
    .object({
      id: z.string().describe("The purchase's `id`"),
      status: z
        .enum(PURCHASE_STATUSES)
        .describe(
          'Unchanged, usually `active`, until the current period is over. `canceled` if the subscription and its ' +
            'access ended at once, as a cancelled trial does at some processors',
        ),
      cancel_at_period_end: z.literal(true),
      cancel_at: time.nullable().describe('When the subscription ends, or ended'),
      canceled_at: time.nullable().describe('When it was cancelled'),
    })
    .describe(
      "As confirmed by the processor. The user endpoint shows it shortly after, at the latest with the processor's " +
        'webhook',
    ),
})

/** Why this call does not cancel the subscription: see claim-cancellation.sql. */
export type ClaimRefusal = GateRefusal | MemberRefusal | 'unknown_subscription' | 'already_cancelled'

type CancelRefusal = ClaimRefusal | 'no_credential' | 'anonymous' | 'bad_token' | 'mismatched_identity'

/** The error for each refusal (contract section 7). */
export const errors = defineErrors<CancelRefusal>({
  no_credential: withError(missingCredentialErrors.no_credential, 403, 'Unauthorized'),
  anonymous: [
    403,
    'Unauthorized',
    "The token's user is anonymous. This requires a user with an e-mail address or an external id",
  ],
  ...userErrors,
  ...ownerErrors,
  ...memberErrors,
  unknown_identity: withError(memberErrors.unknown_identity, 404, 'identity_not_on_paywall'),
  mismatched_identity: [
    404,
    'identity_not_found',
    'The e-mail address, the user id and the external id belong to different users',
  ],
  unknown_subscription: [404, 'Subscription not found', 'The user has no such subscription on the paywall'],
  already_cancelled: [400, 'Subscription is already cancelled', 'The subscription is already cancelled or has ended'],
})

const example = {
  success: true,
  message: 'Subscription will be cancelled at the end of the current billing period',
  subscription: {
    id: '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11',
    status: 'active',
    cancel_at_period_end: true,
    cancel_at: '2026-12-01T09:00:00.000Z',
    canceled_at: '2026-11-14T12:30:00.000Z',
  },
} satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'cancelSubscription',
    method: 'post',
    path: PATH,
    tag: 'Subscription',
    summary: 'Cancel a subscription',
    description:
      'Stops the renewal of a subscription: it ends with its current period, and the user keeps access until then. ' +
      'The response is sent once the processor has confirmed the cancellation; if nothing confirms it within 3 ' +
      'seconds, the response is 502 `processor_unavailable`, and a retry is safe. Repeated and concurrent calls ' +
      'cancel once at the processor. Anonymous users cannot cancel. With a Bearer token the subscription may be on ' +
      'any paywall of the owner, unless `X-Paywall-Id` or the custom domain names one.',
    access: ['owner', 'user'],
    bodies: { CancelByOwner: OwnerBody, CancelByUser: UserBody },
    example: {
      paywallId: '1001',
      email: 'ada@example.com',
      subscriptionId: '5f0f7a1e-3d5b-4a39-8a52-6c1f5f0d9e11',
      cancellationReason: 'Too expensive',
    } satisfies z.input<typeof OwnerBody>,
    reply: {
      status: 200,
      description: 'The subscription will not be renewed',
      body: { name: 'Cancelled', schema: Reply, example },
    },
    ifResponseLost:
      '`Retry-After` is 30 if the processor was not called and it is unknown whether the call was recorded. An ' +
      'earlier retry may get 400 `Subscription is already cancelled` although it is not; a retry after that time ' +
      'cancels.',
    errors,
    needs: ['processor'],
  },
]
