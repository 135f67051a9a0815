import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { endSession, parseSession, refresh, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { countStatements } from '../support/statements.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const ended = { status: 200, body: { ended: true } }
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
const madeUp = () => `${randomUUID()}.${'A'.repeat(43)}`
const post = (body: unknown) => call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/end`, { body })

testRows([
  ['400 without a token', () => post({}), 400, 'refresh_token_required'],
  ['400 for an empty one', () => post({ refresh_token: '' }), 400, 'refresh_token_required'],
  ['400 for a number', () => post({ refresh_token: 1 }), 400, 'refresh_token_required'],
  ['400 for a list', () => post([]), 400, 'invalid_body'],
  ['400 for malformed JSON', () => post('{'), 400, 'invalid_json'],
  ['400 for a malformed refresh token', () => post({ refresh_token: randomUUID() }), 400, 'invalid_grant'],
  ['404 for an unknown paywall', () => endSession(world, madeUp(), { paywallId: '99' }), 404, 'paywall_not_found'],
  ['405 for a GET', () => call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/end`), 405, 'method_not_allowed'],
])

test('400 for an access token', async () => {
  const { token } = await signInAnonymously(world)
  expect(await endSession(world, token)).toMatchObject(invalidGrant)
})

test('ends the session with its access tokens, and no other session of its user', async () => {
  const email = newEmail()
  const [one, other] = [await signInByMail(world, email), await signInByMail(world, email)]
  expect(await endSession(world, one.refreshToken)).toMatchObject(ended)
  expect(await refresh(world, one.refreshToken)).toMatchObject(invalidGrant)
  const read = (token: string) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })
  expect(await read(one.token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  expect(await read(other.token)).toMatchObject({ status: 200 })
  expect(await refresh(world, other.refreshToken)).toMatchObject({ status: 200 })
})

test('ends the session with a refresh token that was used, too', async () => {
  const first = await signInAnonymously(world)
  const second = parseSession(await refresh(world, first.refreshToken))
  expect(await endSession(world, first.refreshToken)).toMatchObject(ended)
  expect(await refresh(world, second.refreshToken)).toMatchObject(invalidGrant)
  expect(await refresh(world, first.refreshToken)).toMatchObject(invalidGrant)
})

test('returns the same for an ended session, an unknown one, and one of another paywall, which is not ended', async () => {
  const file = await paywallFile()
  await world.apply(file)
  const paywallId = file.paywalls[0]!.id
  const [endedSession, foreign] = [await signInAnonymously(world), await signInAnonymously(world, { paywallId })]
  await endSession(world, endedSession.refreshToken)
  for (const token of [endedSession.refreshToken, madeUp(), foreign.refreshToken]) {
    expect(await endSession(world, token)).toMatchObject(ended)
  }
  expect(await refresh(world, foreign.refreshToken, { paywallId })).toMatchObject({ status: 200 })
})

test('makes one statement', async () => {
  expect(await countStatements(world, () => endSession(world, madeUp()))).toBe(1)
})
