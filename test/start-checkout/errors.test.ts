import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call } from '../support/call.ts'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { monthly, paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants()
})

afterAll(() => tenants.close())

/** A good call with the owner's key, with fields of its body replaced; `undefined` removes one. */
function asOwner(fields: Record<string, unknown>, options: Call & { id?: string } = {}) {
  const { id = tenants.ours.paywall.id, ...rest } = options
  const body = {
    email: newEmail(),
    priceId: getPriceId(tenants.ours.paywall, 'monthly'),
    successUrl: 'https://owner.example/thanks',
    errorUrl: 'https://owner.example/sorry',
    ...fields,
  }
  return call(tenants.world, `/api/v1/paywall/${id}/start-checkout`, { key: tenants.ours.key, body, ...rest })
}

const asUser = (fields: Record<string, unknown>, token = tenants.member.token) =>
  call(tenants.world, `/api/v1/paywall/${tenants.ours.paywall.id}/start-checkout`, { token, body: fields })

/** A `userMeta` of this many bytes. */
const getMeta = (bytes: number, letter = 'x') => ({
  note: letter.repeat((bytes - '{"note":""}'.length) / Buffer.byteLength(letter)),
})

const withKey = (idempotencyKey: string) => asOwner({}, { headers: { 'idempotency-key': idempotencyKey } })

/** The contract's error, and a message with the names of the missing parameters. */
const missing = (shown: string, names = shown) => ({
  error: `Missing required parameters: ${shown}`,
  message: `Missing: ${names}`,
})
const badKey = `pk_test_${'0'.repeat(64)}`
const allMissing = { email: undefined, priceId: undefined, successUrl: undefined, errorUrl: undefined }
const notOwner = 'Access denied: API key owner does not match paywall owner'

describe("start-checkout 400 missing parameters: the contract's error, and a message with what is missing", () => {
  testRows([
    ['email and priceId', () => asOwner({ email: undefined, priceId: undefined }), 400, missing('email, priceId')],
    ['everything', () => asOwner(allMissing), 400, missing('email, priceId', 'email, priceId, successUrl, errorUrl')],
    [
      'everything except __proto__',
      () => asOwner({}, { body: '{"__proto__":{"email":"a@b.co","priceId":"x"}}' }),
      400,
      missing('email, priceId', 'email, priceId, successUrl, errorUrl'),
    ],
    ['email', () => asOwner({ email: undefined }), 400, missing('email, priceId', 'email')],
    ['email that is blank', () => asOwner({ email: '' }), 400, missing('email, priceId', 'email')],
    ['priceId that is null', () => asOwner({ priceId: null }), 400, missing('email, priceId', 'priceId')],
    [
      'priceId and errorUrl',
      () => asOwner({ priceId: '', errorUrl: '' }),
      400,
      missing('email, priceId', 'priceId, errorUrl'),
    ],
    [
      'both URLs, without a domain',
      () => asOwner({ successUrl: '', errorUrl: null }),
      400,
      missing('successUrl, errorUrl'),
    ],
    ['successUrl', () => asOwner({ successUrl: undefined }), 400, missing('successUrl, errorUrl', 'successUrl')],
    ['errorUrl', () => asOwner({ errorUrl: undefined }), 400, missing('successUrl, errorUrl', 'errorUrl')],
    [
      'priceId and the URLs, but not email, in the Bearer path',
      () => asUser({}),
      400,
      missing('priceId', 'priceId, successUrl, errorUrl'),
    ],
    [
      'only the URLs in the Bearer path',
      () => asUser({ priceId: getPriceId(tenants.ours.paywall, 'monthly') }),
      400,
      missing('successUrl, errorUrl'),
    ],
  ])
})

