import type { AccountContext } from '../core/domain/context.ts'
import type { Happening, NewEvent } from '../core/domain/happenings.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { type Sale, saleOfInvoice, saleOfPayment, salePaidBy } from '../core/domain/sales.ts'
import type { Telling } from '../core/processor.ts'
import { type Made, type Told, tellingOf } from '../core/webhooks/telling.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { bought } from './objects/hosted-page.ts'
import {
  creditNoteObject,
  invoiceObject,
  paymentTransactions,
  refundTransaction,
  reversalTransaction,
  withBuyer,
} from './objects/money.ts'
import { withCustomer } from './objects/subscription.ts'
import { type ChargebeeEvent, complete, content } from './objects/wire.ts'

const MINUTE_SECONDS = 60

const eventObject = ({ id, created, object, type }: EventRecord, { pending }: { pending: number }) =>
  complete('event', {
    ...{ id, occurred_at: created, content: object, event_type: type },
    webhook_status: pending > 0 ? 'scheduled' : 'succeeded',
  })

export const TELLING: Telling<ChargebeeAccount, ChargebeeEvent> = {
  eventsOf: tellingOf(
    {
      'page.completed': ({ page: { subscription } }) => (subscription === null ? [] : ['subscription_created']),
      'subscription.ended': ['subscription_cancelled'],
      'subscription.expired': ['subscription_cancelled'],
      'subscription.cancelled': ['subscription_cancellation_scheduled'],
      'subscription.uncancelled': ['subscription_scheduled_cancellation_removed'],
      'subscription.paused': ['subscription_paused'],
      'subscription.resumed': ['subscription_resumed'],
      'subscription.trial_over': ['subscription_activated'],
      'subscription.renewed': ['subscription_renewed'],
      // A trial that is cancelled ends without a word.
      'subscription.trial_ending': ({ subscription: { cancelAt } }) =>
        cancelAt === null ? ['subscription_trial_end_reminder'] : [],
      'invoice.paid': ['payment_succeeded'],
      'invoice.failed': ['payment_failed'],
      // A subscription's payment is told of with its invoice; a card that is declined on a page has none.
      'payment.pending': ['payment_initiated'],
      'payment.paid': ['payment_succeeded'],
      'payment.failed': ['payment_failed'],
      'refund.pending': ['refund_initiated'],
      'refund.refunded': ['payment_refunded'],
      // That a refund which fails is a `transaction_updated` is UNVERIFIED.
      'refund.failed': ({ refund }, context) => [['transaction_updated', content(refundTransaction(refund, context))]],
      // Which events tell of a reversal is UNVERIFIED, and that a dispute which is won undoes it, too.
      'dispute.opened': (happening, context) => reversed('transaction_created', happening, context),
      'dispute.closed': (happening, context) =>
        happening.dispute.status === 'won' ? reversed('transaction_updated', happening, context) : [],
    },
    eventOf,
  ),
  eventObject,
  // Nothing is signed: who sends it is known by the user and the password alone.
  headers: (_, { webhookUser, webhookPassword }) => ({
    'Content-Type': 'application/json;charset=UTF-8',
    'User-Agent': 'ChargeBee',
    Authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookPassword}`).toString('base64')}`,
  }),
  // support.chargebee.com, article 257941: seven retries.
  retrySeconds: [2, 6, 30, 60, 5 * 60, 24 * 60, 48 * 60].map((minutes) => minutes * MINUTE_SECONDS),
}

/** An event, if there is something to tell of. */
function eventOf(type: string, happening: Happening, context: AccountContext): NewEvent | null {
  const object = contentOf(happening, context)
  return object && { type, object }
}

function contentOf(happening: Happening, context: AccountContext): object | null {
  if ('page' in happening) return bought(happening.page, context)
  if ('subscription' in happening) return withCustomer(happening.subscription, context)
  if ('invoice' in happening) return paid(context, saleOfInvoice(context, happening.invoice))
  if ('refund' in happening) {
    const { refund, payment } = happening
    const bill = salePaidBy(context, payment)
    const about = content(refundTransaction(refund, context), creditNoteObject(refund, context))
    return { ...about, ...(bill && withBuyer(bill, context)) }
  }
  return paid(context, saleOfPayment(happening.payment))
}

/** What is told of a charge: its latest transaction. */
function paid(context: AccountContext, bill: Sale | null): object | null {
  if (!bill?.payment) return null
  return { ...content(paymentTransactions(context, bill.payment).at(-1)), ...withBuyer(bill, context) }
}

type Disputed = Told<'dispute.opened' | 'dispute.closed'>

function reversed(type: string, { dispute, payment }: Disputed, context: AccountContext): Made[] {
  const bill = salePaidBy(context, payment)
  const updated: Made[] = bill ? [['invoice_updated', content(invoiceObject(bill, context))]] : []
  return [[type, content(reversalTransaction(dispute, context))], ...updated]
}
