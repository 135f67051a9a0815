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
function owner(key: string, body: Record<string, unknown> = {}, { paywall, key: apiKey }: Tenant = all.ours) {
  const email = `buyer-${key.replaceAll('"', '').toLowerCase()}@example.com`
  return startCheckout(all.world, {
    paywall,
    key: apiKey,
    headers: { 'idempotency-key': key },
    body: { email, ...body },
  })
}
const bearer = (key: string, token: string, body: Record<string, unknown> = {}) =>
  startCheckout(all.world, { paywall: all.ours.paywall, token, headers: { 'idempotency-key': key }, body })

const pages = () => all.world.stripe.checkoutSessions.length

/** Checks that the second response replays the first, is marked so, and opened nothing. */
function expectReplay(reply: Reply, first: Reply, before: number) {
  expect(parseOpened(first)).toEqual(reply.body)
  expect(reply).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
  expect(pages() - before).toBe(1)
}

describe('the same key', () => {
  test.each([
    ['as it is', (key: string) => key],
    ['quoted', (key: string) => `"${key}"`],
    ['in capitals', (key: string) => key.toUpperCase()],
  ])('%s gets the same reply without a second page', async (_name, spelling) => {
    const [key, before] = [randomUUID(), pages()]
    const first = await owner(key)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    expectReplay(await owner(spelling(key), { email: `buyer-${key}@example.com` }), first, before)
  })

  test('works for a Bearer user, too', async () => {
    const [key, before] = [randomUUID(), pages()]
    const first = await bearer(key, all.member.token)
    expectReplay(await bearer(key, all.member.token), first, before)
  })

  test('also after the purchase: an active purchase does not refuse a repeat', async () => {
    const [key, before] = [randomUUID(), pages()]
    const first = await owner(key)
    await payAndReturn(all.world, parseOpened(first).checkoutUrl)
    expectReplay(await owner(key), first, before)
  })

  test('also when the price no longer exists', async () => {
    const { file, paywall } = all.foreign
    const [key, before] = [randomUUID(), pages()]
    const first = await owner(key, {}, all.foreign)
    await all.world.apply({ ...file, paywalls: [{ ...paywall, prices: [] }] })
    expectReplay(await owner(key, {}, all.foreign), first, before)
    await all.world.apply(file)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('may be a UUID of version %i', async (version) => {
    const key = randomUUID().replace(/^(.{14})./, `$1${version}`)
    expect(await owner(key)).toMatchObject({ status: 200 })
  })

  test('is generated for every call without one', async () => {
    const [before, email] = [pages(), newEmail()]
    const call = () => startCheckout(all.world, { paywall: all.ours.paywall, key: all.ours.key, body: { email } })
    const [first, second] = [parseOpened(await call()), parseOpened(await call())]
    expect(second.checkoutUrl).not.toBe(first.checkoutUrl)
    expect(pages() - before).toBe(2)
  })
})

describe('the scope of a key', () => {
  test('is the owner: its other API keys get the same reply', async () => {
    const [key, before] = [randomUUID(), pages()]
    const first = await owner(key)
    const reply = await owner(key, {}, { ...all.ours, key: secondKey })
    expectReplay(reply, first, before)
  })

  test('is the user: the same key for another user is another key', async () => {
    const key = randomUUID()
    const [mine, theirs] = [await person(all.world, all.ours), await person(all.world, all.ours)]
    const replies = [parseOpened(await bearer(key, mine.token)), parseOpened(await bearer(key, theirs.token))]
    expect(replies.map(({ userId }) => userId)).toEqual([mine.id, theirs.id])
    expect(replies[0]?.checkoutUrl).not.toBe(replies[1]?.checkoutUrl)
  })

  test('is not shared between a user and its owner', async () => {
    const key = randomUUID()
    const { token, email } = await person(all.world, all.ours)
    const byUser = parseOpened(await bearer(key, token))
    expect(parseOpened(await owner(key, { email })).checkoutUrl).not.toBe(byUser.checkoutUrl)
  })

  test('is the paywall: another paywall does not share it', async () => {
    const key = randomUUID()
    const first = parseOpened(await owner(key))
    const other = parseOpened(await owner(key, {}, all.foreign))
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
    ['userMeta', { userMeta: { a: 1 } }],
    ['ignoreActivePurchase', { ignoreActivePurchase: true }],
    ['localCurrency', { localCurrency: 'INR' }],
    ['country', { country: 'IN' }],
  ])('%s', async (_member, body) => {
    const key = randomUUID()
    const first = await owner(key)
    expect(await owner(key, body)).toMatchObject(reused)
    expect((await owner(key)).body).toEqual(first.body)
  })

  test('also with a Bearer token', async () => {
    const key = randomUUID()
    parseOpened(await bearer(key, all.member.token))
    expect(await bearer(key, all.member.token, { priceId: getPriceId(all.ours.paywall, 'yearly') })).toMatchObject(
      reused,
    )
  })

  test('but fields in another order, blanks and unknown fields are the same body', async () => {
    const [key, before] = [randomUUID(), pages()]
    const first = await owner(key, { userMeta: { a: 1, b: 2 } })
    const reply = await owner(key, { shopUrl: '', trial_days: null, userMeta: { b: 2, a: 1 }, unknown: 'x' })
    expectReplay(reply, first, before)
  })
})

describe('a refused call', () => {
  test('may be corrected under the same key', async () => {
    const key = randomUUID()
    expect(await owner(key, { priceId: 'price_unknown' })).toMatchObject({ status: 404 })
    expect(await owner(key)).toMatchObject({ status: 200 })
  })

  test('may ignore the active purchase under the same key', async () => {
    const key = randomUUID()
    const email = all.payer.email
    expect(await owner(key, { email })).toMatchObject({ status: 409, body: { error: 'active_purchase' } })
    expect(await owner(key, { email, ignoreActivePurchase: true })).toMatchObject({ status: 200 })
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
    expect(await owner(randomUUID(), {}, all.live)).toMatchObject({ status: 200 })
  })
})

test('a day later the key can be reused', async () => {
  const key = randomUUID()
  const reply = parseOpened(await owner(key))
  await all.world.clock.advance(all.ours.paywall.id, '25h')
  // The same owner with its other API key: KV stores replies by credential, for a day.
  const later = parseOpened(await owner(key, { trial_days: 5 }, { ...all.ours, key: secondKey }))
  expect(later.checkoutUrl).not.toBe(reply.checkoutUrl)
})
