import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { readAudience } from '../support/owner-id.ts'
import { startTenants, type Tenant, type Tenants } from '../support/tenants.ts'

let all: Tenants
/** Another paywall of the same owner. */
let second: Tenant

beforeAll(async () => {
  all = await startTenants({ paywalls: [{}, {}] })
  second = { ...all.ours, paywall: all.ours.file.paywalls[1]! }
})

afterAll(() => all.close())

const Exchanged = z.strictObject({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(3600),
  refresh_token: z.string(),
  user: z.strictObject({
    id: z.uuid(),
    email: z.string(),
    external_id: z.string().nullable(),
    name: z.string().nullable(),
    created_at: z.iso.datetime(),
  }),
})

const exchange = (email: string, { paywall, key } = all.ours, name?: string | null) =>
  call(all.world, `/api/v1/paywall/${paywall.id}/sign-in/exchange`, { key, body: { email, name } })

const user = (token: string, { paywall } = all.ours) => call(all.world, `/api/v1/paywall/${paywall.id}/user`, { token })

test('an exchange gives a token for an hour and the user, and is never cached', async () => {
  const email = newEmail()
  const reply = await exchange(email)
  expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  const { access_token: token, user: made } = Exchanged.parse(reply.body)
  expect(made.email).toBe(email)

  const { kid } = z.object({ kid: z.string() }).parse(JSON.parse(all.world.secrets.ACCESS_TOKEN_PRIVATE_KEY))
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid })
  const { iat = 0, exp = 0, ...payload } = decodeJwt(token)
  const who = { sub: made.id, email, anonymous: false }
  expect(payload).toEqual({ iss: 'paywall-billing', aud: await readAudience(all.world), ...who })
  expect(exp - iat).toBe(3600)
  expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60)
})

test('the token names the user: the user endpoint says whose it is', async () => {
  const { access_token: token, user: made } = Exchanged.parse((await exchange(newEmail())).body)
  expect(await user(token)).toMatchObject({ status: 200, body: { user: made, purchases: [], paid: false } })
})

test('the user is the same every time, by every spelling of the address, and the one that bought', async () => {
  const email = newEmail()
  const { userId } = await buy(all.world, { paywall: all.ours.paywall, key: all.ours.key, email })
  for (const spelling of [email, email.toUpperCase(), `  ${email}\t`]) {
    expect(Exchanged.parse((await exchange(spelling)).body).user).toMatchObject({ id: userId, email })
  }
})

test('the user is a user of this owner, whom no other owner has', async () => {
  const email = newEmail()
  const { access_token: token } = Exchanged.parse((await exchange(email)).body)
  const elsewhere = `/api/v1/paywall/${all.foreign.paywall.id}/user?email=${email}`
  const reply = await call(all.world, elsewhere, { key: all.foreign.key })
  expect(reply).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
  expect(await user(token, all.foreign)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

test('a name stays until another one is given, and is shown on this paywall alone', async () => {
  const email = newEmail()
  const named = async (name?: string | null) => Exchanged.parse((await exchange(email, all.ours, name)).body)
  expect((await named()).user.name).toBeNull()
  for (const name of ['  Ada King ', undefined, null, ' ']) expect((await named(name)).user.name).toBe('Ada King')
  const { access_token: token, refresh_token, user: made } = await named('x'.repeat(200))
  expect(made.name).toBe('x'.repeat(200))
  expect(await user(token)).toMatchObject({ body: { user: made } })
  const path = `/api/v1/paywall/${all.ours.paywall.id}/sign-in/token`
  const next = await call(all.world, path, { body: { grant_type: 'refresh_token', refresh_token } })
  expect(next.body).toMatchObject({ user: made })
  expect(Exchanged.parse((await exchange(email, second)).body).user).toEqual({ ...made, name: null })
})

test('a refused exchange makes no user', async () => {
  const email = newEmail()
  expect(await exchange(email, { ...all.ours, key: all.foreign.key })).toMatchObject({ status: 403 })
  const { rows } = await all.world.database.query('select from users where email = $1', [email])
  expect(rows).toEqual([])
})
