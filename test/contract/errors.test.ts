import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Call, call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { testRows } from '../support/rows.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'

let all: Tenants

beforeAll(async () => {
  all = await startTenants()
})

afterAll(() => all.close())

/** A call to our paywall with its key, by default. */
const ours = (endpoint: string, options: Call = { key: all.ours.key }) =>
  call(all.world, `/api/v1/paywall/${all.ours.paywall.id}/${endpoint}`, options)

const user = (query: string, key = all.ours.key) => ours(`user?${query}`, { key })
const exchange = (email: unknown, key = all.ours.key, name?: unknown) =>
  ours('sign-in/exchange', { key, body: { email, name } })
const callPath = (path: string, options: Call = { key: all.ours.key }) => call(all.world, path, options)

const badKey = `pk_test_${'0'.repeat(64)}`
const notOwner = 'Access denied: API key owner does not match paywall owner'

describe('user', () => {
  const getBoth = (one: { email: string }, other: { id: string }) => `email=${one.email}&user_id=${other.id}`
  testRows([
    ['400 without identity', () => user(''), 400, 'identity_required'],
    ['400 with blank identity', () => user('email=&user_id='), 400, 'identity_required'],
    ['401 without credential', () => ours('user', {}), 401, 'Unauthorized'],
    ['401 for a bad key', () => user(`email=${all.member.email}`, badKey), 401, 'Invalid API key'],
    ['401 for a bad token', () => ours('user', { token: 'x' }), 401, 'invalid_token'],
    [
      '401 for a bad key with a good token',
      () => ours(`user?email=${all.member.email}`, { key: badKey, token: all.member.token }),
      401,
      'Invalid API key',
    ],
    ['401 for a token of another paywall', () => ours('user', { token: all.stranger.token }), 401, 'invalid_token'],
    ['403 for a key of another owner', () => user(`email=${all.member.email}`, all.foreign.key), 403, notOwner],
    ['404 for an unknown e-mail', () => user(`email=${newEmail()}`), 404, 'identity_not_found'],
    ['404 for an unknown id', () => user(`user_id=${randomUUID()}`), 404, 'identity_not_found'],
    ['404 for an id that is no uuid', () => user('user_id=7%27'), 404, 'identity_not_found'],
    ["404 for an e-mail that is not the id's", () => user(getBoth(all.payer, all.member)), 404, 'identity_not_found'],
    ["404 for another owner's user, by e-mail", () => user(`email=${all.stranger.email}`), 404, 'identity_not_found'],
    ["404 for another owner's user, by id", () => user(`user_id=${all.stranger.id}`), 404, 'identity_not_found'],
    ['404 for an unknown paywall', () => callPath('/api/v1/paywall/99/user?email=a@b.co'), 404, 'paywall_not_found'],
    [
      '404 for a paywall id that is no number',
      () => callPath('/api/v1/paywall/acme/user?email=a@b.co'),
      404,
      'paywall_not_found',
    ],
  ])
})

describe('sign-in/exchange', () => {
  testRows([
    ['400 without e-mail', () => exchange(undefined), 400, 'Email is required'],
    ['400 for a blank e-mail', () => exchange(''), 400, 'Email is required'],
    ['400 for an invalid address', () => exchange('me'), 400, 'Invalid email format'],
    ['400 for an e-mail that is no text', () => exchange(['a@b.co']), 400, 'Invalid email format'],
    ['400 for a long name', () => exchange('a@b.co', all.ours.key, 'x'.repeat(201)), 400, 'Invalid name'],
    ['400 for a name that is no text', () => exchange('a@b.co', all.ours.key, ['x']), 400, 'Invalid name'],
    ['401 without key', () => ours('sign-in/exchange', { body: { email: 'a@b.co' } }), 401, 'Unauthorized'],
    [
      '401 for a token: owners only',
      () => ours('sign-in/exchange', { token: all.member.token, body: { email: 'a@b.co' } }),
      401,
      'Unauthorized',
    ],
    ['401 for a bad key', () => exchange('a@b.co', badKey), 401, 'Invalid API key'],
    ['403 for a key of another owner', () => exchange('a@b.co', all.foreign.key), 403, notOwner],
    [
      '404 for an unknown paywall',
      () => callPath('/api/v1/paywall/99/sign-in/exchange', { key: all.ours.key, body: { email: 'a@b.co' } }),
      404,
      'paywall_not_found',
    ],
  ])
})

