import type { Context } from 'hono'
import { hashOf } from '../../lib/crypto/canonical.ts'
import type { Caller } from '../../lib/db/gate.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { networksOf } from '../../lib/http/networks.ts'
import { parseIdempotencyKey, parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { Body, type CheckoutRequest, UserBody } from './contract.ts'

/**
 * Puts the body, the caller and the Idempotency-Key together. In the Bearer path the token says who buys, so whatever
 * `email` holds is not looked at. `isLimited`: whether the pages that users open are counted.
 */
export async function readRequest(c: Context, caller: Caller, isLimited: boolean): Promise<CheckoutRequest> {
  await checkPaywallId(c.req, placeOf(c))
  const { trial_days: trialDays, ...body } = await parseJson(c.req, caller.kind === 'owner' ? Body : UserBody)
  const key = parseIdempotencyKey(c.req)
  const content = { ...body, trialDays }
  return {
    ...content,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    caller: caller.kind === 'owner' ? 'owner' : `user:${caller.userId}`,
    hash: await hashOf(content),
    country: caller.kind === 'user' ? countryOf(c.req.raw) : null,
    network: caller.kind === 'user' && isLimited ? networksOf(c.req.header('cf-connecting-ip')).wide : null,
    localCurrency: caller.kind === 'owner' ? body.localCurrency : null,
    returnOrigin: new URL(c.req.url).origin,
  }
}
