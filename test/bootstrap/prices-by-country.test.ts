import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { at, newTenant, person, type Tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
/** Its price is 9.99 USD, 5.99 USD in tier 2, which is the last one, and 99 MXN in Mexico. */
let shop: Tenant

beforeAll(async () => {
  const locals = [
    { tier: 2, currency: 'USD', amount: 5.99, processorPrice: 'price_tier_2' },
    { countries: ['MX'], currency: 'MXN', amount: 99, processorPrice: 'price_mexico' },
  ]
  shop = await newTenant(world, { geo: { tiers: { 1: ['US'], 2: ['BR', 'MX'] } }, prices: [monthly({ locals })] })
})

const Bootstrap = z.object({
  prices: z.array(z.object({ amount: z.number(), currency: z.string(), local: z.unknown().optional() })).length(1),
})
const SessionRequest = z.object({ line_items: z.tuple([z.object({ price: z.string() })]) })
const BASE = 'price_monthly'
const AMOUNTS: Record<string, object> = {
  price_tier_2: { currency: 'USD', amount: 5.99 },
  price_mexico: { currency: 'MXN', amount: 99 },
}

/** The price that Stripe is asked to charge for an owner's call. */
async function soldByOwner(body: Record<string, unknown>, country = 'US'): Promise<string> {
  const reply = await startCheckout(world, { paywall: shop.paywall, key: shop.key, country, body })
  return soldTo(parseOpened(reply).userId)
}

/** The price that Stripe is asked to charge a user who calls from a country. */
async function soldToUser(country: string, body: Record<string, unknown> = {}): Promise<string> {
  const { token } = await person(world, shop)
  return soldTo(parseOpened(await startCheckout(world, { paywall: shop.paywall, token, country, body })).userId)
}

function soldTo(userId: string): string {
  const request = world.stripe.calls.findLast(({ body }) => body.client_reference_id === userId)
  return SessionRequest.parse(request?.body).line_items[0].price
}

test.each([
  ['US', BASE],
  ['BR', 'price_tier_2'],
  ['ZW', 'price_tier_2'],
  ['MX', 'price_mexico'],
  ['XX', BASE],
])('in %s, bootstrap, a user and an owner who names the country get %s', async (country, price) => {
  const { body } = await call(world, at(shop, 'bootstrap'), { country })
  expect(Bootstrap.parse(body).prices[0]?.local).toEqual(AMOUNTS[price])
  expect(await soldToUser(country)).toBe(price)
  expect(await soldByOwner({ country })).toBe(price)
})

test('an unknown country is in the last tier, and still pays the base price', async () => {
  const { token } = await person(world, shop)
  const { body } = await call(world, at(shop, 'user'), { token, country: 'XX' })
  expect(body).toMatchObject({ country: 'XX', tier: 2 })
  expect(await soldToUser('T1')).toBe(BASE)
})

describe('an owner’s `country`', () => {
  test('takes precedence over `localCurrency`, and without it the currency counts as before', async () => {
    expect(await soldByOwner({ country: 'US', localCurrency: 'MXN' })).toBe(BASE)
    expect(await soldByOwner({ country: 'BR', localCurrency: 'MXN' })).toBe('price_tier_2')
    expect(await soldByOwner({ localCurrency: 'MXN' })).toBe('price_mexico')
    expect(await soldByOwner({}, 'MX')).toBe(BASE)
    expect(await soldByOwner({ country: '' }, 'MX')).toBe(BASE)
  })

  test('may be in lower case', async () => {
    expect(await soldByOwner({ country: 'br' })).toBe('price_tier_2')
  })

  test.each(['Brazil', 'ZZ', 'T1', 'EU', 'B', 55, ['BR']])('is refused if it is %j', async (country) => {
    const reply = await startCheckout(world, { paywall: shop.paywall, key: shop.key, body: { country } })
    expect(reply).toMatchObject({
      status: 400,
      body: { error: 'Invalid country', message: expect.stringContaining('ISO 3166-1') },
    })
  })

  test('is ignored in a user’s call', async () => {
    expect(await soldToUser('US', { country: 'BR' })).toBe(BASE)
    expect(await soldToUser('MX', { country: 'not a country' })).toBe('price_mexico')
  })

  test('is part of the request that an Idempotency-Key identifies', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const start = (country?: string) =>
      startCheckout(world, { paywall: shop.paywall, key: shop.key, headers, body: { email, country } })
    const email = newEmail()
    expect(await start('BR')).toMatchObject({ status: 200 })
    expect(await start('br')).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
    expect(await start('MX')).toMatchObject({ status: 409, body: { error: 'idempotency_key_reused' } })
    expect(await start()).toMatchObject({ status: 409, body: { error: 'idempotency_key_reused' } })
  })
})
