import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../dev/tools/openapi/operations.ts'
import { seal } from '../../lib/crypto/seal.ts'
import { sharedErrors } from '../../lib/http/shared-errors.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { leaksIn } from '../support/leaks.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { until } from '../support/until.ts'

let all: Tenants

beforeAll(async () => {
  all = await startTenants()
})

afterAll(() => all.close())

const paywallId = () => all.ours.paywall.id
const newKey = () => randomBytes(32).toString('base64url')
const ask = (endpoint: string, options: Call = {}) =>
  call(all.world, `/api/v1/paywall/${paywallId()}/${endpoint}`, options)

/** The log lines of a request: all that have its id. */
async function getLines({ headers }: Reply): Promise<Record<string, unknown>[]> {
  const id = headers['x-request-id'] ?? 'none'
  return until('a line of the log', async () => {
    const lines = all.world.logs
      .filter(({ message }) => message.includes(id))
      .map(({ message }) => JSON.parse(message))
      .filter(({ request_id }) => request_id === id) // deliver-events lists the ids of several
    return lines.length > 0 && lines
  })
}

test('a successful request is logged as one line, without a refusal', async () => {
  const reply = await ask(`user?user_id=${all.member.id}`, { key: all.ours.key })
  const line = { message: 'request', method: 'GET', status: 200, route: '/api/v1/paywall/:id/user' }
  const [written, ...others] = await getLines(reply)
  expect(written).toMatchObject({ ...line, paywall_id: paywallId(), milliseconds: expect.any(Number) })
  expect(written).not.toHaveProperty('refusal')
  expect(others).toEqual([])
})

describe('the log line of a failed request names its refusal:', () => {
  const cancel = (caller: Call, body: object) =>
    call(all.world, '/api/paywall/cancel-subscription', { ...caller, body })
  const paywallHeader = () => ({ headers: { 'x-paywall-id': paywallId() } })
  const cancelling = { subscriptionId: randomUUID(), cancellationReason: 'none' }
  const buyAgain = () => ({ email: all.payer.email, priceId: getPriceId(all.ours.paywall, 'monthly') })

  test.each<[string, () => Promise<Reply>, number]>([
    ['no_credential', () => ask('user'), 401],
    ['no_credential', () => changeBalance(all.world, {}, { key: null }), 401],
    ['bad_token', () => ask('bootstrap', { token: 'x' }), 401],
    ['bad_token', () => ask('support/ticket', { token: 'x', body: {} }), 401],
    ['unknown_key', () => ask('user?email=a@b.co', { key: 'x' }), 401],
    ['not_owner', () => ask('user?email=a@b.co', { key: all.foreign.key }), 403],
    ['unknown_identity', () => ask(`user?email=${newEmail()}`, { key: all.ours.key }), 404],
    ['active_purchase', () => startCheckout(all.world, { ...all.ours, body: buyAgain() }), 409],
    ['unknown_price', () => startCheckout(all.world, { ...all.ours, body: { priceId: 'price_x' } }), 404],
    ['missing_parameters', () => startCheckout(all.world, { ...all.ours, body: { priceId: null } }), 400],
    ['no_subscription', () => ask('get-customer-portal', { token: all.member.token, method: 'POST' }), 403],
    ['insufficient', () => changeBalance(all.world, { email: all.member.email, op: 'debit', amount: 1e9 }), 400],
    ['invalid_amount', () => changeBalance(all.world, { email: all.member.email, amount: 0 }), 400],
    ['insufficient', () => withdraw(all.world, { user_id: all.member.id, tokens: 1e9 }), 400],
    ['unknown_type', () => withdraw(all.world, { user_id: all.member.id, token_type: 'a@b.co' }), 400],
    ['unknown_subscription', () => cancel({ token: all.payer.token, ...paywallHeader() }, cancelling), 404],
    ['invalid_json', () => ask('sign-in/code', { body: '{' }), 400],
    ['invalid_grant', () => ask('sign-in/token', { body: { grant_type: 'refresh_token', refresh_token: 'x' } }), 400],
    ['forged', () => call(all.world, `/webhooks/stripe/${paywallId()}`, { body: {} }), 400],
    ['method_not_allowed', () => ask('user', { method: 'POST' }), 405],
  ])('%s', async (refusal, request, status) => {
    const reply = await request()
    const lines = await getLines(reply)
    expect(lines, JSON.stringify(reply.body)).toEqual([
      expect.objectContaining({ message: 'request', status, refusal, paywall_id: paywallId() }),
    ])
    expect(reply.status).toBe(status)
  })

  test('processor_rejected, next to a line with its cause', async () => {
    all.world.stripe.failNext('/v1/checkout/sessions', 400)
    const reply = await startCheckout(all.world, all.ours)
    const [failure, line, ...others] = await getLines(reply)
    expect(failure).toMatchObject({ level: 'warn', message: 'processor_rejected', cause: { name: 'ProcessorError' } })
    expect(line).toMatchObject({ message: 'request', status: 502, refusal: 'processor_rejected' })
    expect(others).toEqual([])
  })

  test('no_credential at withdraw-tokens, whose body is then not read', async () => {
    const reply = await withdraw(all.world, {}, { key: null })
    expect(await getLines(reply)).toEqual([expect.objectContaining({ status: 401, refusal: 'no_credential' })])
  })

  test('unknown_checkout, which has no paywall', async () => {
    const reply = await call(all.world, `/r/${randomUUID()}/success`)
    expect(await getLines(reply)).toEqual([expect.objectContaining({ status: 404, refusal: 'unknown_checkout' })])
  })

  test('not_found, from the gateway', async () => {
    const reply = await call(all.world, '/nowhere')
    expect(await getLines(reply)).toEqual([expect.objectContaining({ status: 404, refusal: 'not_found' })])
  })
})

