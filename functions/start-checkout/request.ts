import type { Context } from 'hono'
import type * as z from 'zod'
import { hashOf } from '../../lib/canonical.ts'
import type { Caller } from '../../lib/db/gate.sql.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { parseIdempotencyKey } from '../../lib/parse.ts'
import { Body, type CheckoutRequest, UserBody } from './contract.ts'

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
