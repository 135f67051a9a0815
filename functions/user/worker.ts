import type * as z from 'zod'
import { readUser } from '../../generated/calls.ts'
import { misplacedKey, readCredential } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { callerParameters } from '../../lib/db/gate.ts'
import { allowOnly, createApp } from '../../lib/endpoint/app.ts'
import { type Geo, matchesCountry, tierOf } from '../../lib/geo/targeting.ts'
import { refuse } from '../../lib/http/errors.ts'
import { parseQuery } from '../../lib/http/parse.ts'
import { checkPaywallId, placeOf } from '../../lib/http/place.ts'
import type { MemberState } from '../../lib/purchases/member-state.ts'
import { PATH, Query, type ReadUserRefusal, type Reply, words } from './contract.ts'
import { reportedCountryOf } from './reported-country.ts'

/** What read_user gives. */
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
  const place = placeOf(c)
  const caller = await readCredential(c.req, c.env)
  if (caller.kind === 'none') throw refuse(words.no_credential)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token, misplacedKey(c.req))
  const onFault = keyFirst(c.env, caller, words)
  await checkPaywallId(c.req, place).catch(onFault)

  const identity = caller.kind === 'owner' ? await parseQuery(c.req, Query).catch(onFault) : {}
  const row = await readUser<ReadUserResult>(connect(c.env), { ...place, ...callerParameters(caller), ...identity })
  if (row.verdict !== 'found') throw refuse(words[row.verdict])

  const country = await reportedCountryOf(c.req.raw)
  c.header('Cache-Control', 'private, no-store')
  return c.json({
    ...(caller.kind === 'user' && { user: row.user }),
    tier: tierOf(row.geo, country),
    country,
    countryMatch: matchesCountry(row.geo, country),
    balances: row.balances,
    purchases: row.purchases,
    being_replaced: row.being_replaced,
    paid: row.paid,
    features: row.features,
    trial: row.trial,
    meta: row.meta,
  } satisfies z.input<typeof Reply>)
})

app.all(PATH, allowOnly('GET', 'HEAD'))

export default app
