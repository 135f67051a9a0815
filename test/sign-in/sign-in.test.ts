import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { call } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { readAudience } from '../support/owner-id.ts'
import { startTenants, type Tenant, type Tenants } from '../support/tenants.ts'

let tenants: Tenants
/** Another paywall of the same owner. */
let second: Tenant

beforeAll(async () => {
  tenants = await startTenants({ paywalls: [{}, {}] })
  second = { ...tenants.ours, paywall: tenants.ours.file.paywalls[1]! }
})

afterAll(() => tenants.close())

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

const exchange = (email: string, { paywall, key } = tenants.ours, name?: string | null) =>
  call(tenants.world, `/api/v1/paywall/${paywall.id}/sign-in/exchange`, { key, body: { email, name } })

const user = (token: string, { paywall } = tenants.ours) =>
  call(tenants.world, `/api/v1/paywall/${paywall.id}/user`, { token })

test('an exchange returns a token for an hour and the user, and is never cached', async () => {
  const email = newEmail()
  const reply = await exchange(email)
  expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  const { access_token: token, refresh_token: refreshToken, user: created } = Exchanged.parse(reply.body)
  expect(created.email).toBe(email)

  const { kid } = z.object({ kid: z.string() }).parse(JSON.parse(tenants.world.secrets.ACCESS_TOKEN_PRIVATE_KEY))
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid })
  const { iat = 0, exp = 0, sid, ...payload } = decodeJwt(token)
  const claims = { sub: created.id, email, anonymous: false }
  expect(payload).toEqual({ iss: 'paywall-billing', aud: await readAudience(tenants.world), ...claims })
  expect(sid).toBe(refreshToken.split('.')[0])
  expect(exp - iat).toBe(3600)
  expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60)
})

test('the token identifies the user at the user endpoint', async () => {
  const { access_token: token, user: created } = Exchanged.parse((await exchange(newEmail())).body)
  expect(await user(token)).toMatchObject({ status: 200, body: { user: created, purchases: [], paid: false } })
})

test('the user is the same for every spelling of the address, and the one who made a purchase', async () => {
  const email = newEmail()
  const { userId } = await buy(tenants.world, { paywall: tenants.ours.paywall, key: tenants.ours.key, email })
  for (const spelling of [email, email.toUpperCase(), `  ${email}\t`]) {
    expect(Exchanged.parse((await exchange(spelling)).body).user).toMatchObject({ id: userId, email })
  }
})

test('the user belongs to this owner, and is unknown to other owners', async () => {
  const email = newEmail()
  const { access_token: token } = Exchanged.parse((await exchange(email)).body)
  const foreignPath = `/api/v1/paywall/${tenants.foreign.paywall.id}/user?email=${email}`
  const reply = await call(tenants.world, foreignPath, { key: tenants.foreign.key })
  expect(reply).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
  expect(await user(token, tenants.foreign)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

test('a name stays until another one is given, and is returned only on this paywall', async () => {
  const email = newEmail()
  const named = async (name?: string | null) => Exchanged.parse((await exchange(email, tenants.ours, name)).body)
  expect((await named()).user.name).toBeNull()
  for (const name of ['  Ada King ', undefined, null, ' ']) expect((await named(name)).user.name).toBe('Ada King')
  const { access_token: token, refresh_token, user: created } = await named('x'.repeat(200))
  expect(created.name).toBe('x'.repeat(200))
  expect(await user(token)).toMatchObject({ body: { user: created } })
  const path = `/api/v1/paywall/${tenants.ours.paywall.id}/sign-in/token`
  const next = await call(tenants.world, path, { body: { grant_type: 'refresh_token', refresh_token } })
  expect(next.body).toMatchObject({ user: created })
  expect(Exchanged.parse((await exchange(email, second)).body).user).toEqual({ ...created, name: null })
})

test('a refused exchange creates no user', async () => {
  const email = newEmail()
  expect(await exchange(email, { ...tenants.ours, key: tenants.foreign.key })).toMatchObject({ status: 403 })
  const { rows } = await tenants.world.database.query('select from users where email = $1', [email])
  expect(rows).toEqual([])
})
