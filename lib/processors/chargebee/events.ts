import * as z from 'zod'
import { InvalidSignature, type ProcessorEvent, parseEvent, processorId, type WebhookRequest } from '../event.ts'
import type { ObjectVersions } from '../object-versions.ts'
import type { PaymentFact, PurchaseReference } from '../processor.ts'
import { includedDiscount, includedTax } from '../taxes.ts'
import { CreditNote, Invoice, id, seconds, Transaction, Versioned } from './objects.ts'
import { fromChargebee, isCheckoutId, readVersions } from './translate.ts'

const Event = z.object({ id: processorId, event_type: z.string(), occurred_at: seconds, content: z.unknown() })
type Event = z.output<typeof Event>

/** The body of an event. JSON parsing is part of the schema, so that invalid JSON is reported as malformed. */
const Body = z.string().transform((text): unknown => JSON.parse(text))

// The fields that identify a purchase are parsed separately first: objects that the site sells without us may have any shape.
const SubscriptionContent = z.object({ subscription: z.object({ id: z.string() }) })
const NamedInvoice = Invoice.pick({ id: true, subscription_id: true, po_number: true }).extend({ id: z.string() })
const InvoiceContent = z.object({ invoice: NamedInvoice })
const NamedPayment = z.object({ subscription_id: z.string().optional() })
const PaymentContent = z.object({ transaction: NamedPayment, invoice: NamedInvoice.optional() })
const AnyContent = z.object({ transaction: z.object({ type: z.string() }) })
const PaidInvoice = Invoice.pick({ line_items: true, total: true, tax: true, discounts: true }).extend({ id })
const TransactionContent = z.object({ transaction: Transaction, invoice: PaidInvoice.optional() })
const RefundContent = TransactionContent.extend({ credit_note: CreditNote.optional() })

/** Looks up a reversed payment if its reversal does not name the invoice; null if the site does not have it. */
export type FindTransaction = (id: string) => Promise<Transaction | null>

/**
 * Authenticates the sender, then parses the event. Chargebee does not sign webhooks: a caller with the right user and password is trusted,
 * and money facts are taken from the event; the purchase itself is fetched.
 */
export async function readChargebeeEvent(
  { headers, rawBody }: WebhookRequest,
  { user, password }: { user: string; password: string },
  find: FindTransaction,
): Promise<ProcessorEvent> {
  const sent = readBasicAuth(headers.get('authorization') ?? '')
  if (sent === null || !(await isSame(sent, `${user}:${password}`))) {
    throw new InvalidSignature('chargebee: wrong user or password')
  }
  const event = parseEvent(Body.pipe(Event), rawBody)
  const { about, payment = null } = await read(event, find)
  const isReminder = event.event_type === 'subscription_trial_end_reminder'
  const trialEnding = about !== null && isReminder
  return { id: event.id, about, payment: about && payment, trialEnding, versions: about ? versionsIn(event) : {} }
}

/**
 * The versions of the objects that a read of the purchase contains. An invoice of a former term, which was refunded or paid late, may be
 * years old: no read contains it, and it does not change the subscription.
 */
function versionsIn({ content, occurred_at: occurredAt }: Event): ObjectVersions {
  const { subscription, invoice } = Versioned.safeParse(content).data ?? {}
  const isReadable =
    invoice?.subscription_id === undefined || invoice.line_items.some(({ date_to }) => date_to > occurredAt)
  return readVersions(...[subscription, isReadable ? invoice : undefined].flatMap((each) => each ?? []))
}

interface Read {
  /** Null if it concerns a purchase of another system, or none. */
  about: PurchaseReference | null
  payment?: PaymentFact | null
}