describe('the log line has the paywall', () => {
  const withdrawal = () => ({ paywall_id: paywallId(), user_id: all.member.id, tokens: 1 })
  const cancellation = () => ({ paywallId: paywallId(), userId: all.payer.id, subscriptionId: 'x' })
  const withdrawAt = (body: object, options: Call = {}) =>
    call(all.world, '/api/v1/withdraw-tokens', { key: all.ours.key, ...options, body })
  const cancelAt = (body: object, options: Call = { key: all.ours.key }) =>
    call(all.world, '/api/paywall/cancel-subscription', { ...options, body })
  const badKey = { headers: { 'idempotency-key': 'x' } }
  const asPayer = () => ({ token: all.payer.token, headers: { 'x-paywall-id': paywallId() } })

  test.each<[string, () => Promise<Reply>, string]>([
    ['a field of the body is wrong', () => withdrawAt({ ...withdrawal(), tokens: 0 }), 'Invalid tokens'],
    ['a field of the body is missing', () => cancelAt(cancellation()), 'cancellationReason is required'],
    ["a field of a user's body is missing", () => cancelAt({}, asPayer()), 'subscriptionId is required'],
    ['the Idempotency-Key is wrong', () => withdrawAt(withdrawal(), badKey), 'invalid_key_format'],
    ['the key and the body are wrong', () => withdrawAt({ ...withdrawal(), tokens: 0 }, { key: 'x' }), 'unknown_key'],
    ['the user has too few tokens', () => withdrawAt({ ...withdrawal(), tokens: 1e9 }), 'insufficient'],
  ])('if only the body or a header names it and %s', async (_fault, request, refusal) => {
    expect(await getLines(await request())).toEqual([expect.objectContaining({ refusal, paywall_id: paywallId() })])
  })

  test('if the checkout determines it', async () => {
    const { checkoutUrl } = parseOpened(await startCheckout(all.world, all.ours))
    const reply = await call(all.world, await press(checkoutUrl, 'pay'))
    expect(await getLines(reply)).toEqual([expect.objectContaining({ status: 303, paywall_id: paywallId() })])
  })
})

test('an invalid paywall id is not logged: it could be any text', async () => {
  for (const id of ['ada', `pk_test_${'f'.repeat(40)}`, '1'.repeat(20)]) {
    const [line] = await getLines(await call(all.world, `/api/v1/paywall/${id}/user`, { key: all.ours.key }))
    expect(line).toMatchObject({ message: 'request', status: expect.any(Number) })
    expect(line).not.toHaveProperty('paywall_id')
  }
  const body = { paywallId: newEmail(), userId: 'x', subscriptionId: 'x', cancellationReason: 'x' }
  const [line] = await getLines(await call(all.world, '/api/paywall/cancel-subscription', { key: all.ours.key, body }))
  expect(line).toMatchObject({ status: 404, refusal: 'unknown_paywall' })
  expect(line).not.toHaveProperty('paywall_id')
})

describe('X-SDK-Version', () => {
  const callWithVersion = (version: string, path = `/api/v1/paywall/${paywallId()}/bootstrap`) =>
    call(all.world, path, { headers: { 'x-sdk-version': version } })

  test.each(['paywall-js/3.1.0', '@acme/sdk/3.1.0-beta.2', 'Acme iOS 3.1 (44)', 'x'.repeat(64)])(
    '%s is logged, also for requests that the gateway rejects',
    async (version) => {
      for (const reply of [await callWithVersion(version), await callWithVersion(version, '/nowhere')]) {
        expect(await getLines(reply)).toEqual([expect.objectContaining({ message: 'request', sdk_version: version })])
      }
    },
  )

  test.each([
    ['an address', () => newEmail()],
    ['an address at a numeric domain', () => `${randomUUID()}@163.com`],
    ['an owner key', () => all.ours.key],
    ['an access token', () => all.member.token],
    ['65 characters', () => 'x'.repeat(65)],
    ['JSON', () => '{"level":"error"}'],
  ])('that is %s is not logged', async (_what, text) => {
    for (const reply of [await callWithVersion(text()), await callWithVersion(text(), '/nowhere')]) {
      const [line] = await getLines(reply)
      expect(line).toMatchObject({ message: 'request' })
      expect(line).not.toHaveProperty('sdk_version')
    }
  })
})

