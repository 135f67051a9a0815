import type { AccountContext } from './account-context.ts'
import { checkoutSessionObject } from './objects/checkout-session.ts'

/** If a subscription's session was completed before its money arrived, sends the event that says whether it did. */
export function reportDelayedPayment(
  context: AccountContext,
  subscriptionId: string,
  outcome: 'succeeded' | 'failed',
): void {
  for (const session of context.records.sessions.values()) {
    if (session.subscription !== subscriptionId || !session.unpaid) continue
    session.unpaid = outcome === 'failed'
    context.emit(`checkout.session.async_payment_${outcome}`, checkoutSessionObject(session, context.url))
  }
}
