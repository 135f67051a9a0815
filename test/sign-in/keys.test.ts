import { expect, test } from 'vitest'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { deployed, newKey } from '../support/deployed.ts'
import {
  getGrant,
  parseSession,
  refresh,
  requestTokens,
  type Session,
  signInAnonymously,
  signInByMail,
} from '../support/sign-in.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

// Rotates the keys of sign-in by the steps of docs/operations.md. Old and new Workers serve the same calls here, as they do
// while the Workers are deployed one after the other.

const world = useTestWorld()

async function expectValid(sessions: Session[], on: TestWorld[]): Promise<void> {
  for (const { token } of sessions) {
    for (const each of on) {
      const read = await call(each, `/api/v1/paywall/${world.paywall.id}/user`, { token })
      expect(read).toMatchObject({ status: 200 })
    }
  }
}

test('the key of access tokens: every token is valid at every Worker, at each of the three deploys', async () => {
  const fresh = await makeSecrets()
  const getKeys = (set: string) => JSON.parse(set).keys
  const both = JSON.stringify({
    keys: [...getKeys(world.secrets.ACCESS_TOKEN_PUBLIC_KEYS), ...getKeys(fresh.ACCESS_TOKEN_PUBLIC_KEYS)],
  })
  const before = await signInAnonymously(world)
  const first = await deployed(world, { ACCESS_TOKEN_PUBLIC_KEYS: both })
  await expectValid([before, await signInAnonymously(first)], [world, first])

  const { ACCESS_TOKEN_PRIVATE_KEY } = fresh
  const second = await deployed(world, { ACCESS_TOKEN_PUBLIC_KEYS: both, ACCESS_TOKEN_PRIVATE_KEY })
  const [old, signedAnew] = [await signInAnonymously(first), await signInAnonymously(second)]
  await expectValid([before, old, signedAnew], [first, second])
  await first.close()

  // An hour later every token of the old key has expired, and sessions have tokens of the new key.
  const refreshed = parseSession(await refresh(second, old.refreshToken))
  const third = await deployed(world, { ...fresh, DATABASE_ROLES_KEY: world.secrets.DATABASE_ROLES_KEY })
  await expectValid([signedAnew, refreshed, await signInAnonymously(third)], [second, third])
  await Promise.all([second.close(), third.close()])
})

test('SIGN_IN_CODE_KEY: a code that was mailed before is refused, and nothing else is', async () => {
  const [email, other] = [newEmail(), newEmail()]
  const session = await signInByMail(world, other)
  const grant = await getGrant(world, email)
  const after = await deployed(world, { SIGN_IN_CODE_KEY: newKey() })
  const refused = await requestTokens(after, grant)
  expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await signInByMail(after, email)).user.email).toBe(email)
  await expectValid([session], [after])
  parseSession(await refresh(after, session.refreshToken))
  await after.close()
})
