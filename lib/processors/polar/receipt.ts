import type { PolarCore } from '@polar-sh/sdk/2026-10'
import { receiptOrders } from '@polar-sh/sdk/2026-10/services/orders'
import * as z from 'zod'
import type { Receipt } from '../processor.ts'
import { receiptUrl } from '../receipt-url.ts'
import { PolarRefusal, parse } from './api.ts'

const InProgress = z.object({ in_progress: z.literal(true) })

/**
 * The PDF of an order's receipt, at a presigned address. Polar makes it at the first request, and replies 202 until it is ready
 * (server/polar/receipt/service.py). An order has a receipt once it is paid; the replica that is read may not show that yet.
 */
export async function readReceipt(api: PolarCore, order: string, base: string | null): Promise<Receipt | null> {
  try {
    const reply = parse(z.union([InProgress, z.object({ url: receiptUrl(base) })]), await receiptOrders(api)(order))
    return 'url' in reply ? { kind: 'page', url: reply.url } : { kind: 'pending' }
  } catch (error) {
    const hasNone = error instanceof PolarRefusal && (error.isMissing || error.code === 'ReceiptNotAllocated')
    if (hasNone) return null
    throw error
  }
}
