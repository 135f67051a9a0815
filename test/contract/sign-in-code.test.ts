import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { askForCode, askForTokens, codeMailedTo, getCode, sessionIn, signInByMail } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

test('a mailed code signs a new user in', async () => {
  const email = newEmail()
  expect(await askForCode(world, email)).toMatchObject({ status: 200, body: { sent: true } })
  const code = await codeMailedTo(world, email)
  const reply = await askForTokens(world, { grant_type: 'code', email, code })
  expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(sessionIn(reply).user).toMatchObject({ email, name: null })
})
