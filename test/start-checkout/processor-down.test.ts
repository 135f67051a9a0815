import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seal } from '../../lib/crypto/seal.ts'
import type { Reply } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { interruptOnce } from '../support/interrupt.ts'
import { leaksIn } from '../support/leaks.ts'
import { refusal } from '../support/refusal.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

/** An attempt that Stripe delays, and another with the same key. They take 5 s, during which the other tests run. */
let delayed: { first: Promise<Reply>; second: Promise<Reply>; waitedMs: Promise<number> }
const delayedEmail = newEmail()
const released = Promise.withResolvers<void>()

beforeAll(async () => {
  world.stripe.onCall = delayCheckout
  const headers = { 'idempotency-key': randomUUID() }
  const ask = () =>
    startCheckout(world, { paywall: world.paywall, key: world.key, headers, body: { email: delayedEmail } })
  const first = ask()
  await until('a claim', async () => (await world.database.query('select from checkout_claims')).rowCount === 1)
  const askedAt = Date.now()
  const second = ask()
  const waitedMs = second.then(() => Date.now() - askedAt).finally(released.resolve)
  delayed = { first, second, waitedMs }
})

beforeEach(() => {
  world.stripe.onCall = delayCheckout
})

const CHECKOUT_SESSIONS = '/v1/checkout/sessions'

const delayCheckout: typeof world.stripe.onCall = async ({ body }, run) => {
  if (body.customer_email === delayedEmail) await released.promise
  return run()
}

/** Two attempts at one checkout with one Idempotency-Key; `between` runs after the first. */
async function attemptTwice(between: () => unknown = () => undefined) {
  const headers = { 'idempotency-key': randomUUID() }
  const order = { paywall: world.paywall, key: world.key, headers, body: { email: newEmail() } }
  const before = world.stripe.checkoutSessions.length
  const first = await startCheckout(world, order)
  await between()
  const second = await startCheckout(world, order)
  return { first, second, pages: world.stripe.checkoutSessions.length - before }
}

/** Stores a secret key for the account at Stripe. */
async function setSecretKey(secretKey: string): Promise<void> {
  const { id, processor } = world.paywall
  const credentials = JSON.stringify({ ...processor.credentials, secretKey })
  const sealed = await seal(credentials, world.secrets.PROCESSOR_CREDENTIALS_KEY, `processor:${id}:stripe`)
  await world.database.query('update processor_accounts set credentials = $2 where paywall_id = $1', [id, sealed])
}

const stripeError = (type: string, message: string) => ({ error: { type, message: `${message} sk_test_secret` } })

describe('start-checkout: the response says what to do, and the next attempt with the same key succeeds', () => {
  test.each([
    ['rejects it', 400],
    ['declines it', 402],
  ])('502 processor_rejected when Stripe %s', async (_name, status) => {
    world.stripe.failNext(CHECKOUT_SESSIONS, status, stripeError('api_error', 'ordered'))
    const { first, second, pages } = await attemptTwice()
    expect(first).toMatchObject({ status: 502 })
    expect(first.headers).not.toHaveProperty('retry-after')
    expect(first.body).toEqual(refusal('processor_rejected'))
    expect(parseOpened(second).acquiring).toBe('stripe')
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    expect(pages).toBe(1)
  })

  test('502 processor_misconfigured for a wrong secret key; applying the right one is enough', async () => {
    await setSecretKey('sk_test_of_nobody_000000000000')
    const { processor } = world.paywall
    if (processor.acquiring !== 'stripe') throw new Error('not a Stripe paywall')
    const { first, second } = await attemptTwice(() => setSecretKey(processor.credentials.secretKey))
    expect(first).toMatchObject({ status: 502, body: { error: 'processor_misconfigured' } })
    expect(parseOpened(second).acquiring).toBe('stripe')
  })

  test('502 with the processor’s error, even if the claim cannot be given up', async () => {
    world.stripe.failNext(CHECKOUT_SESSIONS, 400, stripeError('api_error', 'ordered'))
    const interrupted = interruptOnce(world, { statement: 'give_up_checkout' }, 'before')
    const reply = await startCheckout(world, { paywall: world.paywall, key: world.key })
    await interrupted
    expect(reply).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
    const lines = () => world.logs.filter(({ message }) => message.includes('claim of a failed checkout'))
    await expect.poll(lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('not given up yet') }])
  })

  test('502 processor_misconfigured for credentials that no key can unseal; applying them again is enough', async () => {
    const { processor } = world.paywall
    if (processor.acquiring !== 'stripe') throw new Error('not a Stripe paywall')
    await world.database.query(
      "update processor_accounts set credentials = 'AAAAAAAAAAAAAAAAAAAAAAAA' where paywall_id = $1",
      [world.paywall.id],
    )
    const { first, second } = await attemptTwice(() => setSecretKey(processor.credentials.secretKey))
    expect(first).toMatchObject({ status: 502, body: { error: 'processor_misconfigured' } })
    expect(parseOpened(second).acquiring).toBe('stripe')
  })

  test('502 for an invalid reply', async () => {
    world.stripe.failNext(CHECKOUT_SESSIONS, 200, { id: 'cs_test_x', url: null })
    const { first, second } = await attemptTwice()
    expect(first.status, JSON.stringify(first)).toBeGreaterThanOrEqual(500)
    expect(first.body).toEqual(refusal(expect.stringMatching(/^(internal_error|processor_\w+)$/)))
    expect(second).toMatchObject({ status: 200 })
  })
})