describe('every endpoint reports a revoked key first, and with a valid key an error in', () => {
  beforeAll(() => all.world.apply({ ...all.live.file, keys: [] }))

  const start = 'Missing required parameters: email, priceId'
  const withdraw = 'Missing required parameters: paywall_id, user_id, tokens'
  const other = { headers: { 'idempotency-key': 'once' } }
  const change = { op: 'credit', amount: 1, type: 'standard', email: 'a@b.co' }
  test.each<[what: string, path: string, options: Call, fault: string, unknownKey?: string]>([
    ['an empty body', 'start-checkout', { body: '' }, start],
    ['a field', 'start-checkout', { body: { successUrl: 'x' } }, 'Invalid successUrl format'],
    ['the Idempotency-Key', 'start-checkout', { body: '', ...other }, 'Invalid Idempotency-Key format'],
    ['an empty body', 'get-customer-portal', { body: '' }, 'Email is required'],
    ['an empty body', 'balances', { body: '' }, 'invalid_op', 'unauthorized'],
    ['the Idempotency-Key', 'balances', { body: change, ...other }, 'Invalid Idempotency-Key format', 'unauthorized'],
    ['an empty body', '/api/v1/withdraw-tokens', { body: '' }, withdraw],
    ['an empty body', '/api/paywall/cancel-subscription', { body: '' }, 'identity_required'],
    ['an empty body', 'sign-in/exchange', { body: '' }, 'Email is required'],
    ['JSON', 'sign-in/exchange', { body: '{' }, 'invalid_json'],
    ['the query', 'user', {}, 'identity_required'],
  ])('%s: %s', async (_what, path, options, fault, unknownKey = 'Invalid API key') => {
    const to = path.startsWith('/') ? path : `/api/v1/paywall/${all.ours.paywall.id}/${path}`
    const good = await callPath(to, { ...options, key: all.ours.key })
    expect(good).toMatchObject({ status: 400, body: { error: fault } })
    const revoked = await callPath(to, { ...options, key: all.live.key })
    expect(revoked).toMatchObject({ status: 401, body: { error: unknownKey } })
  })
})

describe('for an invalid field, `message` says what is allowed:', () => {
  const change = (fields: object) =>
    ours('balances', {
      key: all.ours.key,
      body: { op: 'credit', amount: 1, type: 'standard', email: 'a@b.co', ...fields },
    })
  const start = (body: object) => ours('start-checkout', { key: all.ours.key, body })
  const ticket = (body: object) => ours('support/ticket', { body })
  const errorBody = (error: string, message: string) => ({ error, message })
  testRows([
    ['op', () => change({ op: 'x' }), 400, errorBody('invalid_op', '`op` must be `credit` or `debit`')],
    [
      'amount',
      () => change({ amount: 1.5 }),
      400,
      errorBody('invalid_amount', '`amount` must be an integer from 1 to 10^12'),
    ],
    [
      'trial_days',
      () => start({ trial_days: -1 }),
      400,
      errorBody('Invalid trial_days', '`trial_days` must be an integer from 0 to 730'),
    ],
    ['a body that is no object', () => start([]), 400, errorBody('invalid_body', 'The body must be a JSON object')],
    [
      'the query',
      () => user(''),
      400,
      errorBody('identity_required', expect.stringContaining('Identify the user by `email`')),
    ],
    [
      'grant_type',
      () => ours('sign-in/token', { body: { grant_type: 'password' } }),
      400,
      errorBody('unsupported_grant_type', '`grant_type` must be `code`, `anonymous` or `refresh_token`'),
    ],
    [
      'customer_email',
      () => ticket({ subject: 'None', content: 'None' }),
      400,
      errorBody('email_required', '`customer_email` is required for guests and must be an e-mail address'),
    ],
  ])
})

describe('an empty body, without a key', () => {
  testRows([
    ['support/ticket', () => ours('support/ticket', { body: '' }), 400, 'invalid_payload'],
    ['sign-in/code', () => ours('sign-in/code', { body: '' }), 400, 'Email is required'],
    ['sign-in/token', () => ours('sign-in/token', { body: '' }), 400, 'unsupported_grant_type'],
  ])
})

describe('bootstrap, checkout-return, processor-webhook', () => {
  const looksSigned = () => ({ 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` })
  const webhook = (path: string) => callPath(`/webhooks/${path}`, { body: {}, headers: looksSigned() })
  testRows([
    ['bootstrap 404 for an unknown paywall', () => callPath('/api/v1/paywall/99/bootstrap'), 404, 'paywall_not_found'],
    [
      'bootstrap 404 for a paywall id that is no number',
      () => callPath('/api/v1/paywall/acme/bootstrap'),
      404,
      'paywall_not_found',
    ],
    ['bootstrap 401 for a bad token', () => ours('bootstrap', { token: 'x' }), 401, 'invalid_token'],
    ['return 404 for an unknown checkout', () => callPath(`/r/${randomUUID()}/success`), 404, 'checkout_not_found'],
    ['return 404 for an id that is no uuid', () => callPath('/r/7/error'), 404, 'checkout_not_found'],
    ['webhook 404 for an unknown paywall', () => webhook('stripe/99'), 404, 'paywall_not_found'],
    ['webhook 404 for an unknown processor', () => webhook(`paddle/${all.ours.paywall.id}`), 404, 'not_found'],
    [
      'webhook 400 without a signature',
      () => callPath(`/webhooks/stripe/${all.ours.paywall.id}`, { body: {} }),
      400,
      'invalid_signature',
    ],
  ])
})
