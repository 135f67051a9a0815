import type { PurchaseReference } from './processor.ts'

/** A webhook of a processor as it reached us. The signature is over the raw body, so the body is not parsed yet. */
export interface Inbound {
  headers: Headers
  rawBody: string
  now: Date
}

/** Money that moved, or failed to. It is taken from the event itself, and is counted once per kind and id. */
export interface PaymentFact {
  kind: 'succeeded' | 'failed' | 'refunded' | 'disputed'
  id: string
  amount: number
  currency: string
  occurredAt: Date
}

/** A verified inbound webhook: it says which purchase to fetch, and it may say that money moved. */
export interface ProcessorEvent {
  id: string
  /** The purchase to fetch; null if the event is not about a purchase. */
  about: PurchaseReference | null
  payment: PaymentFact | null
  /** Whether the trial is about to end. The purchase does not change by that, so only the event can say so. */
  trialEnding: boolean
}

/** An inbound webhook that its processor did not sign, or signed too long ago. */
export class ForgedEvent extends Error {
  override name = 'ForgedEvent'
}
