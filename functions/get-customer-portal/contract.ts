import * as z from 'zod'
import type { GateRefusal } from '../../lib/auth/gate.ts'
import { callerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors, withError } from '../../lib/http/errors.ts'
import { email, externalIdOr, USER_META, userMeta } from '../../lib/http/user-fields.ts'
import type { MemberRefusal } from '../../lib/members/member.ts'
import { memberErrors, metaErrors } from '../../lib/members/member-errors.ts'

export const PATH = '/api/v1/paywall/:id/get-customer-portal'

/** The body of an owner's call. With a Bearer token, which identifies the user, the body is not read. */
export const Body = z
  .object(
    {
      email: z
        .string('Email is required')
        .nullish()
        .transform((text) => text || undefined)
        .pipe(email.optional())
        .describe("The user's e-mail address. Required unless `externalId` is sent"),
      externalId: externalIdOr('Invalid externalId').describe(
        'Your own id of the user. If `email` is sent too, both must belong to the same user',
      ),
      userMeta: userMeta.describe(USER_META),
    },
    'invalid_body',
  )
  .refine((body) => body.email || body.externalId, 'Email is required')
  .transform(({ email: address, ...body }) => ({ ...body, email: address || undefined }))

export const Reply = z.object({
  url: z
    .url()
    .describe("A one-time URL of the processor's hosted portal. It expires soon: redirect the user immediately"),
})

/** `full_meta`: the user's meta would be too large. */
export type FindRefusal = GateRefusal | MemberRefusal | 'no_subscription' | 'full_meta'

type PortalRefusal = FindRefusal | 'no_credential' | 'bad_token' | 'no_portal'

/** The error for each refusal (contract section 7). `portal_unavailable` carries `isTest`. */
export const errors = defineErrors<PortalRefusal>({
  ...callerErrors,
  ...memberErrors,
  unknown_identity: withError(memberErrors.unknown_identity, 404, 'identity_not_on_paywall'),
  no_subscription: [403, 'portal_unavailable', 'The user has no active subscription'],
  no_portal: [403, 'portal_unavailable', 'The processor of the paywall has no customer portal'],
  ...metaErrors,
})

const isTest = z.enum(['0', '1']).describe('`1` for a test paywall, `0` for a live one')
const unavailable = z.object({ isTest })

const example = { url: 'https://billing.example.com/session/a1b2c3' } satisfies z.input<typeof Reply>

export const operations: ApiOperation[] = [
  {
    id: 'getCustomerPortal',
    method: 'post',
    path: PATH,
    tag: 'Subscription',
    summary: "Open the processor's customer portal",
    description:
      "Returns a link to the processor's portal, where a user with an active subscription can see invoices, change " +
      'the card and cancel. With a Bearer token, which identifies the user, the body is optional and ignored.',
    access: ['owner', 'user'],
    bodies: { GetCustomerPortal: Body },
    bodyOptional: true,
    example: { email: 'ada@example.com' } satisfies z.input<typeof Body>,
    reply: {
      status: 200,
      description: 'The link to the portal',
      body: { name: 'CustomerPortal', schema: Reply, example },
    },
    errors,
    details: { no_subscription: unavailable, no_portal: unavailable },
    needs: ['processor'],
  },
]