describe('start-checkout 400 malformed parameters', () => {
  testRows([
    [
      'successUrl of another scheme',
      () => asOwner({ successUrl: 'ftp://a.example' }),
      400,
      'Invalid successUrl format',
    ],
    ['successUrl script', () => asOwner({ successUrl: 'javascript:alert(1)' }), 400, 'Invalid successUrl format'],
    ['successUrl without a host', () => asOwner({ successUrl: 'https://' }), 400, 'Invalid successUrl format'],
    ['successUrl number', () => asOwner({ successUrl: 7 }), 400, 'Invalid successUrl format'],
    ['errorUrl', () => asOwner({ errorUrl: '/relative' }), 400, 'Invalid errorUrl format'],
    ['shopUrl', () => asOwner({ shopUrl: 'x'.repeat(2049) }), 400, 'Invalid shopUrl format'],
    ['email', () => asOwner({ email: 'not an address' }), 400, 'Invalid email format'],
    ['email list', () => asOwner({ email: ['a@example.com'] }), 400, 'Invalid email format'],
    ['priceId', () => asOwner({ priceId: 7 }), 400, 'Invalid priceId format'],
    ['quantity 0', () => asOwner({ quantity: 0 }), 400, 'Invalid quantity'],
    ['quantity over the limit', () => asOwner({ quantity: 10_001 }), 400, 'Invalid quantity'],
    ['quantity fraction', () => asOwner({ quantity: 1.5 }), 400, 'Invalid quantity'],
    ['quantity text', () => asOwner({ quantity: '3' }), 400, 'Invalid quantity'],
    ['quantity of a price that is not sold per unit', () => asOwner({ quantity: 2 }), 400, 'Invalid quantity'],
    ['trial_days over two years', () => asOwner({ trial_days: 731 }), 400, 'Invalid trial_days'],
    ['trial_days over 2^53', () => asOwner({ trial_days: 1e308 }), 400, 'Invalid trial_days'],
    ['trial_days negative', () => asOwner({ trial_days: -1 }), 400, 'Invalid trial_days'],
    ['trial_days fraction', () => asOwner({ trial_days: 1.5 }), 400, 'Invalid trial_days'],
    ['trial_days text', () => asOwner({ trial_days: '7' }), 400, 'Invalid trial_days'],
    ['ignoreActivePurchase', () => asOwner({ ignoreActivePurchase: 'yes' }), 400, 'Invalid ignoreActivePurchase'],
    ['userMeta list', () => asOwner({ userMeta: [] }), 400, 'Invalid userMeta'],
    ['userMeta text', () => asOwner({ userMeta: 'plan' }), 400, 'Invalid userMeta'],
    ['userMeta of 4,097 bytes', () => asOwner({ userMeta: getMeta(4097) }), 400, 'userMeta too large'],
    [
      'userMeta of 4,097 bytes in fewer characters',
      () => asOwner({ userMeta: getMeta(4097, 'é') }),
      400,
      'userMeta too large',
    ],
    ['localCurrency', () => asOwner({ localCurrency: 'rupees' }), 400, 'Invalid localCurrency'],
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
    ['bad key', () => asOwner({}, { key: badKey }), 401, 'Invalid API key'],
    [
      'bad key with a good token',
      () => asOwner({}, { key: badKey, token: tenants.member.token }),
      401,
      'Invalid API key',
    ],
    ['bad token', () => asUser({}, 'a.b.c'), 401, 'invalid_token'],
    [
      'no credential',
      () => call(tenants.world, `/api/v1/paywall/${tenants.ours.paywall.id}/start-checkout`, { body: {} }),
      401,
      'Unauthorized',
    ],
    ['key of another owner', () => asOwner({}, { key: tenants.foreign.key }), 403, notOwner],
    ['key of another owner, live', () => asOwner({}, { key: tenants.live.key }), 403, notOwner],
  ])
})

describe('start-checkout 404', () => {
  testRows([
    ['unknown priceId', () => asOwner({ priceId: 'price_unknown' }), 404, 'price_not_found'],
    [
      'price of another paywall',
      () => asOwner({ priceId: getPriceId(tenants.foreign.paywall, 'monthly') }),
      404,
      'price_not_found',
    ],
    ['unknown paywall', () => asOwner({}, { id: '99' }), 404, 'paywall_not_found'],
    ['non-numeric paywall', () => asOwner({}, { id: 'acme' }), 404, 'paywall_not_found'],
  ])

  test('stale priceId: an edited price has a new id', async () => {
    const stale = getPriceId(tenants.foreign.paywall, 'monthly')
    const { file, key, paywall } = tenants.foreign
    const prices = (await paywallFile({ paywall: { id: paywall.id, prices: [monthly({ amount: 12 })] } })).paywalls[0]!
      .prices
    await tenants.world.apply({ ...file, paywalls: [{ ...paywall, prices }] })
    const order = { id: paywall.id, key }
    expect(await asOwner({ priceId: stale }, order)).toMatchObject({ status: 404, body: { error: 'price_not_found' } })
    expect(await asOwner({ priceId: prices[0]!.id }, order)).toMatchObject({ status: 200 })
  })
})

describe('start-checkout 409 and the 400 of live paywalls', () => {
  testRows([
    [
      '409 for a user with an active subscription',
      () => asOwner({ email: tenants.payer.email }),
      409,
      { error: 'active_purchase', hasActivePurchase: true },
    ],
    [
      '400 without Idempotency-Key on a live paywall',
      () =>
        asOwner(
          { priceId: getPriceId(tenants.live.paywall, 'monthly') },
          { id: tenants.live.paywall.id, key: tenants.live.key },
        ),
      400,
      'idempotency_key_required',
    ],
  ])
})
