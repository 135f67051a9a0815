import * as z from 'zod'
import { allowOnly, createApp } from '../../lib/app.ts'
import { readCredential } from '../../lib/auth/credential.ts'
import { connect } from '../../lib/db/connect.ts'
import { ApiError, refuse, type Words } from '../../lib/errors.ts'
import { reportedCountryOf } from '../../lib/geo/country.ts'
import { matchesCountry, tierOf } from '../../lib/geo/targeting.ts'
import { email } from '../../lib/identity.ts'
import { parseQuery } from '../../lib/parse.ts'
import { placeOf } from '../../lib/place.ts'
import { type ReadUserRefusal, readUser } from './read-user.sql.ts'

const PATH = '/api/v1/paywall/:id/user'

/** How this endpoint says each refusal (contract section 7). */
const words: Words<ReadUserRefusal> = {
  unknown_key: [401, 'Invalid API key'],
  unknown_user: [401, 'invalid_token'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
  unknown_identity: [404, 'identity_not_found'],
  not_member: [404, 'identity_not_on_paywall'],
}

const Query = z
  .object({ email: email.optional(), user_id: z.string().optional() })
  .refine((query) => query.email || query.user_id, 'identity_required')
  .transform((query) => ({ email: query.email || undefined, userId: query.user_id || undefined }))

const app = createApp<Cloudflare.UserEnv>()

app.get(PATH, async (c) => {
  const place = placeOf(c)
  const caller = await readCredential(c.req, place.paywallId, c.env)
  if (caller.kind === 'none') throw new ApiError(401, 'Unauthorized')
  if (caller.kind === 'bad_token') throw new ApiError(401, 'invalid_token')

  const identity = caller.kind === 'owner' ? parseQuery(c.req, Query) : {}
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
  })
})

app.all(PATH, allowOnly('GET', 'HEAD'))

export default app
