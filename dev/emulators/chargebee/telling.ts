import type { AccountContext } from '../core/domain/context.ts'
import type { Happening } from '../core/domain/happenings.ts'
import { latestAttempt } from '../core/domain/payments.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { type Sale, saleOf, saleOfInvoice, saleOfPayment } from '../core/domain/sales.ts'
import { MINUTE_SECONDS } from '../core/periods.ts'
import type { Telling } from '../core/processor.ts'
import { type Made, type Told, tellingOf } from '../core/webhooks/telling.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { creditNoteObject, invoiceObject, withBuyer } from './objects/money.ts'
import { bought, withCustomer } from './objects/selling.ts'
import { type ChargebeeEvent, complete, content } from './objects/wire.ts'

const eventObject = ({ id, created, object, type }: EventRecord, { pending }: { pending: number }) =>
  complete('event', {
    ...{ id, occurred_at: created, content: object, event_type: type },
    webhook_status: pending > 0 ? 'scheduled' : 'succeeded',
  })

const undone = ({ refund }: Told<'refund.failed' | 'refund.canceled'>, context: AccountContext): Made[] => [
  ['transaction_updated', content(context.show('refunds', refund))],
]

export const TELLING: Telling<ChargebeeAccount, ChargebeeEvent> = {
  eventsOf: tellingOf(
    {
      'page.completed': ({ page: { subscription } }) => (subscription === null ? [] : ['subscription_created']),
      'subscription.ended': ['subscription_cancelled'],
      'subscription.expired': ['subscription_cancelled'],
      'subscription.cancelled': ['subscription_cancellation_scheduled'],
      'subscription.uncancelled': ['subscription_scheduled_cancellation_removed'],
      'subscription.price_changed': ['subscription_changed'],
      'subscription.change_scheduled': ['subscription_changes_scheduled'],
      'subscription.change_unscheduled': ['subscription_scheduled_changes_removed'],
      'subscription.paused': ['subscription_paused'],
      'subscription.resumed': ['subscription_resumed'],
      'subscription.trial_over': ['subscription_activated'],
      'subscription.renewed': ['subscription_renewed'],
      // A trial that is cancelled ends without a word.
      'subscription.trial_ending': ({ subscription: { cancelAt } }) =>
        cancelAt === null ? ['subscription_trial_end_reminder'] : [],
      // What credits have paid has no transaction.
      'invoice.paid': ['payment_succeeded'],
      'invoice.failed': ['payment_failed'],
      // A subscription's payment is told of with its invoice; a card that is declined on a page has none.
      'payment.pending': ['payment_initiated'],
      'payment.paid': ['payment_succeeded'],
      'payment.failed': ['payment_failed'],
      'refund.pending': ['refund_initiated'],
      'refund.refunded': ['payment_refunded'],
      // That a refund which fails is a `transaction_updated` is UNVERIFIED.
      'refund.failed': undone,
      'refund.canceled': undone,
      // Which events tell of a reversal is UNVERIFIED, and that a dispute which is won undoes it, too.
      'dispute.opened': (happening, context) => reversed('transaction_created', happening, context),
      'dispute.closed': (happening, context) =>
        happening.dispute.status === 'won' ? reversed('transaction_updated', happening, context) : [],
    },
    (type, ...about) => {
      const object = contentOf(...about)
      return object && { type, object }
    },
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

/** What there is to tell of something; null: it is not told. */
function contentOf(happening: Happening, context: AccountContext): object | null {
  if ('page' in happening) return bought(happening.page, context)
  if ('subscription' in happening) return withCustomer(happening.subscription, context)
  if ('invoice' in happening) return paid(context, saleOfInvoice(context, happening.invoice))
  if ('refund' in happening) {
    const { refund, payment } = happening
    const about = content(context.show('refunds', refund), creditNoteObject(refund, context))
    return { ...about, ...withBuyer(saleOf(context, payment), context) }
  }
  return paid(context, saleOfPayment(context, happening.payment))
}

/** What is told of a charge: its latest transaction. */
function paid(context: AccountContext, bill: Sale | null): object | null {
  const attempt = bill?.payment && latestAttempt(context, bill.payment.id)
  return attempt ? { ...content(context.show('attempts', attempt)), ...withBuyer(bill, context) } : null
}

type Disputed = Told<'dispute.opened' | 'dispute.closed'>

function reversed(type: string, { dispute, payment }: Disputed, context: AccountContext): Made[] {
  const updated = content(invoiceObject(saleOf(context, payment), context))
  return [
    [type, content(context.show('disputes', dispute))],
    ['invoice_updated', updated],
  ]
}
