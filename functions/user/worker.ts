import type * as z from 'zod'
import { readUser } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { callerParameters } from '../../lib/auth/gate.ts'
import { rejectInvalidKeyFirst } from '../../lib/auth/reject-invalid-key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { requestCountry } from '../../lib/geo/country.ts'
import { findTier, type Geo, matchesCountry } from '../../lib/geo/targeting.ts'
import { apiError } from '../../lib/http/errors.ts'
import { parseQuery } from '../../lib/http/parse.ts'
import { checkPaywallId, paywallTarget } from '../../lib/http/paywall-target.ts'
import type { MemberState } from '../../lib/member-state/member-state.ts'
import { findCountry } from './address.ts'
import { errors, PATH, Query, type ReadUserRefusal, type Reply } from './contract.ts'

type ReadUserResult =
  | { verdict: ReadUserRefusal }
  | ({
      verdict: 'found'
      user: { id: string; email: string | null; external_id: string | null; name: string | null; created_at: string }
      meta: Record<string, unknown>
      geo: Geo
    } & MemberState)

const app = createApp<Cloudflare.UserEnv>()

app.get(PATH, async (c) => {
  const target = paywallTarget(c)
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw apiError(errors.no_credential)
  if (caller.kind === 'bad_token') throw apiError(errors.bad_token, misplacedKey(c.req))
  const rejectInvalidKey = rejectInvalidKeyFirst(c.env, caller, errors)
  await checkPaywallId(c.req, target).catch(rejectInvalidKey)

  const identity = caller.kind === 'owner' ? await parseQuery(c.req, Query).catch(rejectInvalidKey) : {}
  const row = await readUser<ReadUserResult>(connect(c.env), { ...target, ...callerParameters(caller), ...identity })
  if (row.verdict !== 'found') throw apiError(errors[row.verdict])

  const country = await reportedCountry(c.req.raw)
  c.header('Cache-Control', 'private, no-store')
  return c.json({
    ...(caller.kind === 'user' && { user: row.user }),
    tier: findTier(row.geo, country),
    country,
    countryMatch: matchesCountry(row.geo, country),
    balances: row.balances,
    purchases: row.purchases,
    grants: row.grants,
    being_replaced: row.being_replaced,
    paid: row.paid,
    access_until: row.access_until,
    features: row.features,
    trial: row.trial,
    meta: row.meta,
  } satisfies z.input<typeof Reply>)
})

app.all(PATH, allowOnly('GET', 'HEAD'))

/**
 * The country of the end user for whom an owner's backend calls: that of `X-Client-Ip` if it is sent, else the caller's. It changes what is
 * reported, never the price of a Bearer user. `X-Forwarded-For` is never read.
 */
async function reportedCountry(request: Request): Promise<string> {
  const address = request.headers.get('x-client-ip')
  return address === null ? requestCountry(request) : findCountry(address)
}

export default app
