import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { endSession, refresh, sessionIn, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { readStatements } from '../support/statements.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

const ended = { status: 200, body: { ended: true } }
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
const madeUp = () => `${randomUUID()}.${'A'.repeat(43)}`
const post = (body: unknown) => call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/end`, { body })

testRows([
  ['400 without a token', () => post({}), 400, 'refresh_token_required'],
  ['400 for an empty one', () => post({ refresh_token: '' }), 400, 'refresh_token_required'],
  ['400 for a number', () => post({ refresh_token: 1 }), 400, 'refresh_token_required'],
  ['400 for no object', () => post([]), 400, 'invalid_body'],
  ['400 for no JSON', () => post('{'), 400, 'invalid_json'],
  ['400 for what is no refresh token', () => post({ refresh_token: randomUUID() }), 400, 'invalid_grant'],
  ['404 for an unknown paywall', () => endSession(world, madeUp(), { paywallId: '99' }), 404, 'paywall_not_found'],
  ['405 for a GET', () => call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/end`), 405, 'method_not_allowed'],
])

test('400 for an access token', async () => {
  const { token } = await signInAnonymously(world)
  expect(await endSession(world, token)).toMatchObject(invalidGrant)
})

test('ends the session, and no other of its user; its access token lasts out its hour', async () => {
  const email = newEmail()
  const [one, other] = [await signInByMail(world, email), await signInByMail(world, email)]
  expect(await endSession(world, one.refreshToken)).toMatchObject(ended)
  expect(await refresh(world, one.refreshToken)).toMatchObject(invalidGrant)
  expect(await call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token: one.token })).toMatchObject({
    status: 200,
  })
  expect(await refresh(world, other.refreshToken)).toMatchObject({ status: 200 })
})

test('ends it by a refresh token that was used, too', async () => {
  const first = await signInAnonymously(world)
  const second = sessionIn(await refresh(world, first.refreshToken))
  expect(await endSession(world, first.refreshToken)).toMatchObject(ended)
  expect(await refresh(world, second.refreshToken)).toMatchObject(invalidGrant)
  expect(await refresh(world, first.refreshToken)).toMatchObject(invalidGrant)
})

test('says the same of a session that has ended, of one that never was, and of another paywall’s, which goes on', async () => {
  const file = await paywallFile()
  await world.apply(file)
  const paywallId = file.paywalls[0]!.id
  const [gone, foreign] = [await signInAnonymously(world), await signInAnonymously(world, { paywallId })]
  await endSession(world, gone.refreshToken)
  for (const token of [gone.refreshToken, madeUp(), foreign.refreshToken]) {
    expect(await endSession(world, token)).toMatchObject(ended)
  }
  expect(await refresh(world, foreign.refreshToken, { paywallId })).toMatchObject({ status: 200 })
})

test('asks the database once', async () => {
  expect(await readStatements(world, () => endSession(world, madeUp()))).toBe(1)
})
