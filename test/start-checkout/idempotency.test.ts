import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { person, startTenants, type Tenant, type Tenants } from '../support/tenants.ts'

let all: Tenants
const secondKey = `pk_test_second_${randomUUID()}`

beforeAll(async () => {
  all = await startTenants()
  const { file } = all.ours
  await all.world.apply({ ...file, keys: [...file.keys, { name: 'second', is_test: true, secret: secondKey }] })
})

afterAll(() => all.close())

/** A start-checkout with an Idempotency-Key, with the same body by default. */
function checkoutByKey(key: string, body: Record<string, unknown> = {}, { paywall, key: apiKey }: Tenant = all.ours) {
  const email = `buyer-${key.replaceAll('"', '').toLowerCase()}@example.com`
  return startCheckout(all.world, {
    paywall,
    key: apiKey,
    headers: { 'idempotency-key': key },
    body: { email, ...body },
  })
}
const checkoutByToken = (key: string, token: string, body: Record<string, unknown> = {}) =>
  startCheckout(all.world, { paywall: all.ours.paywall, token, headers: { 'idempotency-key': key }, body })

const countPages = () => all.world.stripe.checkoutSessions.length

/** Checks that the second response replays the first, is marked so, and opened nothing. */
function expectReplay(reply: Reply, first: Reply, before: number) {
  expect(parseOpened(first)).toEqual(reply.body)
  expect(reply).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
  expect(countPages() - before).toBe(1)
}

