import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation, Replies } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/operations.ts'
import type { Call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { type Forge, forgeFor } from '../support/forge.ts'
import { callOperation, onPaywall, shown, takesOwnerKey, takesUserToken } from '../support/operation-call.ts'
import { readAudience } from '../support/owner-id.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { switchMode } from '../support/switch-mode.ts'
import { startTenants, type Tenant, type Tenants } from '../support/tenants.ts'

const revoked = `pk_test_${'d'.repeat(40)}`
const live = `pk_live_${'e'.repeat(40)}`

let all: Tenants
let forge: Forge
let anonymous: string

beforeAll(async () => {
  all = await startTenants()
  const { world, ours } = all
  await world.apply({ ...ours.file, keys: [...ours.file.keys, { name: 'old', is_test: true, secret: revoked }] })
  await world.apply({ ...ours.file, keys: [...ours.file.keys, { name: 'live', is_test: false, secret: live }] })
  forge = forgeFor(world, all.payer, await readAudience(world))
  anonymous = (await signInAnonymously(world)).token
})

afterAll(() => all.close())

/** A request that is valid except for its credential. An operation that looks a user up gets one who pays. */
function ask(name: string, credential: Call) {
  const user = OPERATIONS[name]!.unknownUser ? all.payer : { email: newEmail() }
  return callOperation(all.world, name, { ...onPaywall(all.ours.paywall), user }, credential)
}

type Expected = (operation: Operation, name: string) => string

/** The reply to a caller, by its name in the table. */
const to =
  (caller: keyof Replies): Expected =>
  ({ replies }) =>
    replies[caller]

/** The same for a call whose `X-Paywall-Id` names another paywall. */
const mismatched =
  (caller: 'nobody' | 'badKey' | 'ownerKey' | 'user'): Expected =>
  ({ replies, ifOtherPaywallId }) =>
    ifOtherPaywallId?.[caller] ?? replies[caller]

const badKey = `pk_test_${'0'.repeat(64)}`
const paywallHeader = ({ paywall }: Tenant) => ({ headers: { 'x-paywall-id': paywall.id } })
describe('every endpoint returns its own status and error for', () => {
  test.each<[string, () => Call, Expected]>([
    ['no credential', () => ({}), to('nobody')],
    ['an owner key', () => ({ key: all.ours.key }), to('ownerKey')],
    ['a malformed key', () => ({ key: 'x' }), to('badKey')],
    ['an empty key, which counts as a wrong one', () => ({ key: '' }), to('badKey')],
    ['a wrong key', () => ({ key: badKey }), to('badKey')],
    ['a revoked key', () => ({ key: revoked }), to('badKey')],
    ["another owner's key", () => ({ key: all.foreign.key }), to('foreignKey')],
    ["another owner's live key", () => ({ key: all.live.key }), to('foreignKey')],
    [
      "the owner's live key on a test paywall",
      () => ({ key: live }),
      ({ replies, allPaywalls }) => (allPaywalls ? replies.ownerKey : replies.badKey),
    ],
    ["a user's token as a key", () => ({ key: all.payer.token }), to('badKey')],
    ["a user's token", () => ({ token: all.payer.token }), to('user')],
    ["an anonymous user's token", () => ({ token: anonymous }), to('anonymous')],
    ['a malformed token', () => ({ token: 'x' }), to('badToken')],
    ['an empty token', () => ({ token: '' }), to('badToken')],
    ['an expired token', () => ({ token: forge.token({}, { exp: 1 }) }), to('badToken')],
    ['a forged token', () => ({ token: forge.token({}, {}, forge.stranger.privateKey) }), to('badToken')],
    ['an unsigned token', () => ({ token: forge.unsigned('none') }), to('badToken')],
    ["another owner's token", () => ({ token: all.stranger.token }), to('foreignToken')],
    ['an owner key as a token', () => ({ token: all.ours.key }), to('badToken')],
    ['a wrong key together with a valid token', () => ({ key: badKey, token: all.payer.token }), to('badKey')],
    [
      'a valid key together with a bad token: the key counts, except where none is read',
      () => ({ key: all.ours.key, token: 'x' }),
      ({ replies }, name) => (takesOwnerKey(name) ? replies.ownerKey : replies.badToken),
    ],
    [
      'an owner key with the X-Paywall-Id of its paywall',
      () => ({ key: all.ours.key, ...paywallHeader(all.ours) }),
      to('ownerKey'),
    ],
    [
      'an owner key with another X-Paywall-Id',
      () => ({ key: all.ours.key, ...paywallHeader(all.foreign) }),
      mismatched('ownerKey'),
    ],
    [
      "a user's token with another X-Paywall-Id",
      () => ({ token: all.payer.token, ...paywallHeader(all.foreign) }),
      mismatched('user'),
    ],
    [
      'a wrong key with another X-Paywall-Id',
      () => ({ key: badKey, ...paywallHeader(all.foreign) }),
      mismatched('badKey'),
    ],
    ['another X-Paywall-Id alone', () => paywallHeader(all.foreign), mismatched('nobody')],
  ])('%s', async (_name, credential, expected) => {
    const replies: Record<string, string> = {}
    for (const name of Object.keys(OPERATIONS)) replies[name] = shown(await ask(name, credential()))
    const entries = Object.entries(OPERATIONS)
    expect(replies).toEqual(Object.fromEntries(entries.map(([name, operation]) => [name, expected(operation, name)])))
  })
})

describe('a key that is used in the wrong place gets an error that says so:', () => {
  const OWNERS = Object.keys(OPERATIONS).filter((name) => takesOwnerKey(name) && !OPERATIONS[name]!.allPaywalls)
  const READ_TOKENS = Object.keys(OPERATIONS).filter((name) => takesOwnerKey(name) || takesUserToken(name))
  const asToken = 'This is an owner key, not an access token: send it as `X-Api-Key`'

  test.each<[string, () => Call, string, string[]]>([
    ['a live key on a test paywall', () => ({ key: live }), 'A live key cannot be used with a test paywall', OWNERS],
    ['an owner key as a token', () => ({ token: all.ours.key }), asToken, READ_TOKENS],
    ['a wrong key as a token', () => ({ token: badKey }), asToken, READ_TOKENS],
  ])('%s', async (_name, credential, message, names) => {
    for (const name of names) {
      expect(await ask(name, credential()), name).toMatchObject({ status: 401, body: { message } })
    }
  })

  test('a test key on a live paywall', async () => {
    await switchMode(all.world, all.ours.paywall.id, false)
    const message = 'A test key cannot be used with a live paywall'
    for (const name of OWNERS) {
      expect(await ask(name, { key: all.ours.key }), name).toMatchObject({ status: 401, body: { message } })
    }
    await switchMode(all.world, all.ours.paywall.id, true)
  })

  test('an invalid token, or a wrong key, gets another one', async () => {
    for (const credential of [{ token: 'x' }, { key: badKey }]) {
      const { body } = await ask('readUser', credential)
      expect(body).toMatchObject({ message: expect.not.stringMatching(/owner key|test|live/) })
    }
  })
})
