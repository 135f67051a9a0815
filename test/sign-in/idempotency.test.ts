import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForTokens, refresh, sessionIn, signInAnonymously } from '../support/sign-in.ts'
import { newTenant } from '../support/tenants.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
let elsewhere: string

beforeAll(async () => {
  world = await startTestWorld()
  elsewhere = (await newTenant(world)).paywall.id
})
afterAll(() => world.close())

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

const begin = (key: string, at?: { paywallId: string }) =>
  askForTokens(world, { grant_type: 'anonymous' }, { ...at, headers: { 'idempotency-key': key } })

test('a call that is repeated with its Idempotency-Key within five minutes is the same user, with the same refresh token', async () => {
  const key = randomUUID()
  const reply = await begin(key)
  const repeated = await begin(key.toUpperCase())
  const [first, again] = [sessionIn(reply), sessionIn(repeated)]
  expect([reply, repeated].map(({ headers }) => headers['idempotency-replayed'])).toEqual([undefined, 'true'])
  expect([again.user, again.refreshToken]).toEqual([first.user, first.refreshToken])
  expect(sessionIn(await refresh(world, again.refreshToken)).user).toEqual(first.user)
})

test('a key is of its own paywall, and another one is another user', async () => {
  const key = randomUUID()
  const users = [await begin(key), await begin(key, { paywallId: elsewhere }), await begin(randomUUID())]
  expect(new Set(users.map((reply) => sessionIn(reply).user.id)).size).toBe(3)
})

test.each([
  ['five minutes have passed', "update sign_in_sessions set created_at = created_at - interval '5 minutes'"],
  ['the session has ended', 'update sign_in_sessions set ended_at = now()'],
])('a key is refused once %s', async (_what, statement) => {
  const key = randomUUID()
  const { user } = sessionIn(await begin(key))
  await world.database.query(`${statement} where user_id = $1`, [user.id])
  expect(await begin(key)).toMatchObject(invalidGrant)
})

test('a key is refused once its session has gone on', async () => {
  const key = randomUUID()
  await refresh(world, sessionIn(await begin(key)).refreshToken)
  expect(await begin(key)).toMatchObject(invalidGrant)
})

test('a key is a UUID, and only an anonymous sign-in looks at it', async () => {
  expect(await begin('1')).toMatchObject({ status: 400, body: { error: 'Invalid Idempotency-Key format' } })
  const { refreshToken } = await signInAnonymously(world)
  expect(await refresh(world, refreshToken, { headers: { 'idempotency-key': '1' } })).toMatchObject({ status: 200 })
})
