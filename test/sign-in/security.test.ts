import { beforeAll, describe, expect, test } from 'vitest'
import { credit } from '../support/anonymous.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { type Forge, forgeFor } from '../support/forge.ts'
import { readAudience } from '../support/owner-id.ts'
import { paywallFile } from '../support/paywall-file.ts'
import {
  endSession,
  getGrant,
  parseSession,
  refresh,
  requestTokens,
  type Session,
  signInAnonymously,
  signInByMail,
  wrong,
} from '../support/sign-in.ts'
import { verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

let otherPaywall: string
let anonymous: Session
let forge: Forge

const world = useTestWorld()
beforeAll(async () => {
  const file = await paywallFile()
  await world.apply(file)
  otherPaywall = file.paywalls[0]!.id
  anonymous = await signInAnonymously(world)
  await credit(world, anonymous.user.id, 7)
  forge = forgeFor(world, { id: anonymous.user.id, email: '', token: anonymous.token }, await readAudience(world))
})

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
const past = () => Math.floor(Date.now() / 1000) - 1
const payload = { email: null, anonymous: true }

describe('what an anonymous user has cannot be taken over with', () => {
  const tokens: [string, () => string | Promise<string>][] = [
    ['a string that is no token', () => 'x'],
    ['an expired one', () => forge.token({}, { ...payload, exp: past() })],
    ['one of another key', () => forge.token({}, payload, forge.stranger.privateKey)],
    ['one signed by HMAC with the public key', () => forge.confused('jwk')],
    ['an unsigned one', () => forge.unsigned('none')],
    ['one for another paywall', () => forge.token({}, { ...payload, aud: otherPaywall })],
    ['a real one of another paywall', async () => (await signInAnonymously(world, { paywallId: otherPaywall })).token],
    ['its refresh token', () => anonymous.refreshToken],
  ]
  test.each(tokens)('%s: 401, and the code is still valid', async (_name, forged) => {
    const grant = await getGrant(world, newEmail())
    const refused = await requestTokens(world, grant, { token: await forged() })
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await verifiedBalances(world, anonymous.user.id)).toMatchObject({ premium: 7 })
    expect(await requestTokens(world, grant)).toMatchObject({ status: 200 })
  })

  test('the token of a user with an address, even one that claims to be anonymous', async () => {
    const owner = await signIn(world)
    await credit(world, owner.id, 5)
    const token = forgeFor(world, owner, await readAudience(world)).token({}, payload)
    const { user } = await signInByMail(world, newEmail(), { token })
    expect(user.id).not.toBe(owner.id)
    expect(await verifiedBalances(world, owner.id)).toMatchObject({ premium: 5 })
    expect(await verifiedBalances(world, user.id)).toEqual({})
  })

  test('its token after it has signed out', async () => {
    const gone = await signInAnonymously(world)
    await credit(world, gone.user.id, 3)
    await endSession(world, gone.refreshToken)
    const { user } = await signInByMail(world, newEmail(), { token: gone.token })
    expect(user.id).not.toBe(gone.user.id)
    expect(await verifiedBalances(world, gone.user.id)).toMatchObject({ premium: 3 })
  })

  test('an owner key with the grant', async () => {
    const grant = { grant_type: 'code', email: newEmail(), code: '00000000', challenge: 'A'.repeat(43) }
    expect(await requestTokens(world, grant, { key: world.key })).toMatchObject(invalidGrant)
  })
})

test('the responses to wrong, used, expired and never mailed codes are identical', async () => {
  const [used, expired, mailed] = [
    await getGrant(world, newEmail()),
    await getGrant(world, newEmail()),
    await getGrant(world, newEmail()),
  ]
  await requestTokens(world, used)
  await world.database.query('update sign_in_challenges set expires_at = now() where email = $1', [expired.email])
  const grants = [
    used,
    expired,
    wrong(mailed),
    { ...mailed, challenge: used.challenge },
    { ...mailed, email: newEmail() },
  ]
  const replies = await Promise.all(grants.map((grant) => requestTokens(world, grant)))
  const visible = replies.map(({ status, headers: { 'x-request-id': _, date: __, ...headers }, body }) => ({
    status,
    headers,
    body,
  }))
  expect(visible).toEqual(Array(grants.length).fill(visible[0]))
  expect(replies[0]).toMatchObject(invalidGrant)
})

test('no code, token or address is ever logged', async () => {
  const grant = await getGrant(world, newEmail())
  const session = parseSession(await requestTokens(world, grant))
  const next = parseSession(await refresh(world, session.refreshToken))
  await refresh(world, session.refreshToken)
  const secrets = [
    grant.email,
    grant.code,
    grant.challenge,
    session.token,
    session.refreshToken,
    next.token,
    next.refreshToken,
  ]
  const shown = world.logs.map(({ message }) => message).join('\n')
  expect(shown).toContain('sign-in/token')
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
})

test('SQL in an address or a token is treated as plain text', async () => {
  const email = `o'brien'--${newEmail()}`
  expect((await signInByMail(world, email)).user).toMatchObject({ email })
  expect(await refresh(world, "x' or true --")).toMatchObject(invalidGrant)
})
