import type { PurchaseReference } from './processor.ts'

/** A webhook of a processor as it reached us. The signature is over the raw body, so the body is not parsed yet. */
export interface Inbound {
  headers: Headers
  rawBody: string
  now: Date
}

/** A money fact. It comes from the event itself, and counts once per kind and id. */
export interface PaymentFact {
  kind: 'succeeded' | 'failed' | 'refunded' | 'disputed'
  id: string
  amount: number
  currency: string
  occurredAt: Date
}

/** A proven inbound webhook: a hint that something is worth looking at, and perhaps a money fact. */
export interface ProcessorEvent {
  id: string
  /** What to fetch; null if the event is of no concern to us. */
  about: PurchaseReference | null
  payment: PaymentFact | null
  /** The trial is about to end: a notice that no change of state tells. */
  trialEnding: boolean
}

/** An inbound webhook that its processor did not sign, or signed too long ago. */
export class ForgedEvent extends Error {
  override name = 'ForgedEvent'
}
