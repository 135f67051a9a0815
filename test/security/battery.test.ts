import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ANONYMOUS,
  BAD_KEY,
  BAD_TOKEN,
  FOREIGN_KEY,
  NOBODY,
  OPEN_MISMATCH,
  OWNER,
  OWNER_MISMATCH,
  USER,
  USER_MISMATCH,
} from '../support/battery-replies.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { newEmail, startCheckout } from '../support/checkout.ts'
import { testEveryOperation } from '../support/every-operation.ts'
import { type Forge, forgeFor } from '../support/forge.ts'
import { readAudience } from '../support/owner-id.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { switchMode } from '../support/switch-mode.ts'
import { startTenants, type Tenant, type Tenants } from '../support/tenants.ts'
import { MESSAGE } from '../support/tickets.ts'

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

const ours = (endpoint: string, options: Call) =>
  call(all.world, `/api/v1/paywall/${all.ours.paywall.id}/${endpoint}`, options)

/** A request to every endpoint, by operation, that is valid except for its credential. */
const ENDPOINTS: Record<string, (credential: Call) => Promise<Reply>> = {
  bootstrap: (credential) => ours('bootstrap', credential),
  findPaywall: (credential) => call(all.world, '/api/v1/paywall', credential),
  startCheckout: (credential) =>
    startCheckout(all.world, { ...credential, paywall: all.ours.paywall, body: { ignoreActivePurchase: true } }),
  readUser: (credential) => ours(`user?email=${all.payer.email}`, credential),
  cancelSubscription: (credential) => {
    const who = { paywallId: all.ours.paywall.id, userId: all.payer.id }
    const body = { ...who, subscriptionId: randomUUID(), cancellationReason: 'too expensive' }
    return call(all.world, '/api/paywall/cancel-subscription', { ...credential, body })
  },
  getCustomerPortal: (credential) => ours('get-customer-portal', { ...credential, body: { email: all.payer.email } }),
  openTicket: (credential) =>
    ours('support/ticket', { ...credential, body: { ...MESSAGE, customer_email: newEmail() } }),
  changeBalance: (credential) => {
    const body = { op: 'credit', amount: 1, type: 'standard', user_id: all.payer.id }
    return ours('balances', { ...credential, body })
  },
  withdrawTokens: (credential) => {
    const body = { paywall_id: all.ours.paywall.id, user_id: all.payer.id, tokens: 1 }
    return call(all.world, '/api/v1/withdraw-tokens', { ...credential, body })
  },
  sendSignInCode: (credential) => ours('sign-in/code', { ...credential, body: { email: newEmail() } }),
  giveTokens: (credential) => ours('sign-in/token', { ...credential, body: { grant_type: 'anonymous' } }),
  endSession: (credential) =>
    ours('sign-in/end', { ...credential, body: { refresh_token: `${randomUUID()}.${'A'.repeat(43)}` } }),
  exchangeTokens: (credential) => ours('sign-in/exchange', { ...credential, body: { email: newEmail() } }),
  checkoutReturn: (credential) => call(all.world, `/r/${randomUUID()}/success`, credential),
  signedReturn: (credential) => call(all.world, `/return/stripe/${all.ours.paywall.id}`, credential),
  processorWebhook: (credential) =>
    call(all.world, `/webhooks/stripe/${all.ours.paywall.id}`, { ...credential, body: {} }),
}

testEveryOperation(Object.keys(ENDPOINTS))

/** The status of each endpoint's response and, if it failed, the error. */
async function readStatuses(credential: Call): Promise<Record<string, string>> {
  const statuses: Record<string, string> = {}
  for (const [name, ask] of Object.entries(ENDPOINTS)) {
    const { status, body } = await ask(credential)
    const error = typeof body === 'object' && body && 'error' in body ? ` ${body.error}` : ''
    statuses[name] = `${status}${error}`
  }
  return statuses
}

