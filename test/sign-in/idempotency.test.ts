import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { parseSession, refresh, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

let otherPaywall: string

const world = useTestWorld()
beforeAll(async () => {
  otherPaywall = (await newTenant(world)).paywall.id
})

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

const signInAnonymouslyWith = (key: string, at?: { paywallId: string }) =>
  requestTokens(world, { grant_type: 'anonymous' }, { ...at, headers: { 'idempotency-key': key } })

test('a call that is repeated with its Idempotency-Key within five minutes returns the same user and refresh token', async () => {
  const key = randomUUID()
  const reply = await signInAnonymouslyWith(key)
  const repeated = await signInAnonymouslyWith(key.toUpperCase())
  const [first, again] = [parseSession(reply), parseSession(repeated)]
  expect([reply, repeated].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true'])
  expect([again.user, again.refreshToken]).toEqual([first.user, first.refreshToken])
  expect(parseSession(await refresh(world, again.refreshToken)).user).toEqual(first.user)
})

test('a key belongs to its paywall, and another key creates another user', async () => {
  const key = randomUUID()
  const users = [
    await signInAnonymouslyWith(key),
    await signInAnonymouslyWith(key, { paywallId: otherPaywall }),
    await signInAnonymouslyWith(randomUUID()),
  ]
  expect(new Set(users.map((reply) => parseSession(reply).user.id)).size).toBe(3)
})

test.each([
  ['five minutes have passed', "update sign_in_sessions set created_at = created_at - interval '5 minutes'"],
  ['the session has ended', 'update sign_in_sessions set ended_at = now()'],
])('a key is refused once %s', async (_what, statement) => {
  const key = randomUUID()
  const { user } = parseSession(await signInAnonymouslyWith(key))
  await world.database.query(`${statement} where user_id = $1`, [user.id])
  expect(await signInAnonymouslyWith(key)).toMatchObject(invalidGrant)
})

test('a key is refused once its refresh token was used', async () => {
  const key = randomUUID()
  await refresh(world, parseSession(await signInAnonymouslyWith(key)).refreshToken)
  expect(await signInAnonymouslyWith(key)).toMatchObject(invalidGrant)
})

test('a key must be a UUID, and only an anonymous sign-in reads it', async () => {
  expect(await signInAnonymouslyWith('1')).toMatchObject({
    status: 400,
    body: { error: 'Invalid Idempotency-Key format' },
  })
  const { refreshToken } = await signInAnonymously(world)
  expect(await refresh(world, refreshToken, { headers: { 'idempotency-key': '1' } })).toMatchObject({ status: 200 })
})
