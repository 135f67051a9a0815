import type { AccountContext } from './account-context.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'
import { decideDebit, findPayment } from './payments.ts'
import type { PaymentRecord } from './records.ts'

/** The bank decides about the one-time payment of a session that was completed before its money arrived. */
export function resolvePayment(context: AccountContext, id: string, succeeds: boolean): PaymentRecord {
  const payment = findPayment(context, id)
  decideDebit(context, payment, succeeds)
  reportDelayedPayment(context, id, succeeds ? 'succeeded' : 'failed')
  return payment
}

/**
 * If a session was completed before its money arrived, sends the event that says whether it did. `bought` is the id of its
 * subscription or of its one-time payment.
 */
export function reportDelayedPayment(context: AccountContext, bought: string, outcome: 'succeeded' | 'failed'): void {
  for (const session of context.records.sessions.values()) {
    if (!session.unpaid || ![session.subscription, session.payment].includes(bought)) continue
    session.unpaid = outcome === 'failed'
    context.emit(`checkout.session.async_payment_${outcome}`, checkoutSessionObject(session, context.url))
  }
}