describe('the log alone shows', () => {
  const requestsAbout = (userId: string) =>
    all.world.logs
      .map(({ message }) => message)
      .filter((message) => message.includes(userId))
      .map((message) => JSON.parse(message))
      .filter(({ message }) => message === 'request')

  test('why a buyer got 409, and the id of the active purchase', async () => {
    const priceId = getPriceId(all.ours.paywall, 'monthly')
    const reply = await startCheckout(all.world, { ...all.ours, body: { email: all.payer.email, priceId } })
    expect(reply.status).toBe(409)
    const refused = await until('the line', () => requestsAbout(all.payer.id).find((line) => line.status === 409))
    expect(refused).toMatchObject({
      route: '/api/v1/paywall/:id/start-checkout',
      paywall_id: paywallId(),
      refusal: 'active_purchase',
      user_id: all.payer.id,
      purchase_id: (reply.body as { purchaseId: string }).purchaseId,
      price_id: priceId,
    })
  })

  test('why a buyer did not get an offer, whom the owner named by address', async () => {
    const priceId = getPriceId(all.ours.paywall, 'monthly')
    const body = { email: all.member.email, priceId, offer: 'summer', ignoreActivePurchase: true }
    const reply = await startCheckout(all.world, { ...all.ours, body })
    expect(await getLines(reply)).toEqual([
      expect.objectContaining({
        status: 400,
        refusal: 'invalid_offer',
        reason: 'unknown',
        user_id: all.member.id,
        price_id: priceId,
      }),
    ])
  })

  test('who has signed in', async () => {
    const exchanged = await ask('sign-in/exchange', { key: all.ours.key, body: { email: all.member.email } })
    expect(await getLines(exchanged)).toEqual([expect.objectContaining({ status: 200, user_id: all.member.id })])
    const anonymous = await ask('sign-in/token', { body: { grant_type: 'anonymous' } })
    const { user } = anonymous.body as { user: { id: string } }
    expect(await getLines(anonymous)).toEqual([expect.objectContaining({ status: 200, user_id: user.id })])
  })

  test('the user, price and purchase of a checkout, when it is opened and when the buyer returns', async () => {
    const priceId = getPriceId(all.ours.paywall, 'monthly')
    const reply = await startCheckout(all.world, { ...all.ours, body: { email: newEmail(), priceId } })
    const { checkoutUrl, userId } = parseOpened(reply)
    const [line] = await getLines(reply)
    expect(line).toMatchObject({ status: 200, user_id: userId, price_id: priceId, checkout_id: expect.any(String) })
    const returned = await getLines(await call(all.world, await press(checkoutUrl, 'pay')))
    expect(returned).toEqual([
      expect.objectContaining({
        status: 303,
        user_id: userId,
        price_id: priceId,
        checkout_id: line?.checkout_id,
        purchase_id: expect.any(String),
      }),
    ])
  })

  test('why a call got 502, also if another Worker logs the cause', async () => {
    const account = 'update processor_accounts set credentials = $2 where paywall_id = $1 returning credentials'
    const { rows } = await all.world.database.query<{ credentials: string }>(
      'select credentials from processor_accounts where paywall_id = $1',
      [paywallId()],
    )
    await all.world.database.query(account, [
      paywallId(),
      await seal('{}', newKey(), `processor:${paywallId()}:stripe`),
    ])
    const reply = await startCheckout(all.world, all.ours)
    await all.world.database.query(account, [paywallId(), rows[0]?.credentials])

    expect(reply.status).toBe(502)
    const lines = await until('the cause', async () => {
      const written = await getLines(reply)
      return written.length === 3 && written
    })
    expect(lines.map(({ message }) => message).toSorted()).toEqual([
      'processor credentials cannot be decrypted',
      'processor_misconfigured',
      'request',
    ])
    expect(lines.find(({ message }) => message === 'request')).toMatchObject({ user_id: expect.any(String) })
  })
})

test('no e-mail address and no secret is logged', () => {
  expect(leaksIn(all.world, [all.ours.key])).toEqual([])
})

test('every error in the contracts has its own name as its refusal', () => {
  for (const errors of [sharedErrors, ...operations.map((operation) => operation.errors)]) {
    for (const [name, [, , refusal]] of Object.entries(errors)) expect(refusal).toBe(name)
  }
})