async function read(
  { event_type: type, content, occurred_at: occurredAt }: Event,
  find: FindTransaction,
): Promise<Read> {
  switch (type) {
    case 'subscription_created':
    case 'subscription_started':
    case 'subscription_activated':
    case 'subscription_changed':
    case 'subscription_changes_scheduled':
    case 'subscription_scheduled_changes_removed':
    case 'subscription_trial_extended':
    case 'subscription_trial_end_reminder':
    case 'subscription_renewed':
    case 'subscription_cancellation_scheduled':
    case 'subscription_scheduled_cancellation_removed':
    case 'subscription_cancelled':
    case 'subscription_reactivated':
    case 'subscription_paused':
    case 'subscription_resumed':
      return { about: subscriptionReference(parseEvent(SubscriptionContent, content).subscription.id) }
    case 'invoice_updated':
      return { about: invoiceReference(parseEvent(InvoiceContent, content).invoice) }
    case 'payment_initiated':
    case 'payment_succeeded':
    case 'payment_failed': {
      const about = paymentReference(parseEvent(PaymentContent, content))
      if (about === null || type === 'payment_initiated') return { about }
      const { transaction, invoice } = parseEvent(TransactionContent, content)
      const kind = type === 'payment_succeeded' ? 'succeeded' : 'failed'
      const paymentId = invoice?.id ?? transaction.linked_invoices[0]?.invoice_id ?? transaction.id
      const payment = toFact(kind, transaction, { id: transaction.id, paymentId, occurredAt })
      return { about, payment: payment && { ...payment, ...(kind === 'succeeded' && paidFor(transaction, invoice)) } }
    }
    case 'payment_refunded': {
      const about = paymentReference(parseEvent(PaymentContent, content))
      if (about === null) return { about }
      const { transaction, invoice, credit_note: note } = parseEvent(RefundContent, content)
      // Depending on its settings, a site creates a credit note for a chargeback, and records a refund.
      const isChargeback = note?.reason_code === 'chargeback' || transaction.payment_method === 'chargeback'
      if (transaction.status !== 'success') return { about }
      const paymentId = invoice?.id ?? invoiceRefunded(transaction) ?? transaction.refunded_txn_id ?? transaction.id
      // A chargeback is identified by its credit note, which the invoice shows. If the event names none, the invoice has it.
      const id = isChargeback ? (note?.id ?? creditNote(transaction)?.cn_id) : transaction.id
      if (id === undefined) return { about }
      return {
        about,
        payment: toFact(isChargeback ? 'disputed' : 'refunded', transaction, { id, paymentId, occurredAt }),
      }
    }
    // Refunds and payments have events of their own. A payment that the bank reverses has none, nor has a refund that fails.
    case 'transaction_created':
    case 'transaction_updated': {
      const { type: kind } = parseEvent(AnyContent, content).transaction
      const isReversal = kind === 'payment_reversal'
      if (!isReversal && !(kind === 'refund' && type === 'transaction_updated')) return { about: null }
      const { transaction } = parseEvent(TransactionContent, content)
      const { about, paymentId } = await locateReversal(transaction, find)
      const what = isReversal ? findReversal(transaction) : refundFailed(transaction)
      return { about, payment: what && toFact(what.kind, transaction, { id: what.id, paymentId, occurredAt }) }
    }
    default:
      // The owner chooses which events Chargebee sends. Other types are not about purchases.
      return { about: null }
  }
}

const subscriptionReference = (subscription: string): PurchaseReference | null =>
  isCheckoutId(subscription) ? { kind: 'subscription', id: subscription } : null

function invoiceReference(invoice: z.output<typeof NamedInvoice>): PurchaseReference | null {
  if (invoice.subscription_id !== undefined) return subscriptionReference(invoice.subscription_id)
  return isCheckoutId(invoice.po_number) ? { kind: 'payment', id: parseEvent(id, invoice.id) } : null
}

function paymentReference({ transaction, invoice }: z.output<typeof PaymentContent>): PurchaseReference | null {
  const { subscription_id: subscription } = transaction
  if (subscription !== undefined) return subscriptionReference(subscription)
  return invoice ? invoiceReference(invoice) : null
}

/** What a payment of an invoice pays for: its tax, its discount and its term. */
function paidFor(
  { amount, currency_code: currency }: Transaction,
  invoice: z.output<typeof PaidInvoice> | undefined,
): Pick<PaymentFact, 'tax' | 'discount' | 'paysFor'> {
  const off = invoice?.discounts.reduce((sum, { amount }) => sum + amount, 0)
  const discount = invoice && includedDiscount(amount, { total: invoice.total, discount: off })
  const tax = invoice && includedTax(amount, { total: invoice.total, tax: invoice.tax })
  return {
    tax: tax && fromChargebee(tax, currency),
    discount: discount && fromChargebee(discount, currency),
    ...termPaid(invoice),
  }
}

