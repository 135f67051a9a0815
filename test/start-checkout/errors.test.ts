import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call } from '../support/call.ts'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { monthly, paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'

let all: Tenants

beforeAll(async () => {
  all = await startTenants()
})

afterAll(() => all.close())

/** A good call with the owner's key, with fields of its body replaced; `undefined` removes one. */
function owner(fields: Record<string, unknown>, options: Call & { id?: string } = {}) {
  const { id = all.ours.paywall.id, ...rest } = options
  const body = {
    email: newEmail(),
    priceId: getPriceId(all.ours.paywall, 'monthly'),
    successUrl: 'https://owner.example/thanks',
    errorUrl: 'https://owner.example/sorry',
    ...fields,
  }
  return call(all.world, `/api/v1/paywall/${id}/start-checkout`, { key: all.ours.key, body, ...rest })
}

const bearer = (fields: Record<string, unknown>, token = all.member.token) =>
  call(all.world, `/api/v1/paywall/${all.ours.paywall.id}/start-checkout`, { token, body: fields })

/** A `userMeta` of this many bytes. */
const getMeta = (bytes: number, letter = 'x') => ({
  note: letter.repeat((bytes - '{"note":""}'.length) / Buffer.byteLength(letter)),
})

const withKey = (idempotencyKey: string) => owner({}, { headers: { 'idempotency-key': idempotencyKey } })

/** The contract's sentence, and the names of the missing parameters. */
const missing = (shown: string, names = shown) => ({
  error: `Missing required parameters: ${shown}`,
  message: `Missing: ${names}`,
})
const badKey = `pk_test_${'0'.repeat(64)}`
const nothing = { email: undefined, priceId: undefined, successUrl: undefined, errorUrl: undefined }
const notOwner = 'Access denied: API key owner does not match paywall owner'

describe("start-checkout 400 missing parameters: the contract's sentence, and what is missing", () => {
  testRows([
    ['email and priceId', () => owner({ email: undefined, priceId: undefined }), 400, missing('email, priceId')],
    ['everything', () => owner(nothing), 400, missing('email, priceId', 'email, priceId, successUrl, errorUrl')],
    [
      'everything beside __proto__',
      () => owner({}, { body: '{"__proto__":{"email":"a@b.co","priceId":"x"}}' }),
      400,
      missing('email, priceId', 'email, priceId, successUrl, errorUrl'),
    ],
    ['email', () => owner({ email: undefined }), 400, missing('email, priceId', 'email')],
    ['email that is blank', () => owner({ email: '' }), 400, missing('email, priceId', 'email')],
    ['priceId that is null', () => owner({ priceId: null }), 400, missing('email, priceId', 'priceId')],
    [
      'priceId and errorUrl',
      () => owner({ priceId: '', errorUrl: '' }),
      400,
      missing('email, priceId', 'priceId, errorUrl'),
    ],
    [
      'both URLs, without a domain',
      () => owner({ successUrl: '', errorUrl: null }),
      400,
      missing('successUrl, errorUrl'),
    ],
    ['successUrl', () => owner({ successUrl: undefined }), 400, missing('successUrl, errorUrl', 'successUrl')],
    ['errorUrl', () => owner({ errorUrl: undefined }), 400, missing('successUrl, errorUrl', 'errorUrl')],
    ['never email in the Bearer path', () => bearer({}), 400, missing('priceId', 'priceId, successUrl, errorUrl')],
    [
      'only the URLs in the Bearer path',
      () => bearer({ priceId: getPriceId(all.ours.paywall, 'monthly') }),
      400,
      missing('successUrl, errorUrl'),
    ],
  ])
})

describe('start-checkout 400 malformed parameters', () => {
  testRows([
    ['successUrl of another scheme', () => owner({ successUrl: 'ftp://a.example' }), 400, 'Invalid successUrl format'],
    ['successUrl script', () => owner({ successUrl: 'javascript:alert(1)' }), 400, 'Invalid successUrl format'],
    ['successUrl without a host', () => owner({ successUrl: 'https://' }), 400, 'Invalid successUrl format'],
    ['successUrl number', () => owner({ successUrl: 7 }), 400, 'Invalid successUrl format'],
    ['errorUrl', () => owner({ errorUrl: '/relative' }), 400, 'Invalid errorUrl format'],
    ['shopUrl', () => owner({ shopUrl: 'x'.repeat(2049) }), 400, 'Invalid shopUrl format'],
    ['email', () => owner({ email: 'not an address' }), 400, 'Invalid email format'],
    ['email list', () => owner({ email: ['a@example.com'] }), 400, 'Invalid email format'],
    ['priceId', () => owner({ priceId: 7 }), 400, 'Invalid priceId format'],
    ['trial_days over two years', () => owner({ trial_days: 731 }), 400, 'Invalid trial_days'],
    ['trial_days over 2^53', () => owner({ trial_days: 1e308 }), 400, 'Invalid trial_days'],
    ['trial_days negative', () => owner({ trial_days: -1 }), 400, 'Invalid trial_days'],
    ['trial_days fraction', () => owner({ trial_days: 1.5 }), 400, 'Invalid trial_days'],
    ['trial_days text', () => owner({ trial_days: '7' }), 400, 'Invalid trial_days'],
    ['ignoreActivePurchase', () => owner({ ignoreActivePurchase: 'yes' }), 400, 'Invalid ignoreActivePurchase'],
    ['userMeta list', () => owner({ userMeta: [] }), 400, 'Invalid userMeta'],
    ['userMeta text', () => owner({ userMeta: 'plan' }), 400, 'Invalid userMeta'],
    ['userMeta of 4,097 bytes', () => owner({ userMeta: getMeta(4097) }), 400, 'userMeta too large'],
    ['userMeta of as many in fewer letters', () => owner({ userMeta: getMeta(4097, 'é') }), 400, 'userMeta too large'],
    ['localCurrency', () => owner({ localCurrency: 'rupees' }), 400, 'Invalid localCurrency'],
    ['Idempotency-Key', () => withKey('once'), 400, 'Invalid Idempotency-Key format'],
    [
      'Idempotency-Key half quoted',
      () => withKey('"00000000-0000-4000-8000-000000000000'),
      400,
      'Invalid Idempotency-Key format',
    ],
  ])
})

describe('start-checkout 401 and 403', () => {
  testRows([
    ['bad key', () => owner({}, { key: badKey }), 401, 'Invalid API key'],
    ['bad key beside a good token', () => owner({}, { key: badKey, token: all.member.token }), 401, 'Invalid API key'],
    ['bad token', () => bearer({}, 'a.b.c'), 401, 'invalid_token'],
    [
      'no credential',
      () => call(all.world, `/api/v1/paywall/${all.ours.paywall.id}/start-checkout`, { body: {} }),
      401,
      'Unauthorized',
    ],
    ['key of another owner', () => owner({}, { key: all.foreign.key }), 403, notOwner],
    ['key of another owner, live', () => owner({}, { key: all.live.key }), 403, notOwner],
  ])
})

describe('start-checkout 404', () => {
  testRows([
    ['unknown priceId', () => owner({ priceId: 'price_unknown' }), 404, 'price_not_found'],
    [
      'price of another paywall',
      () => owner({ priceId: getPriceId(all.foreign.paywall, 'monthly') }),
      404,
      'price_not_found',
    ],
    ['unknown paywall', () => owner({}, { id: '99' }), 404, 'paywall_not_found'],
    ['paywall that is no number', () => owner({}, { id: 'acme' }), 404, 'paywall_not_found'],
  ])

  test('stale priceId: an edited price has a new id', async () => {
    const stale = getPriceId(all.foreign.paywall, 'monthly')
    const { file, key, paywall } = all.foreign
    const prices = (await paywallFile({ paywall: { id: paywall.id, prices: [monthly({ amount: 12 })] } })).paywalls[0]!
      .prices
    await all.world.apply({ ...file, paywalls: [{ ...paywall, prices }] })
    const order = { id: paywall.id, key }
    expect(await owner({ priceId: stale }, order)).toMatchObject({ status: 404, body: { error: 'price_not_found' } })
    expect(await owner({ priceId: prices[0]!.id }, order)).toMatchObject({ status: 200 })
  })
})

describe('start-checkout 409 and the rules of live paywalls', () => {
  testRows([
    [
      '409 for a user with an active subscription',
      () => owner({ email: all.payer.email }),
      409,
      { error: 'active_purchase', hasActivePurchase: true },
    ],
    [
      '400 without Idempotency-Key on a live paywall',
      () => owner({ priceId: getPriceId(all.live.paywall, 'monthly') }, { id: all.live.paywall.id, key: all.live.key }),
      400,
      'idempotency_key_required',
    ],
  ])
})
