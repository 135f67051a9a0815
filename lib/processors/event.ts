import * as z from 'zod'
import type { ObjectVersions } from './object-versions.ts'
import type { PaymentFact, PurchaseReference } from './processor.ts'

/** A processor's webhook as received. The signature covers the raw body, so the body is not parsed yet. */
export interface WebhookRequest {
  headers: Headers
  rawBody: string
  now: Date
}

/** A verified webhook: which purchase to fetch, and possibly a money fact. */
export interface ProcessorEvent {
  id: string
  /** The purchase to fetch; null if the event is not about a purchase. */
  about: PurchaseReference | null
  payment: PaymentFact | null
  /** Whether the trial is about to end. The purchase itself does not change, so only the event can announce it. */
  trialEnding: boolean
  /**
   * The versions of the objects that both the event and a read of `about` contain: see `FetchedPurchase.versions`. A read that is older, or
   * lacks one, is repeated.
   */
  versions?: ObjectVersions
}

/** An unsigned webhook about one sale. It proves nothing, and only makes us read the purchase. */
export interface Notice {
  checkoutId: string
  /** The processor's id of the hosted page. */
  pageId: string
}

/** A webhook, or a signed return of a browser, with an invalid or expired signature. */
export class InvalidSignature extends Error {
  override name = 'InvalidSignature'
}

/** A webhook with a valid signature and an unexpected format. */
export class MalformedEvent extends Error {
  override name = 'MalformedEvent'
}

/** An id of any processor. It is used in URLs and in the database, so its characters are restricted. */
export const processorId = z.string().regex(/^[\w-]{1,200}$/)

/**
 * Parses a signed event or a part of it. The processor's replies to our calls are not parsed with it: if those are malformed, the sender of
 * the event is not at fault.
 *
 * @throws MalformedEvent
 */
export function parseEvent<Schema extends z.ZodType>(schema: Schema, part: unknown): z.output<Schema> {
  try {
    return schema.parse(part)
  } catch (cause) {
    throw new MalformedEvent('signed event in an unexpected format', { cause })
  }
}