describe('start-checkout: an attempt that Stripe delays past its lease', () => {
  const page = (id: string) => ({
    status: 200,
    headers: {},
    body: JSON.stringify({
      id,
      url: `https://stripe.example/${id}`,
      expires_at: Math.floor(Date.now() / 1000) + 86_400,
    }),
  })

  /** Such an attempt, and a second one that takes over the claim. Both wait until the test sends Stripe's reply. */
  async function overtaken() {
    const [headers, body] = [{ 'idempotency-key': randomUUID() }, { email: newEmail() }]
    const ask = () => startCheckout(world, { paywall: world.paywall, key: world.key, headers, body })
    const queryClaim = async (statement: string) =>
      (await world.database.query(statement, [headers['idempotency-key']])).rows[0]
    const answers: ((answer: ReturnType<typeof page>) => void)[] = []
    world.stripe.onCall = () => new Promise((resolve) => answers.push(resolve))
    const first = ask()
    await until('the first call', async () => answers.length === 1)
    await queryClaim("update checkout_claims set leased_until = now() - interval '1 s' where idempotency_key = $1")
    const second = ask()
    await until('the second call', async () => answers.length === 2)
    return { ask, queryClaim, first, second, answerFirst: answers[0]!, answerSecond: answers[1]! }
  }

  test('gets the page of the attempt that took over, whatever Stripe opened for it', async () => {
    const { ask, first, second, answerFirst, answerSecond } = await overtaken()
    answerSecond(page('cs_test_second'))
    const { body } = await second
    expect(body).toMatchObject({ checkoutUrl: 'https://stripe.example/cs_test_second' })
    answerFirst(page('cs_test_first'))
    for (const reply of [await first, await ask()]) {
      expect(reply).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' }, body })
    }
  })

  test('does not give up the claim of the attempt that took over when it fails', async () => {
    const { queryClaim, first, second, answerFirst, answerSecond } = await overtaken()
    const body = JSON.stringify(stripeError('invalid_request_error', 'No.'))
    answerFirst({ status: 400, headers: {}, body })
    expect(await first).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
    const claimState = 'select attempt, leased_until > now() as leased from checkout_claims where idempotency_key = $1'
    expect(await queryClaim(claimState)).toEqual({ attempt: 1, leased: true })
    answerSecond(page('cs_test_last'))
    parseOpened(await second)
  })
})

test('start-checkout: an attempt that waits for another one with its key gets Retry-After after 5 s', async () => {
  const { first, second, waitedMs } = delayed
  const expected = { status: 409, headers: { 'retry-after': '5' }, body: { error: 'checkout_in_progress' } }
  expect(await second).toMatchObject(expected)
  expect(await waitedMs).toBeGreaterThanOrEqual(5_000)
  expect(parseOpened(await first).acquiring).toBe('stripe')
})

test("the logs show that a call failed, but not the processor's response", () => {
  expect(leaksIn(world)).toEqual([])
  expect(world.logs.filter(({ message }) => message.includes('ProcessorError')).length).toBeGreaterThan(5)
})
