import type * as z from 'zod'
import { readCredential } from '../../lib/auth/credential.ts'
import { keyFirst } from '../../lib/auth/key-first.ts'
import { connect } from '../../lib/db/connect.ts'
import { reportedCountryOf } from '../../lib/geo/reported-country.ts'
import { matchesCountry, tierOf } from '../../lib/geo/targeting.ts'
import { allowOnly, createApp } from '../../lib/http/app.ts'
import { refuse } from '../../lib/http/errors.ts'
import { parseQuery } from '../../lib/http/parse.ts'
import { placeOf } from '../../lib/http/place.ts'
import { PATH, Query, type Reply, words } from './contract.ts'
import { readUser } from './read-user.sql.ts'

const app = createApp<Cloudflare.UserEnv>()

app.get(PATH, async (c) => {
  const place = placeOf(c)
  const caller = await readCredential(c.req, place.paywallId, c.env)
  if (caller.kind === 'none') throw refuse(words.no_credential)
  if (caller.kind === 'bad_token') throw refuse(words.bad_token)

  const identity = caller.kind === 'owner' ? await parseQuery(c.req, Query).catch(keyFirst(c.env, caller, words)) : {}
  const row = await readUser(connect(c.env), caller, place, identity)
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
    paid: row.paid,
    trial: row.trial,
    meta: row.meta,
  } satisfies z.input<typeof Reply>)
})

app.all(PATH, allowOnly('GET', 'HEAD'))

export default app