const badKey = `pk_test_${'0'.repeat(64)}`
const paywallHeader = ({ paywall }: Tenant) => ({ headers: { 'x-paywall-id': paywall.id } })
describe('every endpoint returns its own status and error for', () => {
  test.each<[string, () => Call, Record<string, string>]>([
    ['no credential', () => ({}), NOBODY],
    ['an owner key', () => ({ key: all.ours.key }), OWNER],
    ['a malformed key', () => ({ key: 'x' }), BAD_KEY],
    ['an empty key, which counts as a wrong one', () => ({ key: '' }), BAD_KEY],
    ['a wrong key', () => ({ key: badKey }), BAD_KEY],
    ['a revoked key', () => ({ key: revoked }), BAD_KEY],
    ["another owner's key", () => ({ key: all.foreign.key }), FOREIGN_KEY],
    ["another owner's live key", () => ({ key: all.live.key }), FOREIGN_KEY],
    ["the owner's live key on a test paywall", () => ({ key: live }), BAD_KEY],
    ["a user's token as a key", () => ({ key: all.payer.token }), BAD_KEY],
    ["a user's token", () => ({ token: all.payer.token }), USER],
    ["an anonymous user's token", () => ({ token: anonymous }), ANONYMOUS],
    ['a malformed token', () => ({ token: 'x' }), BAD_TOKEN],
    ['an empty token', () => ({ token: '' }), BAD_TOKEN],
    ['an expired token', () => ({ token: forge.token({}, { exp: 1 }) }), BAD_TOKEN],
    ['a forged token', () => ({ token: forge.token({}, {}, forge.stranger.privateKey) }), BAD_TOKEN],
    ['an unsigned token', () => ({ token: forge.unsigned('none') }), BAD_TOKEN],
    [
      "another owner's token, which cancel-subscription uses to find the paywall",
      () => ({ token: all.stranger.token }),
      { ...BAD_TOKEN, cancelSubscription: '404 Subscription not found' },
    ],
    ['an owner key as a token', () => ({ token: all.ours.key }), BAD_TOKEN],
    ['a wrong key together with a valid token', () => ({ key: badKey, token: all.payer.token }), BAD_KEY],
    [
      'a valid key together with a bad token: the key counts, except where none is read (tickets, bootstrap)',
      () => ({ key: all.ours.key, token: 'x' }),
      { ...OWNER, bootstrap: '401 invalid_token', openTicket: '401 invalid_token' },
    ],
    [
      'an owner key with the X-Paywall-Id of its paywall',
      () => ({ key: all.ours.key, ...paywallHeader(all.ours) }),
      OWNER,
    ],
    [
      'an owner key with another X-Paywall-Id',
      () => ({ key: all.ours.key, ...paywallHeader(all.foreign) }),
      OWNER_MISMATCH,
    ],
    [
      "a user's token with another X-Paywall-Id",
      () => ({ token: all.payer.token, ...paywallHeader(all.foreign) }),
      USER_MISMATCH,
    ],
    [
      'a wrong key with another X-Paywall-Id',
      () => ({ key: badKey, ...paywallHeader(all.foreign) }),
      { ...BAD_KEY, ...OPEN_MISMATCH },
    ],
    ['another X-Paywall-Id alone', () => paywallHeader(all.foreign), { ...NOBODY, ...OPEN_MISMATCH }],
  ])('%s', async (_name, credential, expected) => {
    expect(await readStatuses(credential())).toEqual(expected)
  })
})

describe('a key that is used in the wrong place gets an error that says so, wherever a key is required:', () => {
  const NEEDS_KEY = ['startCheckout', 'readUser', 'cancelSubscription', 'getCustomerPortal', 'changeBalance']
  const OWNERS = [...NEEDS_KEY, 'withdrawTokens', 'exchangeTokens']
  const asToken = 'This is an owner key, not an access token: send it as `X-Api-Key`'

  test.each<[string, () => Call, string, string[]]>([
    ['a live key on a test paywall', () => ({ key: live }), 'A live key cannot be used with a test paywall', OWNERS],
    ['an owner key as a token', () => ({ token: all.ours.key }), asToken, [...OWNERS, 'bootstrap', 'openTicket']],
    ['a wrong key as a token', () => ({ token: badKey }), asToken, OWNERS],
  ])('%s', async (_name, credential, message, operations) => {
    for (const name of operations) {
      const reply = await ENDPOINTS[name]?.(credential())
      expect(reply, name).toMatchObject({ status: 401, body: { message } })
    }
  })

  test('a test key on a live paywall', async () => {
    await switchMode(all.world, all.ours.paywall.id, false)
    for (const name of OWNERS) {
      const message = 'A test key cannot be used with a live paywall'
      expect(await ENDPOINTS[name]?.({ key: all.ours.key }), name).toMatchObject({ status: 401, body: { message } })
    }
    await switchMode(all.world, all.ours.paywall.id, true)
  })

  test('an invalid token, or a key of another owner, gets the plain error', async () => {
    for (const credential of [{ token: 'x' }, { key: badKey }, { key: all.live.key }]) {
      expect((await ENDPOINTS.readUser?.(credential))?.body).not.toHaveProperty('message')
    }
  })
})
