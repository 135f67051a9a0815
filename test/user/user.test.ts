import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Grant } from '../../lib/grants/grant.ts'
import { type Call, call } from '../support/call.ts'
import { buy, getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { moveClock } from '../support/passing-time.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { subscribe } from '../support/subscriber.ts'
import { atNewPaywall, newTenant, startTenants, type Tenants, tenant } from '../support/tenants.ts'

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants()
})

afterAll(() => tenants.close())

const time = z.iso.datetime()

/** A purchase as in contract section 2 and the design: each field with its type, and no other. */
const Purchase = z.strictObject({
  id: z.uuid(),
  status: z.string(),
  acquiring: z.literal('stripe'),
  price_id: z.string(),
  price_slug: z.string(),
  features: z.array(z.string()),
  interval: z.string().nullable(),
  interval_count: z.int().nullable(),
  unit_amount: z.int(),
  quantity: z.int(),
  currency: z.string().regex(/^[A-Z]{3}$/),
  current_period_end: time.nullable(),
  trial_end: time.nullable(),
  scheduled_change: z.null(),
  cancel_at_period_end: z.boolean(),
  cancel_at: time.nullable(),
  canceled_at: time.nullable(),
  access_until: time.nullable(),
  created_at: time,
  last_payment: z
    .strictObject({
      amount: z.int(),
      tax: z.int().nullable(),
      discount: z.int().nullable(),
      currency: z.string().regex(/^[A-Z]{3}$/),
      paid_at: time,
      receipt_url: z.url().nullable(),
    })
    .nullable(),
})
const State = z.strictObject({
  tier: z.int(),
  country: z.string().length(2),
  countryMatch: z.boolean(),
  balances: z.array(z.strictObject({ type: z.string(), count: z.int() })),
  purchases: z.array(Purchase),
  being_replaced: z.array(z.uuid()),
  grants: z.array(Grant),
  paid: z.boolean(),
  access_until: time.nullable(),
  features: z.array(z.string()),
  trial: z.strictObject({ purchase_id: z.uuid(), started_at: time, ends_at: time, days_left: z.int() }).nullable(),
  meta: z.record(z.string(), z.unknown()),
})
const User = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  external_id: z.string().nullable(),
  name: z.string().nullable(),
  created_at: time,
})

const read = (query = '', options: Call = { key: tenants.ours.key }, { paywall } = tenants.ours) =>
  call(tenants.world, `/api/v1/paywall/${paywall.id}/user${query}`, options)

/** The user's state, checked to have the fields of the contract and no other. */
async function readState(query: string, { paywall, key } = tenants.ours) {
  const reply = await call(tenants.world, `/api/v1/paywall/${paywall.id}/user?${query}`, { key })
  expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-store' } })
  return State.parse(reply.body)
}

