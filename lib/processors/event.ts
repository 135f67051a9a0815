import * as z from 'zod'
import type { ObjectVersions } from './object-versions.ts'
import type { PaymentFact, PurchaseReference } from './processor.ts'

/** A webhook of a processor as it reached us. The signature is over the raw body, so the body is not parsed yet. */
export interface Inbound {
  headers: Headers
  rawBody: string
  now: Date
}

/** A verified inbound webhook: it says which purchase to fetch, and it may say that money moved. */
export interface ProcessorEvent {
  id: string
  /** The purchase to fetch; null if the event is not about a purchase. */
  about: PurchaseReference | null
  payment: PaymentFact | null
  /** Whether the trial is about to end. The purchase does not change by that, so only the event can say so. */
  trialEnding: boolean
  /**
   * The versions of those objects that the event carries and a read of `about` shows: see `FetchedPurchase.versions`. A read that is
   * older, or lacks one, is made again.
   */
  versions?: ObjectVersions
}

/** An unsigned webhook about one sale. It proves nothing, and only makes us read the purchase. */
export interface Notice {
  checkoutId: string
  /** What it is about, by the processor's id. */
  pageId: string
}

/** An inbound webhook that its processor did not sign, or signed too long ago. */
export class ForgedEvent extends Error {
  override name = 'ForgedEvent'
}

/** An inbound webhook that is signed, but is not written as its processor writes events. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent'
}

/** An id as all processors make them. It goes into addresses and into the database, which do not take any text. */
export const processorId = z.string().regex(/^[\w-]{1,200}$/)

/**
 * Parses a signed event, or a part of it. What a processor answers to a call of ours is not parsed with it: if that is
 * malformed, it is no fault of whoever sent the event.
 *
 * @throws MalformedEvent
 */
export function parseEvent<Schema extends z.ZodType>(schema: Schema, part: unknown): z.output<Schema> {
  try {
    return schema.parse(part)
  } catch (cause) {
    throw new MalformedEvent('a signed event is not as its processor writes them', { cause })
  }
}