/** The term of an invoice: that of the plan which begins last. It may also contain remaining charges of the previous term. */
function termPaid(invoice: z.output<typeof PaidInvoice> | undefined): Pick<PaymentFact, 'paysFor'> {
  const terms = invoice?.line_items.flatMap(
    ({ entity_type: type, entity_id: processorPrice, quantity, date_from: from }) =>
      type === 'plan_item_price' && processorPrice !== undefined && from
        ? [{ from: from.toISOString(), processorPrice, quantity }]
        : [],
  )
  const latest = terms?.toSorted((one, other) => one.from.localeCompare(other.from)).at(-1)
  return latest ? { paysFor: latest } : {}
}

const creditNote = ({ linked_credit_notes: [note] }: Transaction) => note
const invoiceRefunded = (transaction: Transaction) => creditNote(transaction)?.cn_reference_invoice_id

/** A reversal or a refund names the invoice, or only the reversed payment, which names it. */
async function locateReversal(
  reversal: Transaction,
  find: FindTransaction,
): Promise<{ about: PurchaseReference | null; paymentId: string }> {
  const payment = reversal.linked_payments[0]?.id ?? reversal.refunded_txn_id
  const named = reversal.linked_invoices[0]?.invoice_id ?? invoiceRefunded(reversal)
  const subscription = reversal.subscription_id
  if (subscription !== undefined && !isCheckoutId(subscription)) return { about: null, paymentId: reversal.id }
  const invoice = named ?? (payment && (await find(payment))?.linked_invoices[0]?.invoice_id)
  const about =
    subscription !== undefined ? subscriptionReference(subscription) : invoice ? paidInvoiceReference(invoice) : null
  return { about, paymentId: invoice ?? payment ?? reversal.id }
}

const paidInvoiceReference = (invoice: string): PurchaseReference => ({ kind: 'payment', id: invoice })

/** A payment that a bank has reversed, identified by the payment's id; or that the seller has received again. */
function findReversal(reversal: Transaction): { kind: PaymentFact['kind']; id: string } | null {
  const id = reversal.linked_payments[0]?.id ?? reversal.id
  if (reversal.status === 'voided' || reversal.reversal_transaction_id !== undefined) return { kind: 'dispute_won', id }
  return reversal.status === 'success' ? { kind: 'disputed', id } : null
}

export const hasFailed = ({ status }: Transaction) =>
  status === 'failure' || status === 'voided' || status === 'late_failure'

/** A failed refund, or a chargeback by credit note that was reversed. */
function refundFailed(refund: Transaction): { kind: PaymentFact['kind']; id: string } | null {
  if (!hasFailed(refund)) return null
  if (refund.payment_method !== 'chargeback') return { kind: 'refund_failed', id: refund.id }
  const note = creditNote(refund)
  return note ? { kind: 'dispute_won', id: note.cn_id } : null
}

/** What a refund has moved; null while it is in progress. */
export function refundFact(transaction: Transaction, paymentId: string, occurredAt: Date): PaymentFact | null {
  const kind = hasFailed(transaction) ? 'refund_failed' : transaction.status === 'success' ? 'refunded' : null
  return kind && toFact(kind, transaction, { id: transaction.id, paymentId, occurredAt })
}

function toFact(
  kind: PaymentFact['kind'],
  { amount, currency_code: currency }: Transaction,
  which: Pick<PaymentFact, 'id' | 'occurredAt'> & { paymentId: string },
): PaymentFact | null {
  return amount > 0 ? { kind, ...which, amount: fromChargebee(amount, currency), currency } : null
}

/** Decodes the header to `user:password`; null if it is missing or malformed. */
function readBasicAuth(authorization: string): string | null {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1]
  try {
    return encoded === undefined ? null : atob(encoded)
  } catch {
    return null
  }
}

/** Compares in constant time: MACs of both texts under a random key of this call. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = [one, other].map((text) => new TextEncoder().encode(text))
  const raw = crypto.getRandomValues(new Uint8Array(32))
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  return crypto.subtle.verify('HMAC', key, await crypto.subtle.sign('HMAC', key, first!), second!)
}