describe('the same key', () => {
  test.each([
    ['unchanged', (key: string) => key],
    ['quoted', (key: string) => `"${key}"`],
    ['in upper case', (key: string) => key.toUpperCase()],
  ])('%s gets the same reply without a second page', async (_name, spelling) => {
    const [key, before] = [randomUUID(), countPages()]
    const first = await checkoutByKey(key)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expectReplay(await checkoutByKey(spelling(key), { email: `buyer-${key}@example.com` }), first, before)
  })

  test('works for a Bearer user, too', async () => {
    const [key, before] = [randomUUID(), countPages()]
    const first = await checkoutByToken(key, all.member.token)
    expectReplay(await checkoutByToken(key, all.member.token), first, before)
  })

  test('gets the same reply after the purchase, too: an active purchase does not prevent a replay', async () => {
    const [key, before] = [randomUUID(), countPages()]
    const first = await checkoutByKey(key)
    await payAndReturn(all.world, parseOpened(first).checkoutUrl)
    expectReplay(await checkoutByKey(key), first, before)
  })

  test('gets the same reply when the price no longer exists', async () => {
    const { file, paywall } = all.foreign
    const [key, before] = [randomUUID(), countPages()]
    const first = await checkoutByKey(key, {}, all.foreign)
    await all.world.apply({ ...file, paywalls: [{ ...paywall, prices: [] }] })
    expectReplay(await checkoutByKey(key, {}, all.foreign), first, before)
    await all.world.apply(file)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('may be a UUID of version %i', async (version) => {
    const key = randomUUID().replace(/^(.{14})./, `$1${version}`)
    expect(await checkoutByKey(key)).toMatchObject({ status: 200 })
  })

  test('is never shared by calls that send none: each opens a page', async () => {
    const [before, email] = [countPages(), newEmail()]
    const call = () => startCheckout(all.world, { paywall: all.ours.paywall, key: all.ours.key, body: { email } })
    const [first, second] = [parseOpened(await call()), parseOpened(await call())]
    expect(second.checkoutUrl).not.toBe(first.checkoutUrl)
    expect(countPages() - before).toBe(2)
  })
})

describe('the scope of a key', () => {
  test('is the owner: its other API keys get the same reply', async () => {
    const [key, before] = [randomUUID(), countPages()]
    const first = await checkoutByKey(key)
    const reply = await checkoutByKey(key, {}, { ...all.ours, key: secondKey })
    expectReplay(reply, first, before)
  })

  test('is the user: the same key for another user is another key', async () => {
    const key = randomUUID()
    const [mine, theirs] = [await person(all.world, all.ours), await person(all.world, all.ours)]
    const replies = [
      parseOpened(await checkoutByToken(key, mine.token)),
      parseOpened(await checkoutByToken(key, theirs.token)),
    ]
    expect(replies.map(({ userId }) => userId)).toEqual([mine.id, theirs.id])
    expect(replies[0]?.checkoutUrl).not.toBe(replies[1]?.checkoutUrl)
  })

  test('is not shared between a user and its owner', async () => {
    const key = randomUUID()
    const { token, email } = await person(all.world, all.ours)
    const byUser = parseOpened(await checkoutByToken(key, token))
    expect(parseOpened(await checkoutByKey(key, { email })).checkoutUrl).not.toBe(byUser.checkoutUrl)
  })

  test('is the paywall: another paywall does not share it', async () => {
    const key = randomUUID()
    const first = parseOpened(await checkoutByKey(key))
    const other = parseOpened(await checkoutByKey(key, {}, all.foreign))
    expect(other.checkoutUrl).not.toBe(first.checkoutUrl)
  })
})

describe('the same key with another body is refused', () => {
  const reused = { status: 409, body: { error: 'idempotency_key_reused' } }

  test.each<[string, Record<string, unknown>]>([
    ['priceId', { priceId: 'price_other' }],
    ['email', { email: 'other@example.com' }],
    ['successUrl', { successUrl: 'https://elsewhere.example/' }],
    ['errorUrl', { errorUrl: 'https://elsewhere.example/' }],
    ['shopUrl', { shopUrl: 'https://elsewhere.example/' }],
    ['trial_days', { trial_days: 3 }],
    ['quantity', { quantity: 2 }],
    ['userMeta', { userMeta: { a: 1 } }],
    ['ignoreActivePurchase', { ignoreActivePurchase: true }],
    ['localCurrency', { localCurrency: 'INR' }],
    ['country', { country: 'IN' }],
  ])('%s', async (_member, body) => {
    const key = randomUUID()
    const first = await checkoutByKey(key)
    expect(await checkoutByKey(key, body)).toMatchObject(reused)
    expect((await checkoutByKey(key)).body).toEqual(first.body)
  })

  test('also with a Bearer token', async () => {
    const key = randomUUID()
    parseOpened(await checkoutByToken(key, all.member.token))
    expect(
      await checkoutByToken(key, all.member.token, { priceId: getPriceId(all.ours.paywall, 'yearly') }),
    ).toMatchObject(reused)
  })

  test('but fields in another order, blanks and unknown fields are the same body', async () => {
    const [key, before] = [randomUUID(), countPages()]
    const first = await checkoutByKey(key, { userMeta: { a: 1, b: 2 } })
    const reply = await checkoutByKey(key, {
      shopUrl: '',
      trial_days: null,
      quantity: 1,
      userMeta: { b: 2, a: 1 },
      unknown: 'x',
    })
    expectReplay(reply, first, before)
  })
})

describe('a refused call', () => {
  test('may be corrected under the same key', async () => {
    const key = randomUUID()
    expect(await checkoutByKey(key, { priceId: 'price_unknown' })).toMatchObject({ status: 404 })
    expect(await checkoutByKey(key)).toMatchObject({ status: 200 })
  })

  test('may ignore the active purchase under the same key', async () => {
    const key = randomUUID()
    const email = all.payer.email
    expect(await checkoutByKey(key, { email })).toMatchObject({ status: 409, body: { error: 'active_purchase' } })
    expect(await checkoutByKey(key, { email, ignoreActivePurchase: true })).toMatchObject({ status: 200 })
  })
})

describe('a live paywall', () => {
  test('accepts a call with a key and refuses one without', async () => {
    const { paywall, key } = all.live
    expect(await startCheckout(all.world, { paywall, key })).toMatchObject({
      status: 400,
      body: { error: 'idempotency_key_required' },
    })
    const { token } = await person(all.world, all.live)
    expect(await startCheckout(all.world, { paywall, token })).toMatchObject({
      status: 400,
      body: { error: 'idempotency_key_required' },
    })
    expect(await checkoutByKey(randomUUID(), {}, all.live)).toMatchObject({ status: 200 })
  })
})

test('a day later the key can be reused', async () => {
  const key = randomUUID()
  const reply = parseOpened(await checkoutByKey(key))
  await all.world.clock.advance(all.ours.paywall.id, '25h')
  // The same owner with its other API key: KV stores replies by credential, for a day.
  const later = parseOpened(await checkoutByKey(key, { trial_days: 5 }, { ...all.ours, key: secondKey }))
  expect(later.checkoutUrl).not.toBe(reply.checkoutUrl)
})
