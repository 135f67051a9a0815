import * as z from 'zod'
import { allowOnly, createApp } from '../../lib/app.ts'
import { ACCESS_TOKEN_SECONDS, signAccessToken } from '../../lib/auth/access-token.ts'
import { sha256Hex } from '../../lib/crypto.ts'
import { connect } from '../../lib/db/connect.ts'
import type { OwnerRefusal } from '../../lib/db/gate.sql.ts'
import { ApiError, refuse, type Words } from '../../lib/errors.ts'
import { newEmail } from '../../lib/identity.ts'
import { parseJson } from '../../lib/parse.ts'
import { placeOf } from '../../lib/place.ts'
import { linkUser } from './link-user.sql.ts'

const EXCHANGE = '/api/v1/paywall/:id/sign-in/exchange'

const words: Words<OwnerRefusal> = {
  unknown_key: [401, 'Invalid API key'],
  unknown_paywall: [404, 'paywall_not_found'],
  not_owner: [403, 'Access denied: API key owner does not match paywall owner'],
}

const Body = z.object(
  {
    email: z
      .unknown()
      .refine((email) => email, 'Email is required')
      .pipe(z.string('Invalid email format').pipe(newEmail)),
  },
  'invalid_body',
)

const app = createApp<Cloudflare.SignInEnv>()

/** For an owner that runs its own sign-in: an access token for its user. The user is linked to the paywall by it. */
app.post(EXCHANGE, async (c) => {
  const key = c.req.header('x-api-key')
  if (key === undefined) throw new ApiError(401, 'Unauthorized')

  const { email } = await parseJson(c.req, Body)
  const place = placeOf(c)
  const row = await linkUser(connect(c.env), await sha256Hex(key), place, email)
  if (row.verdict !== 'linked') throw refuse(words[row.verdict])

  const { user } = row
  const claims = { userId: user.id, email: user.email, anonymous: false, paywallId: place.paywallId }
  c.header('Cache-Control', 'no-store')
  return c.json({
    access_token: await signAccessToken(claims, c.env.ACCESS_TOKEN_PRIVATE_KEY, new Date()),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    user,
  })
})

app.all(EXCHANGE, allowOnly('POST'))

export default app
