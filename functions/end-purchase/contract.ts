import * as z from 'zod'
import { PurchaseWithPayment } from '../../lib/access/purchase.ts'
import type { OwnerRefusal } from '../../lib/auth/gate.ts'
import { missingKeyErrors, ownerErrors } from '../../lib/auth/gate-errors.ts'
import type { ApiOperation } from '../../lib/http/api-operation.ts'
import { defineErrors } from '../../lib/http/errors.ts'
import { PURCHASE_STATUSES } from '../../lib/processors/processor.ts'
import {
  EXAMPLE_ENDED,
  EXAMPLE_PURCHASE_ID,
  ownerNote,
  purchaseErrors,
  purchaseParams,
} from '../../lib/purchases/purchase-fields.ts'

export const PATH = '/api/v1/paywall/:id/purchases/:purchase/end'

export type EndRefusal = OwnerRefusal | 'unknown_purchase' | 'already_ended'

/** The error for each refusal. */
export const errors = defineErrors<EndRefusal | 'no_credential'>({
  ...missingKeyErrors,
  ...ownerErrors,
  ...purchaseErrors,
  already_ended: [409, 'purchase_ended', 'The purchase has ended already: see `status`'],
})

export const Body = z.object(
  {
    reason: ownerNote.describe(
      'Your note of why you end it. It is stored, and neither the buyer nor the processor gets it',
    ),
  },
  'invalid_body',
)

export const Reply = z.object({
  purchase: PurchaseWithPayment,
  stopped: z
    .boolean()
    .describe(
      'Whether the processor has confirmed that it charges nothing more. If not, because it did not respond, we ' +
        'repeat the request until it does. True for a one-time purchase',
    ),
})

const status = z.object({ status: z.enum(PURCHASE_STATUSES).describe("The purchase's status") })

export const operations: ApiOperation[] = [
  {
    id: 'endPurchase',
    method: 'post',
    path: PATH,
    tag: 'Purchases',
    summary: 'End a purchase at once',
    description:
      'Ends a subscription or a one-time purchase at once: it gives no access from now on, and its processor is made to ' +
      'end it, too, so that it charges nothing more. Nothing is refunded, and no tokens are removed. To let a ' +
      'subscription end with its period, cancel it.',
    access: ['owner'],
    params: purchaseParams,
    exampleParams: { purchase: EXAMPLE_PURCHASE_ID },
    bodies: { PurchaseEnd: Body },
    bodyOptional: true,
    example: { reason: 'Chargeback abuse' } satisfies z.input<typeof Body>,
    reply: {
      status: 200,
      description: 'The purchase has ended',
      body: { name: 'EndedPurchase', schema: Reply, example: { purchase: EXAMPLE_ENDED, stopped: true } },
    },
    errors,
    details: { already_ended: status },
    ifResponseLost: 'The purchase has ended: a retry is answered 409 `purchase_ended`.',
  },
]
