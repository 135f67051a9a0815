import type { Context } from 'hono'
import type { Caller } from '../../lib/auth/gate.ts'
import { canonicalHash } from '../../lib/crypto/canonical.ts'
import { requestCountry } from '../../lib/geo/country.ts'
import { parseIdempotencyKey, parseJson } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import { parseNetworks } from '../../lib/rate-limits/networks.ts'
import { Body, type CheckoutRequest, UserBody } from './contract.ts'

/** The Worker's variables that affect how a request is read. */
type Variables = Pick<Cloudflare.StartCheckoutEnv, 'RATE_LIMITED' | 'SERVICE_ORIGIN'>

/**
 * Combines the body, the caller and the Idempotency-Key. With a Bearer token, the token identifies the buyer and the IP address gives the
 * country, so `email`, `externalId` and `country` of the body are ignored.
 */
export async function readRequest(c: Context, caller: Caller, env: Variables): Promise<CheckoutRequest> {
  const target = paywallTarget(c)
  await checkPaywallId(c.req, target)
  const { trial_days: trialDays, ...body } = await parseJson(c.req, caller.kind === 'owner' ? Body : UserBody)
  const key = parseIdempotencyKey(c.req)
  const content = { ...body, trialDays }
  const serviceOrigin = env.SERVICE_ORIGIN || null
  const site = serviceOrigin && `${serviceOrigin}/p/${target.paywallId}`
  return {
    ...content,
    key: key ?? crypto.randomUUID(),
    hasKey: key !== null,
    caller: caller.kind === 'owner' ? 'owner' : `user:${caller.userId}`,
    hash: await canonicalHash({
      ...content,
      offer: body.offer ?? undefined,
      code: body.code ?? undefined,
      locale: body.locale ?? undefined,
      quantity: body.quantity === 1 ? undefined : body.quantity,
    }),
    country: caller.kind === 'user' ? requestCountry(c.req.raw) : body.country,
    network: caller.kind === 'user' ? countedNetwork(c, env) : null,
    localCurrency: caller.kind === 'owner' ? body.localCurrency : null,
    successOrigin: chosenOrigin(body.successUrl, site),
    errorOrigin: chosenOrigin(body.errorUrl, site),
    serviceOrigin,
    returnOrigin: new URL(c.req.url).origin,
  }
}

/** The network of a user's call, whose pages and codes are counted; null: they are not. */
export const countedNetwork = (c: Context, env: Pick<Variables, 'RATE_LIMITED'>): string | null =>
  env.RATE_LIMITED ? parseNetworks(c.req.header('cf-connecting-ip')).wide : null

/**
 * The origin that a call chooses to redirect to; null if it has no URL, or one on the paywall's `site` at the service's host. The rest of
 * that host belongs to other owners, such as the return URLs of their checkouts, which redirect anywhere.
 */
function chosenOrigin(url: string | null, site: string | null): string | null {
  if (url === null) return null
  const { origin, pathname } = new URL(url)
  const page = origin + pathname
  return site !== null && (page === site || page.startsWith(`${site}/`)) ? null : origin
}
