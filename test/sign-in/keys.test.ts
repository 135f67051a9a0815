import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { deployed, newKey } from '../support/deployed.ts'
import {
  askForTokens,
  getGrant,
  refresh,
  type Session,
  sessionIn,
  signInAnonymously,
  signInByMail,
} from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// The keys of sign-in, by the steps of docs/operations.md. What the Workers of before and of after a deploy do is what a
// caller meets while the Workers are deployed one after the other.

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
afterAll(() => world.close())

async function expectGood(sessions: Session[], on: TestWorld[]): Promise<void> {
  for (const { token } of sessions) {
    for (const each of on) {
      const read = await call(each, `/api/v1/paywall/${world.paywall.id}/user`, { token })
      expect(read).toMatchObject({ status: 200 })
    }
  }
}

test('the key of access tokens: every token is good at every Worker, at each of the three deploys', async () => {
  const fresh = await makeSecrets()
  const getKeys = (set: string) => JSON.parse(set).keys
  const both = JSON.stringify({
    keys: [...getKeys(world.secrets.ACCESS_TOKEN_PUBLIC_KEYS), ...getKeys(fresh.ACCESS_TOKEN_PUBLIC_KEYS)],
  })
  const before = await signInAnonymously(world)
  const first = await deployed(world, { ACCESS_TOKEN_PUBLIC_KEYS: both })
  await expectGood([before, await signInAnonymously(first)], [world, first])

  const { ACCESS_TOKEN_PRIVATE_KEY } = fresh
  const second = await deployed(world, { ACCESS_TOKEN_PUBLIC_KEYS: both, ACCESS_TOKEN_PRIVATE_KEY })
  const [old, signedAnew] = [await signInAnonymously(first), await signInAnonymously(second)]
  await expectGood([before, old, signedAnew], [first, second])
  await first.close()

  // An hour later every token of the old key has expired, and sessions have got tokens of the new one.
  const refreshed = sessionIn(await refresh(second, old.refreshToken))
  const third = await deployed(world, { ...fresh, DATABASE_ROLES_KEY: world.secrets.DATABASE_ROLES_KEY })
  await expectGood([signedAnew, refreshed, await signInAnonymously(third)], [second, third])
  await Promise.all([second.close(), third.close()])
})

test('SIGN_IN_CODE_KEY: a code that was mailed before is refused, and nothing else is', async () => {
  const [email, other] = [newEmail(), newEmail()]
  const session = await signInByMail(world, other)
  const grant = await getGrant(world, email)
  const after = await deployed(world, { SIGN_IN_CODE_KEY: newKey() })
  const refused = await askForTokens(after, grant)
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await signInByMail(after, email)).user.email).toBe(email)
  await expectGood([session], [after])
  sessionIn(await refresh(after, session.refreshToken))
  await after.close()
})