describe('the response', () => {
  test('has every field of the contract and no other with an API key, and no user', async () => {
    const state = await readState(`email=${tenants.payer.email}`)
    expect(state).toMatchObject({ tier: 1, country: 'US', countryMatch: true, paid: true, trial: null, meta: {} })
    expect(state.purchases).toEqual([
      expect.objectContaining({
        status: 'active',
        price_id: getPriceId(tenants.ours.paywall, 'monthly'),
        price_slug: 'monthly',
        interval: 'month',
        interval_count: 1,
        unit_amount: 999,
        quantity: 1,
        currency: 'USD',
        trial_end: null,
        cancel_at_period_end: false,
        cancel_at: null,
        canceled_at: null,
      }),
    ])
    const days = (Date.parse(state.purchases[0]?.current_period_end ?? '') - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(27)
    expect(days).toBeLessThan(32)
  })

  test('also has the user with a Bearer token', async () => {
    const reply = await read('', { token: tenants.payer.token })
    const { user, ...state } = z.looseObject({ user: User }).parse(reply.body)
    expect(user).toMatchObject({ id: tenants.payer.id, email: tenants.payer.email, name: null })
    expect(State.parse(state)).toEqual(await readState(`email=${tenants.payer.email}`))
    expect(reply.headers['cache-control']).toBe('private, no-store')
  })

  test('shows a trial, and a user on trial as paid', async () => {
    const email = newEmail()
    await buy(tenants.world, { paywall: tenants.ours.paywall, key: tenants.ours.key, email, slug: 'yearly' })
    const { trial, paid, purchases } = await readState(`email=${email}`)
    expect(paid).toBe(true)
    expect(purchases).toMatchObject([
      { status: 'trialing', trial_end: trial?.ends_at, interval: 'year', unit_amount: 8900 },
    ])
    expect(trial).toMatchObject({ purchase_id: purchases[0]?.id, days_left: 7 })
    expect(Date.parse(trial?.ends_at ?? '') - Date.parse(trial?.started_at ?? '')).toBe(7 * 86_400_000)
  })

  test('shows a one-time purchase without a period', async () => {
    const once = { slug: 'once', label: 'Once', currency: 'JPY', amount: 3000, processorPrice: 'price_once' }
    const shop = tenant(await paywallFile({ paywall: { prices: [once] } }))
    await tenants.world.apply(shop.file)
    const email = newEmail()
    await buy(tenants.world, { paywall: shop.paywall, key: shop.key, email, slug: 'once' })
    const { purchases, paid } = await readState(`email=${email}`, shop)
    expect(paid).toBe(true)
    expect(purchases).toMatchObject([
      {
        status: 'active',
        interval: null,
        interval_count: null,
        current_period_end: null,
        unit_amount: 3000,
        currency: 'JPY',
      },
    ])
  })

  test('shows the newest purchase first', async () => {
    const email = newEmail()
    const order = { paywall: tenants.ours.paywall, key: tenants.ours.key, email }
    await buy(tenants.world, order)
    await buy(tenants.world, { ...order, slug: 'yearly', body: { ignoreActivePurchase: true } })
    const { purchases } = await readState(`email=${email}`)
    expect(purchases.map(({ price_slug: slug }) => slug)).toEqual(['yearly', 'monthly'])
  })
})

describe('paid', () => {
  test('is true until a scheduled end, and ends with the subscription', async () => {
    const email = newEmail()
    await buy(tenants.world, { paywall: tenants.ours.paywall, key: tenants.ours.key, email })
    const subscription = tenants.world.stripe.subscriptions.at(-1)?.id ?? ''
    await tenants.world.stripe.portalCancel(subscription)
    await tenants.world.stripe.drainWebhooks()
    const scheduled = await readState(`email=${email}`)
    expect(scheduled).toMatchObject({ paid: true, purchases: [{ status: 'active', cancel_at_period_end: true }] })
    expect(scheduled.purchases[0]?.cancel_at).toBe(scheduled.purchases[0]?.current_period_end)
    expect(scheduled.purchases[0]?.canceled_at).not.toBeNull()

    await tenants.world.stripe.end(subscription)
    await tenants.world.stripe.drainWebhooks()
    expect(await readState(`email=${email}`)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  })

  test.each(['paused', 'pending'])('is false with the status %s', async (status) => {
    const email = newEmail()
    const { userId } = await buy(tenants.world, { paywall: tenants.ours.paywall, key: tenants.ours.key, email })
    await tenants.world.stripe.drainWebhooks()
    await tenants.world.database.query('update purchases set status = $2 where user_id = $1', [userId, status])
    expect(await readState(`email=${email}`)).toMatchObject({ paid: false })
  })

  test('is true for a week after a failed charge', async () => {
    const shop = await newTenant(tenants.world)
    const { id, customer, subscriptionId } = await subscribe(tenants.world, shop)
    await tenants.world.stripe.declineCharges(customer)
    await tenants.world.stripe.renew(subscriptionId, { fail: true })
    const pastDue = { purchases: [{ status: 'past_due' }] }
    await tenants.world.clock.advance(shop.paywall.id, '6d')
    expect(await readState(`user_id=${id}`, shop)).toMatchObject({ paid: true, ...pastDue })
    await tenants.world.clock.advance(shop.paywall.id, '2d')
    expect(await readState(`user_id=${id}`, shop)).toMatchObject({ paid: false, ...pastDue })
  })

  test('becomes false if no renewal is reported', async () => {
    const shop = await atNewPaywall(tenants.world)
    const { id } = await subscribe(tenants.world, shop)
    const { purchases } = await readState(`user_id=${id}`, shop)
    const minutes = (Date.parse(purchases[0]?.current_period_end ?? '') - Date.now()) / 60_000
    await moveClock(shop, minutes + 4 * 24 * 60)
    expect(await readState(`user_id=${id}`, shop)).toMatchObject({ paid: false, purchases: [{ status: 'active' }] })
  })
})

describe('the user', () => {
  test.each([
    ['the e-mail', () => `email=${tenants.payer.email}`],
    ['the e-mail in another spelling', () => `email=%20${tenants.payer.email.toUpperCase()}%20`],
    ['the id', () => `user_id=${tenants.payer.id}`],
    ['the id in capitals', () => `user_id=${tenants.payer.id.toUpperCase()}`],
    ['both, if they agree', () => `user_id=${tenants.payer.id}&email=${tenants.payer.email}`],
    ['the id, with a blank e-mail', () => `user_id=${tenants.payer.id}&email=`],
    ['the e-mail, with a blank id', () => `user_id=&email=${tenants.payer.email}`],
    ['the first of a repeated name', () => `email=${tenants.payer.email}&email=${tenants.member.email}`],
  ])('is identified by %s', async (_name, query) => {
    expect(await readState(query())).toMatchObject({ purchases: [{ price_slug: 'monthly' }] })
  })

  test("is the token's, whatever the query", async () => {
    for (const query of [`email=${tenants.payer.email}`, `user_id=${tenants.payer.id}`, 'user_id=%00']) {
      const reply = await read(`?${query}`, { token: tenants.member.token })
      expect(reply, query).toMatchObject({ status: 200, body: { user: { id: tenants.member.id }, purchases: [] } })
    }
  })

  test('is known once a checkout was opened', async () => {
    const email = newEmail()
    const checkout = { paywall: tenants.ours.paywall, key: tenants.ours.key, body: { email } }
    const { userId } = parseOpened(await startCheckout(tenants.world, checkout))
    expect(await readState(`user_id=${userId}`)).toMatchObject({ purchases: [], paid: false, trial: null })
  })

  test('is not created by a refused call', async () => {
    const email = newEmail()
    const headers = { 'idempotency-key': randomUUID() }
    const body = { email, priceId: 'price_unknown' }
    await startCheckout(tenants.world, { paywall: tenants.ours.paywall, key: tenants.ours.key, headers, body })
    expect(await read(`?email=${email}`)).toMatchObject({ status: 404, body: { error: 'identity_not_found' } })
  })
})
