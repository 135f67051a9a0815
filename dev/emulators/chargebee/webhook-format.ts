import type { AccountContext } from '../core/domain/context.ts'
import type { DomainEvent } from '../core/domain/domain-events.ts'
import { latestAttempt } from '../core/domain/payments.ts'
import type { EventRecord } from '../core/domain/records.ts'
import { findSale, invoiceSale, paymentSale, type Sale } from '../core/domain/sales.ts'
import { MINUTE_SECONDS } from '../core/periods.ts'
import type { WebhookFormat } from '../core/processor.ts'
import { createEvents, type DomainEventOf, type Made } from '../core/webhooks/create-events.ts'
import type { ChargebeeAccount } from './accounts.ts'
import { creditNoteObject, invoiceObject, withBuyer } from './objects/money.ts'
import { bought, withCustomer } from './objects/selling.ts'
import { type ChargebeeEvent, complete, content } from './objects/wire.ts'

const eventObject = ({ id, created, object, type }: EventRecord, { pending }: { pending: number }) =>
  complete('event', {
    id,
    occurred_at: created,
    content: object,
    event_type: type,
    webhook_status: pending > 0 ? 'scheduled' : 'succeeded',
  })

const undone = ({ refund }: DomainEventOf<'refund.failed' | 'refund.canceled'>, context: AccountContext): Made[] => [
  ['transaction_updated', content(context.show('refunds', refund))],
]

export const WEBHOOK_FORMAT: WebhookFormat<ChargebeeAccount, ChargebeeEvent> = {
  toEvents: createEvents(
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
      // A cancelled trial ends without a reminder.
      'subscription.trial_ending': ({ subscription: { cancelAt } }) =>
        cancelAt === null ? ['subscription_trial_end_reminder'] : [],
      // Of the invoice of a change of plan only. The adapter does not need it.
      'invoice.created': ({ invoice }, context) => [
        ['invoice_generated', withBuyer(invoiceSale(context, invoice), context)],
      ],
      // Without an event if credits paid it: it has no transaction.
      'invoice.paid': ['payment_succeeded'],
      'invoice.failed': ['payment_failed'],
      // Only one-time payments: a subscription's payment is reported with its invoice, and a card declined on a page has no sale.
      'payment.pending': ['payment_initiated'],
      'payment.paid': ['payment_succeeded'],
      'payment.failed': ['payment_failed'],
      'refund.pending': ['refund_initiated'],
      'refund.refunded': ['payment_refunded'],
      // That a failed refund is a `transaction_updated` is UNVERIFIED.
      'refund.failed': undone,
      'refund.canceled': undone,
      // The events of a reversal are UNVERIFIED, and so is that a won dispute undoes it.
      'dispute.opened': (domainEvent, context) => reversed('transaction_created', domainEvent, context),
      'dispute.closed': (domainEvent, context) =>
        domainEvent.dispute.status === 'won' ? reversed('transaction_updated', domainEvent, context) : [],
    },
    (type, ...about) => {
      const object = eventContent(...about)
      return object && { type, object }
    },
  ),
  eventObject,
  // Webhooks are not signed: user and password are the only authentication.
  headers: (_, { webhookUser, webhookPassword }) => ({
    'Content-Type': 'application/json;charset=UTF-8',
    'User-Agent': 'ChargeBee',
    Authorization: `Basic ${Buffer.from(`${webhookUser}:${webhookPassword}`).toString('base64')}`,
  }),
  // support.chargebee.com, article 257941: seven retries.
  retrySeconds: [2, 6, 30, 60, 5 * 60, 24 * 60, 48 * 60].map((minutes) => minutes * MINUTE_SECONDS),
}

/** The content of an event; null: no event. */
function eventContent(domainEvent: DomainEvent, context: AccountContext): object | null {
  if ('page' in domainEvent) return bought(domainEvent.page, context)
  if ('subscription' in domainEvent) return withCustomer(domainEvent.subscription, context)
  if ('invoice' in domainEvent) return paid(context, invoiceSale(context, domainEvent.invoice))
  if ('refund' in domainEvent) {
    const { refund, payment } = domainEvent
    const about = content(context.show('refunds', refund), creditNoteObject(refund, context))
    return { ...about, ...withBuyer(findSale(context, payment), context) }
  }
  return paid(context, paymentSale(context, domainEvent.payment))
}

/** The content of a charge's event: its latest transaction. */
function paid(context: AccountContext, bill: Sale | null): object | null {
  const attempt = bill?.payment && latestAttempt(context, bill.payment.id)
  return attempt ? { ...content(context.show('attempts', attempt)), ...withBuyer(bill, context) } : null
}

type Disputed = DomainEventOf<'dispute.opened' | 'dispute.closed'>

function reversed(type: string, { dispute, payment }: Disputed, context: AccountContext): Made[] {
  const updated = content(invoiceObject(findSale(context, payment), context))
  return [
    [type, content(context.show('disputes', dispute))],
    ['invoice_updated', updated],
  ]
}
