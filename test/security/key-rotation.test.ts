import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { signAccessToken } from '../../functions/sign-in/tokens.ts'
import { type TokenUser, verifyAccessToken } from '../../lib/auth/access-token.ts'
import { call } from '../support/call.ts'
import { readAudience } from '../support/owner-id.ts'
import { type Session, signInAnonymously } from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// While access tokens' keys are rotated the JWK set holds two: the one that tokens were signed with and the one that signs.

/** An Ed25519 key pair, as the secrets have it. */
interface KeyPair {
  privateKey: string
  publicJwk: { kid: string }
}

async function makeKeyPair(): Promise<KeyPair> {
  const { ACCESS_TOKEN_PRIVATE_KEY: privateKey, ACCESS_TOKEN_PUBLIC_KEYS: publicKeys } = await makeSecrets()
  return { privateKey, publicJwk: JSON.parse(publicKeys).keys[0] }
}

const jwkSet = (...pairs: KeyPair[]) => JSON.stringify({ keys: pairs.map(({ publicJwk }) => publicJwk) })

const [left, old, current] = await Promise.all([makeKeyPair(), makeKeyPair(), makeKeyPair()])
/** The removed key, under the name of a current one. */
const disguised = { ...left, privateKey: JSON.stringify({ ...JSON.parse(left.privateKey), kid: old.publicJwk.kid }) }

describe('in the middle of a rotation', () => {
  let world: TestWorld
  let session: Session

  beforeAll(async () => {
    const secrets = { ACCESS_TOKEN_PRIVATE_KEY: current.privateKey, ACCESS_TOKEN_PUBLIC_KEYS: jwkSet(old, current) }
    world = await startTestWorld({ secrets })
    session = await signInAnonymously(world)
  })
  afterAll(() => world.close())

  const read = (token: string) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })

  const readToken = async ({ privateKey }: KeyPair) => {
    const audience = await readAudience(world)
    const user: TokenUser = { userId: session.user.id, email: null, anonymous: true, audience }
    return signAccessToken(user, privateKey, new Date())
  }

  test('a token of the old key opens what a token of the new one opens', async () => {
    expect(await read(session.token)).toMatchObject({ status: 200 })
    expect(await read(await readToken(old))).toMatchObject({ status: 200 })
  })

  test('a token of a removed key is invalid, whatever key id it has', async () => {
    for (const pair of [left, disguised]) {
      expect(await read(await readToken(pair))).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    }
  })
})

test('a key counts from the set that brings it until the one that lacks it, in an isolate that sees them all', async () => {
  const user = { userId: crypto.randomUUID(), email: null, anonymous: true, audience: crypto.randomUUID() }
  const now = new Date()
  const [ofOld, ofCurrent] = [
    await signAccessToken(user, old.privateKey, now),
    await signAccessToken(user, current.privateKey, now),
  ]
  const good = async (set: string) =>
    (await Promise.all([ofOld, ofCurrent].map((token) => verifyAccessToken(token, set, now)))).map(
      (verified) => verified !== null,
    )
  expect(await good(jwkSet(old))).toEqual([true, false])
  expect(await good(jwkSet(old, current))).toEqual([true, true])
  expect(await good(jwkSet(current))).toEqual([false, true])
})
