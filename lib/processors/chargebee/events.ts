import * as z from 'zod'
import { ForgedEvent, type Inbound, type ProcessorEvent, parseEvent, processorId } from '../event.ts'
import type { ObjectVersions } from '../object-versions.ts'
import type { PaymentFact, PurchaseReference } from '../processor.ts'
import { CreditNote, Invoice, id, seconds, Transaction, Versioned } from './objects.ts'
import { fromChargebee, isCheckoutId, readVersions } from './translate.ts'

const Event = z.object({ id: processorId, event_type: z.string(), occurred_at: seconds, content: z.unknown() })
type Event = z.output<typeof Event>

/** The body of an event. It is parsed in one go with its schema, so that text which is no JSON is malformed like any other. */
const Body = z.string().transform((text): unknown => JSON.parse(text))

// What names a purchase is read first and by itself: what the site sells without us may be as it likes.
const SubscriptionContent = z.object({ subscription: z.object({ id: z.string() }) })
const NamedInvoice = Invoice.pick({ id: true, subscription_id: true, po_number: true }).extend({ id: z.string() })
const InvoiceContent = z.object({ invoice: NamedInvoice })
const NamedPayment = z.object({ subscription_id: z.string().optional() })
const PaymentContent = z.object({ transaction: NamedPayment, invoice: NamedInvoice.optional() })
const AnyContent = z.object({ transaction: z.object({ type: z.string() }) })
const PaidInvoice = Invoice.pick({ line_items: true }).extend({ id })
const TransactionContent = z.object({ transaction: Transaction, invoice: PaidInvoice.optional() })
const RefundContent = TransactionContent.extend({ credit_note: CreditNote.optional() })

/** How a reversed payment is looked up whose reversal does not name the invoice; null if the site does not have it. */
export type FindTransaction = (id: string) => Promise<Transaction | null>

/**
 * Verifies who sends an event, then says what it is about. Chargebee signs nothing: whoever knows the user and the password is
 * believed, and money facts are taken from what it says; the purchase itself is fetched.
 */
export async function readChargebeeEvent(
  { headers, rawBody }: Inbound,
  { user, password }: { user: string; password: string },
  find: FindTransaction,
): Promise<ProcessorEvent> {
  const sent = readBasicAuth(headers.get('authorization') ?? '')
  if (sent === null || !(await isSame(sent, `${user}:${password}`))) {
    throw new ForgedEvent('chargebee: the user or the password is wrong')
  }
  const event = parseEvent(Body.pipe(Event), rawBody)
  const { about, payment = null } = await read(event, find)
  const isReminder = event.event_type === 'subscription_trial_end_reminder'
  const trialEnding = about !== null && isReminder
  return { id: event.id, about, payment: about && payment, trialEnding, versions: about ? versionsIn(event) : {} }
}

/**
 * The versions of what a purchase is read from. An invoice of a subscription's former term, of which money went back or which was paid
 * late, may be years old: no read shows it, and it changes nothing of the subscription.
 */
function versionsIn({ content, occurred_at: occurredAt }: Event): ObjectVersions {
  const { subscription, invoice } = Versioned.safeParse(content).data ?? {}
  const isReadable =
    invoice?.subscription_id === undefined || invoice.line_items.some(({ date_to }) => date_to > occurredAt)
  return readVersions(...[subscription, isReadable ? invoice : undefined].flatMap((each) => each ?? []))
}

interface Read {
  /** Null if it is about a purchase of another system, or about none. */
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
      return { about, payment: payment && { ...payment, ...(kind === 'succeeded' && termPaid(invoice)) } }
    }
    case 'payment_refunded': {
      const about = paymentReference(parseEvent(PaymentContent, content))
      if (about === null) return { about }
      const { transaction, invoice, credit_note: note } = parseEvent(RefundContent, content)
      // A site may be set up to make a credit note of a chargeback, and to record a refund.
      const isChargeback = note?.reason_code === 'chargeback' || transaction.payment_method === 'chargeback'
      if (transaction.status !== 'success') return { about }
      const paymentId = invoice?.id ?? invoiceRefunded(transaction) ?? transaction.refunded_txn_id ?? transaction.id
      // A chargeback is known by its credit note, which is what the invoice shows of it. If the event names none, the invoice has it.
      const id = isChargeback ? (note?.id ?? creditNote(transaction)?.cn_id) : transaction.id
      if (id === undefined) return { about }
      return {
        about,
        payment: toFact(isChargeback ? 'disputed' : 'refunded', transaction, { id, paymentId, occurredAt }),
      }
    }
    // Refunds and payments have events of their own. A payment that the bank takes back has none, and a refund that fails.
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
      // The owner chooses which events Chargebee sends. Those of other types are not about purchases.
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

/** The term that an invoice is of: of a plan, the one that begins last. Charges that were left of the term before may be on it, too. */
function termPaid(invoice: z.output<typeof PaidInvoice> | undefined): Pick<PaymentFact, 'paysFor'> {
  const terms = invoice?.line_items.flatMap(({ entity_type: type, entity_id: processorPrice, date_from: from }) =>
    type === 'plan_item_price' && processorPrice !== undefined && from
      ? [{ from: from.toISOString(), processorPrice }]
      : [],
  )
  const latest = terms?.toSorted((one, other) => one.from.localeCompare(other.from)).at(-1)
  return latest ? { paysFor: latest } : {}
}

const creditNote = ({ linked_credit_notes: [note] }: Transaction) => note
const invoiceRefunded = (transaction: Transaction) => creditNote(transaction)?.cn_reference_invoice_id

/** A reversal or a refund may name the invoice, or only the payment that it takes back, which names it. */
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

/** A payment that a bank has taken back, known by the payment's id; or that the seller has got again. */
function findReversal(reversal: Transaction): { kind: PaymentFact['kind']; id: string } | null {
  const id = reversal.linked_payments[0]?.id ?? reversal.id
  if (reversal.status === 'voided' || reversal.reversal_transaction_id !== undefined) return { kind: 'dispute_won', id }
  return reversal.status === 'success' ? { kind: 'disputed', id } : null
}

export const hasFailed = ({ status }: Transaction) =>
  status === 'failure' || status === 'voided' || status === 'late_failure'

/** A refund that has not arrived, or a chargeback by credit note that was taken back. */
function refundFailed(refund: Transaction): { kind: PaymentFact['kind']; id: string } | null {
  if (!hasFailed(refund)) return null
  if (refund.payment_method !== 'chargeback') return { kind: 'refund_failed', id: refund.id }
  const note = creditNote(refund)
  return note ? { kind: 'dispute_won', id: note.cn_id } : null
}

function toFact(
  kind: PaymentFact['kind'],
  { amount, currency_code: currency }: Transaction,
  which: Pick<PaymentFact, 'id' | 'occurredAt'> & { paymentId: string },
): PaymentFact | null {
  return amount > 0 ? { kind, ...which, amount: fromChargebee(amount, currency), currency } : null
}

/** The user and the password of a header, as `user:password`; null if it has none. */
function readBasicAuth(authorization: string): string | null {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1]
  try {
    return encoded === undefined ? null : atob(encoded)
  } catch {
    return null
  }
}

/** Compares in constant time: under a key of this call alone, the MAC of one text has to be the MAC of the other. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = [one, other].map((text) => new TextEncoder().encode(text))
  const raw = crypto.getRandomValues(new Uint8Array(32))
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  return crypto.subtle.verify('HMAC', key, await crypto.subtle.sign('HMAC', key, first!), second!)
}
