import * as z from 'zod'
import { currency, PurchaseWithPayment, time } from '../../lib/access/purchase.ts'
import type { OwnerRefusal } from '../../lib/auth/gate.ts'
import { missingKeyErrors, ownerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { describeCodes } from '../../lib/http/code-meanings.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { idempotencyErrors } from '../../lib/http/shared-errors.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import {
  EXAMPLE_ENDED,
  EXAMPLE_PURCHASE_ID,
  ownerNote,
  purchaseErrors,
  purchaseParams,
} from '../../lib/purchases/purchase-fields.ts'

export const PATH = '/api/v1/paywall/:id/purchases/:purchase/refund'

/**
 * Why nothing is refunded: see begin-refund.sql. `unsupported`: the processor cannot refund through its API. `nothing_paid`: no
 * payment of the purchase has succeeded. `refunded`: nothing is left of the payment. `too_much`: less than the amount is left.
 */
export type RefundRefusal =
  | 'unsupported'
  | 'nothing_paid'
  | 'pending'
  | 'unknown_payment'
  | 'disputed'
  | 'refunded'
  | 'too_much'

export type ClaimRefusal = OwnerRefusal | RefundRefusal | 'unknown_purchase' | 'key_reused' | 'key_required'

/** The error for each refusal. */
export const errors = defineErrors<ClaimRefusal | 'no_credential' | 'refunding'>({
  ...missingKeyErrors,
  ...ownerErrors,
  ...purchaseErrors,
  ...idempotencyErrors,
  key_required: [400, 'idempotency_key_required', 'A live paywall requires an `Idempotency-Key`'],
  unknown_payment: [404, 'payment_not_found', 'No payment of the purchase with this id has succeeded'],
  unsupported: [
    403,
    'refund_unavailable',
    "The purchase's processor, named in `acquiring`, has no API for refunds. Refund the payment in its dashboard",
  ],
  nothing_paid: [409, 'nothing_paid', 'No payment of the purchase has succeeded yet, as on trial'],
  pending: [409, 'payment_pending', 'The payment has not arrived yet. It can be refunded once it has'],
  disputed: [
    409,
    'payment_disputed',
    "The buyer's bank disputes the payment, and returns the money itself if the buyer is right",
  ],
  refunded: [409, 'payment_refunded', 'Nothing is left of the payment: it was refunded, or its refund is in progress'],
  too_much: [
    409,
    'refund_exceeds_payment',
    'Less than `amount` is left of the payment: `available`. Nothing was refunded',
  ],
  refunding: [
    409,
    'refund_in_progress',
    'A call with the same `Idempotency-Key` is under way. Repeat this one after the time in `Retry-After`',
  ],
})

/** The largest amount that JavaScript counts exactly. */
const MAX_AMOUNT = Number.MAX_SAFE_INTEGER
const PAYMENT_LENGTH = 100

describeCodes({
  'Invalid amount': "`amount` must be an integer of at least 1, in minor units of the payment's currency",
  'Invalid payment': `\`payment\` must be a string of at most ${PAYMENT_LENGTH} characters`,
})

export const Body = z.object(
  {
    amount: z
      .int('Invalid amount')
      .min(1, 'Invalid amount')
      .max(MAX_AMOUNT, 'Invalid amount')
      .nullish()
      .transform((amount) => amount ?? undefined)
      .describe(
        'What to return, with taxes, in minor units of the currency: 499. Default: all that is left of the payment',
      ),
    payment: z
      .string('Invalid payment')
      .max(PAYMENT_LENGTH, 'Invalid payment')
      .nullish()
      .transform((id) => id || undefined)
      .describe("The payment's `id`, as in its events. Default: the latest payment of the purchase that succeeded"),
    reason: ownerNote.describe(
      'Your note of why you refund it. It is stored, and neither the buyer nor the processor gets it',
    ),
  },
  'invalid_body',
)

const Refund = z.object({
  id: z.uuid(),
  payment: z.uuid().describe("The payment's `id`, as in its events"),
  amount: z
    .int()
    .min(1)
    .describe(
      'What is returned, with taxes, in minor units. Where the processor computes the tax in it, it may be a minor unit ' +
        'less than requested',
    ),
  currency,
  status: z
    .enum(['succeeded', 'pending', 'failed'])
    .describe(
      '`pending`: the processor has accepted it, and is returning the money. The event `payment.refunded` comes once it ' +
        'has succeeded',
    ),
  created_at: time,
})

export const Reply = z.object({
  refund: Refund,
  purchase: PurchaseWithPayment.describe(
    'The purchase after the refund. A one-time purchase is `refunded` if nothing is left',
  ),
})

export type RefundReply = z.input<typeof Reply>

const example = {
  refund: {
    id: '9c1f0e0a-52a4-4c39-9d0e-3f3f0a4a9b61',
    payment: '2f1c0e0a-52a4-4c39-9d0e-3f3f0a4a9b60',
    amount: 499,
    currency: 'USD',
    status: 'succeeded',
    created_at: '2026-11-14T12:30:00.000Z',
  },
  purchase: { ...EXAMPLE_ENDED, status: 'active', canceled_at: null, access_until: '2026-12-04T09:00:00.000Z' },
} satisfies RefundReply

const available = z.object({
  available: z.int().min(0).describe('What is left of the payment, in minor units'),
})
const processor = z.object({ acquiring: z.enum(PROCESSOR_NAMES).describe("The purchase's processor") })

export const operations: ApiOperation[] = [
  {
    id: 'refundPurchase',
    method: 'post',
    path: PATH,
    tag: 'Purchases',
    summary: 'Refund a payment',
    description:
      'Returns one payment of a purchase to its buyer, in whole or in part, at the processor that charged it. Never more ' +
      'than what is left of the payment is returned, however many calls are made at the same time. A refund does not end ' +
      'a subscription; a one-time purchase whose payment is returned entirely gives no access any more. A retry with the ' +
      'same `Idempotency-Key` within 24 hours returns the same refund; while the first call is running, a retry waits ' +
      'up to 5 seconds for it. Live paywalls require the key.',
    access: ['owner'],
    params: purchaseParams,
    exampleParams: { purchase: EXAMPLE_PURCHASE_ID },
    bodies: { PurchaseRefund: Body },
    bodyOptional: true,
    example: { amount: 499, reason: 'Was down for a day' } satisfies z.input<typeof Body>,
    idempotent: true,
    reply: {
      status: 200,
      description: 'The processor has accepted the refund',
      body: { name: 'RefundedPurchase', schema: Reply, example },
    },
    errors,
    details: { too_much: available, unsupported: processor },
    retried: ['refunding'],
    ifResponseLost:
      'If the claim of a refund was stored and only its response was lost, a retry with the same `Idempotency-Key` is ' +
      'answered 409 `refund_in_progress` for up to 60 seconds, and then refunds once. Without a key, a retry is another ' +
      'refund, of what the first one has left.',
    needs: ['processor'],
  },
]
