import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { signAccessToken } from '../../functions/sign-in/tokens.ts'
import { type TokenUser, verifyAccessToken } from '../../lib/auth/access-token.ts'
import { call } from '../support/call.ts'
import { readSessionId } from '../support/forge.ts'
import { readAudience } from '../support/owner-id.ts'
import { type Session, signInAnonymously } from '../support/sign-in.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

// While the access-token keys are rotated, the JWK set holds two keys: the old one, and the one that signs new tokens.

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

const [removed, old, current] = await Promise.all([makeKeyPair(), makeKeyPair(), makeKeyPair()])
/** The removed key with the key id of the old one. */
const disguised = {
  ...removed,
  privateKey: JSON.stringify({ ...JSON.parse(removed.privateKey), kid: old.publicJwk.kid }),
}

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

  const signToken = async ({ privateKey }: KeyPair) => {
    const audience = await readAudience(world)
    const sessionId = readSessionId(session.token)
    const user: TokenUser = { userId: session.user.id, sessionId, email: null, anonymous: true, audience }
    return signAccessToken(user, privateKey, new Date())
  }

  test('tokens signed with the old and with the new key are both accepted', async () => {
    expect(await read(session.token)).toMatchObject({ status: 200 })
    expect(await read(await signToken(old))).toMatchObject({ status: 200 })
  })

  test('a token signed with a removed key is invalid, whatever its key id', async () => {
    for (const pair of [removed, disguised]) {
      expect(await read(await signToken(pair))).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    }
  })
})

test('one isolate accepts the keys of the current JWK set only, even as the set changes', async () => {
  const user = {
    userId: crypto.randomUUID(),
    sessionId: crypto.randomUUID(),
    email: null,
    anonymous: true,
    audience: crypto.randomUUID(),
  }
  const now = new Date()
  const [oldToken, currentToken] = [
    await signAccessToken(user, old.privateKey, now),
    await signAccessToken(user, current.privateKey, now),
  ]
  const accepted = async (set: string) =>
    (await Promise.all([oldToken, currentToken].map((token) => verifyAccessToken(token, set, now)))).map(
      (verified) => verified !== null,
    )
  expect(await accepted(jwkSet(old))).toEqual([true, false])
  expect(await accepted(jwkSet(old, current))).toEqual([true, true])
  expect(await accepted(jwkSet(current))).toEqual([false, true])
})
