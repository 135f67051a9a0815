// Refunds at Chargebee. A refund there has no field that names ours: only the idempotency key makes a retry harmless, which is kept for half
// an hour. So it is the same in all attempts, and no later attempt is made.
import { ProcessorError, type RefundOrder, type RefundResult } from '../processor.ts'
import { type Calls, inPath, parse } from './api.ts'
import { isRefused } from './charging.ts'
import { refundFact } from './events.ts'
import { type Invoice, InvoiceReply, TransactionReply } from './objects.ts'
import { fromChargebee, toChargebee } from './translate.ts'

/** A little less than half an hour. */
const REPEATABLE_MS = 25 * 60_000

/** See `ProcessorMethods.refundPayment`. */
export async function refundPayment(calls: Calls, order: RefundOrder, now: Date): Promise<RefundResult> {
  if (now.getTime() - order.requestedAt.getTime() > REPEATABLE_MS) {
    throw new ProcessorError('chargebee', 'rejected', 'too late to repeat a refund', { answered: true })
  }
  const { id, paymentId, amount, currency } = order
  const fields = { refund_amount: toChargebee(amount, currency) }
  try {
    const reply = await calls.post(`/invoices/${inPath(paymentId)}/refund`, fields, id)
    const { transaction } = parse(TransactionReply, reply)
    const returned = fromChargebee(transaction.amount, currency)
    return { outcome: 'refunded', id: transaction.id, amount: returned, fact: refundFact(transaction, paymentId, now) }
  } catch (error) {
    if (!isRefused(error)) throw error
    const left = await amountLeft(calls, order)
    if (left < amount) return { outcome: 'too_large', left }
    throw error
  }
}

/** What was paid of the invoice, less its credit notes. */
async function amountLeft({ get }: Calls, { paymentId, currency }: RefundOrder): Promise<number> {
  const reply = await get(`/invoices/${inPath(paymentId)}`, InvoiceReply)
  return reply ? fromChargebee(paid(reply.invoice) - credited(reply.invoice), currency) : 0
}

const paid = ({ linked_payments: payments }: Invoice) =>
  payments.reduce((sum, { txn_status: status, txn_amount: amount = 0 }) => sum + (status === 'success' ? amount : 0), 0)

const credited = ({ issued_credit_notes: notes }: Invoice) =>
  notes.reduce((sum, { cn_status: status, cn_total: total = 0 }) => sum + (status === 'voided' ? 0 : total), 0)
