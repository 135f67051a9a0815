import type { Ledger } from './account-context.ts'
import { sessionObject } from './objects/session.ts'

/** Tells what became of the money that a subscription's session was completed without, if it was. */
export function settleLatePayment(ledger: Ledger, subscriptionId: string, outcome: 'succeeded' | 'failed'): void {
  for (const session of ledger.records.sessions.values()) {
    if (session.subscription !== subscriptionId || !session.unpaid) continue
    session.unpaid = outcome === 'failed'
    ledger.emit(`checkout.session.async_payment_${outcome}`, sessionObject(session, ledger.url))
  }
}
