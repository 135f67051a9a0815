import type { Context } from 'hono'
import type * as z from 'zod'
import { hashOf } from '../../lib/canonical.ts'
import type { Caller } from '../../lib/db/gate.sql.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { parseIdempotencyKey } from '../../lib/parse.ts'
import { Body, UserBody } from './contract.ts'

/** A start-checkout call (contract section 4.2), normalised; null where it left something out. */
export interface CheckoutRequest {
  /** The Idempotency-Key; a random one if the call brought none. */
  key: string
  hasKey: boolean
  /** Whose key it is: the same key of another user is another key. An owner's is the same by any of its API keys. */
  caller: string
  /** Of what is asked for: the same key with another hash is a mistake. */
  hash: string
  email: string | null
  priceId: string | null
  successUrl: string | null
  errorUrl: string | null
  trialDays: number | null
  ignoreActivePurchase: boolean
  userMeta: Record<string, unknown>
  /** Where a Bearer user is, which decides the price; null for an owner, whose own address says nothing. */
  country: string | null
  /** The currency that an owner asks for; null for a Bearer user. */
  localCurrency: string | null
  /** Where the processor sends the browser back to: the host that was asked. */
  returnOrigin: string
}

/** What a caller may send: in the Bearer path the token says who buys, so whatever `email` holds is not looked at. */
export function checkoutBody(caller: Caller) {
  return caller.kind === 'owner' ? Body : UserBody
}

/** Puts a parsed body, the caller and the Idempotency-Key together. */
export async function checkoutRequest(
  c: Context,
  caller: Caller,
  { trial_days: trialDays, ...body }: z.output<typeof Body>,
): Promise<CheckoutRequest> {
  const key = parseIdempotencyKey(c.req)
  const asked = { ...body, trialDays }
  return {
    ...asked,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    caller: caller.kind === 'owner' ? 'owner' : `user:${caller.userId}`,
    hash: await hashOf(asked),
    country: caller.kind === 'user' ? countryOf(c.req.raw) : null,
    localCurrency: caller.kind === 'owner' ? body.localCurrency : null,
    returnOrigin: new URL(c.req.url).origin,
  }
}
