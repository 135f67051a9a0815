import type { Context } from 'hono'
import { hashOf } from '../../lib/crypto/canonical.ts'
import type { Caller } from '../../lib/db/gate.ts'
import { countryOf } from '../../lib/geo/country.ts'
import { networksOf } from '../../lib/http/networks.ts'
import { parseIdempotencyKey, parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import { Body, type CheckoutRequest, UserBody } from './contract.ts'

/** Variables of the Worker that decide what becomes of a request. */
type Variables = Pick<Cloudflare.StartCheckoutEnv, 'RATE_LIMITED' | 'SERVICE_ORIGIN'>

/**
 * Puts the body, the caller and the Idempotency-Key together. In the Bearer path the token says who buys, and its
 * address where the buyer is, so whatever `email`, `externalId` and `country` hold is not looked at.
 */
export async function readRequest(c: Context, caller: Caller, env: Variables): Promise<CheckoutRequest> {
  await checkPaywallId(c.req, placeOf(c))
  const { trial_days: trialDays, ...body } = await parseJson(c.req, caller.kind === 'owner' ? Body : UserBody)
  const key = parseIdempotencyKey(c.req)
  const content = { ...body, trialDays }
  return {
    ...content,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    caller: caller.kind === 'owner' ? 'owner' : `user:${caller.userId}`,
    // Without `country` where none is named: such a call had the same hash before this field was there, and keys outlive a deploy.
    hash: await hashOf({ ...content, country: body.country ?? undefined }),
    country: caller.kind === 'user' ? countryOf(c.req.raw) : body.country,
    network: caller.kind === 'user' && env.RATE_LIMITED ? networksOf(c.req.header('cf-connecting-ip')).wide : null,
    localCurrency: caller.kind === 'owner' ? body.localCurrency : null,
    successOrigin: originOf(body.successUrl),
    errorOrigin: originOf(body.errorUrl),
    serviceOrigin: env.SERVICE_ORIGIN || null,
    returnOrigin: new URL(c.req.url).origin,
  }
}

const originOf = (url: string | null) => (url === null ? null : new URL(url).origin)
