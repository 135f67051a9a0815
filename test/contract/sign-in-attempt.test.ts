import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askForTokens, refresh, sessionIn } from '../support/sign-in.ts'
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

const begin = (attempt: unknown, at?: { paywallId: string }) =>
  askForTokens(world, { grant_type: 'anonymous', attempt }, at)

test('an attempt that is repeated within five minutes is the same user, with the same refresh token', async () => {
  const attempt = randomUUID()
  const first = sessionIn(await begin(attempt))
  const again = sessionIn(await begin(attempt.toUpperCase()))
  expect([again.user, again.refreshToken]).toEqual([first.user, first.refreshToken])
  expect(sessionIn(await refresh(world, again.refreshToken)).user).toEqual(first.user)
})

test('an attempt is of its own paywall, and another one is another user', async () => {
  const attempt = randomUUID()
  const users = [await begin(attempt), await begin(attempt, { paywallId: elsewhere }), await begin(randomUUID())]
  expect(new Set(users.map((reply) => sessionIn(reply).user.id)).size).toBe(3)
})

test.each([
  ['five minutes have passed', "update sign_in_sessions set created_at = created_at - interval '5 minutes'"],
  ['the session has ended', 'update sign_in_sessions set ended_at = now()'],
])('an attempt is refused once %s', async (_what, statement) => {
  const attempt = randomUUID()
  const { user } = sessionIn(await begin(attempt))
  await world.database.query(`${statement} where user_id = $1`, [user.id])
  expect(await begin(attempt)).toMatchObject(invalidGrant)
})

test('an attempt is refused once its session has gone on', async () => {
  const attempt = randomUUID()
  await refresh(world, sessionIn(await begin(attempt)).refreshToken)
  expect(await begin(attempt)).toMatchObject(invalidGrant)
})

test('an attempt is named by a UUID, if at all', async () => {
  expect(await begin('1')).toMatchObject({ status: 400, body: { error: 'Invalid attempt' } })
  expect(await begin(null)).toMatchObject({ status: 200 })
})
