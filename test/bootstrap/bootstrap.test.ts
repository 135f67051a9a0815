import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Grant } from '../../lib/grants/grant.ts'
import { call } from '../support/call.ts'
import { getPriceId } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { newTenant, startTenants, type Tenants } from '../support/tenants.ts'

let tenants: Tenants

beforeAll(async () => {
  tenants = await startTenants()
})

afterAll(() => tenants.close())

/** The payload of contract section 2, each field with its type; no other fields are allowed. */
const Price = z.strictObject({
  id: z.string().regex(/^price_[0-9a-f]{24}$/),
  slug: z.string(),
  currency: z.string().length(3),
  amount: z.number(),
  interval: z.string().nullable(),
  interval_count: z.int().nullable(),
  trial_days: z.int(),
  features: z.array(z.string()),
  access: z.boolean(),
  per_unit: z.boolean(),
  tokens: z.array(z.strictObject({ type: z.string(), count: z.int(), trial_count: z.int().optional() })),
  label: z.string(),
  local: z.strictObject({ currency: z.string().length(3), amount: z.number() }).optional(),
})
const Structure = z.strictObject({
  version: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  settings: z.looseObject({ id: z.string(), name: z.string() }),
  prices: z.array(Price),
  offers: z.array(z.unknown()),
  layout: z.looseObject({ type: z.string(), blocks: z.array(z.unknown()) }),
  locales: z.record(z.string(), z.looseObject({})),
})
const UserState = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  has_active_subscription: z.boolean(),
  paid: z.boolean(),
  features: z.array(z.string()),
  purchases: z.array(z.looseObject({ id: z.uuid(), status: z.string() })),
  being_replaced: z.array(z.uuid()),
  grants: z.array(Grant),
  access_until: z.iso.datetime().nullable(),
  balances: z.array(z.strictObject({ type: z.string(), count: z.int() })),
  trial: z.null(),
})

const bootstrap = (options: Parameters<typeof call>[2] = {}, id = tenants.ours.paywall.id) =>
  call(tenants.world, `/api/v1/paywall/${id}/bootstrap`, options)

async function structure(options: Parameters<typeof call>[2] = {}, id = tenants.ours.paywall.id) {
  return Structure.parse((await bootstrap(options, id)).body)
}

describe('the structural payload', () => {
  test('has every field of the contract and no other', async () => {
    const { settings, prices } = await structure()
    const { id, name } = tenants.ours.paywall
    expect(settings).toEqual({
      id,
      name,
      success_redirect_url: 'https://owner.example/thanks?session=__SESSION__',
      error_redirect_url: 'https://owner.example/sorry',
      tokenization_queries: [{ type: 'standard', daily_limit: 10 }, { type: 'premium' }],
    })
    expect(prices).toEqual([
      {
        id: getPriceId(tenants.ours.paywall, 'monthly'),
        slug: 'monthly',
        label: 'Monthly',
        currency: 'USD',
        amount: 9.99,
        interval: 'month',
        interval_count: 1,
        trial_days: 0,
        features: [],
        access: true,
        per_unit: false,
        tokens: [{ type: 'standard', count: 100 }],
      },
      expect.objectContaining({ slug: 'yearly', amount: 89, interval: 'year', trial_days: 7 }),
    ])
  })

  test("has the owner's own fields unchanged, prices in the file's order, amounts in major units", async () => {
    const { paywall } = await newTenant(tenants.world, {
      settings: { brand_color: '#123456', theme: { dark: true } },
      prices: [
        monthly({ slug: 'b', amount: 0.1, tokens: [], locals: [] }),
        { slug: 'once', label: 'Once', currency: 'JPY', amount: 3000, processorPrice: 'price_once' },
        { slug: 'a', label: 'A', currency: 'KWD', amount: 2.01, interval: 'day', processorPrice: 'price_day' },
      ],
      offers: [{ slug: 'stay' }],
      layout: { type: 'stack', blocks: [{ type: 'prices' }] },
      locales: { de: { continue: 'Weiter' } },
    })
    const { prices, ...rest } = await structure({}, paywall.id)
    expect(prices.map(({ slug, amount, currency }) => [slug, amount, currency])).toEqual([
      ['b', 0.1, 'USD'],
      ['once', 3000, 'JPY'],
      ['a', 2.01, 'KWD'],
    ])
    expect(prices[1]).toMatchObject({ interval: null, interval_count: null, trial_days: 0 })
    expect(rest).toMatchObject({
      settings: { brand_color: '#123456', theme: { dark: true } },
      offers: [{ slug: 'stay' }],
      layout: { type: 'stack', blocks: [{ type: 'prices' }] },
      locales: { de: { continue: 'Weiter' } },
    })
  })

  test('contains no secrets and no details of the processor', async () => {
    const shown = [
      await bootstrap(),
      await bootstrap({ country: 'IN' }),
      await bootstrap({ token: tenants.payer.token }),
    ]
    const { processor } = tenants.ours.paywall
    const hidden = [...Object.values(processor.credentials), tenants.ours.key, tenants.ours.file.owner.email]
    hidden.push(createHash('sha256').update(tenants.ours.key).digest('hex'))
    for (const secret of [...hidden, 'price_monthly', 'processor', 'credentials', 'acquiring":"', 'tiers']) {
      expect(JSON.stringify(shown.slice(0, 2)), secret).not.toContain(secret)
    }
    for (const secret of [...hidden, 'price_monthly', 'processor', 'credentials']) {
      expect(JSON.stringify(shown[2]), secret).not.toContain(secret)
    }
  })

  test('is public: an owner key changes nothing, valid or not', async () => {
    const plain = await structure()
    expect(await structure({ key: tenants.ours.key })).toEqual(plain)
    expect(await structure({ key: 'pk_test_bad' })).toEqual(plain)
  })
})

describe('version', () => {
  test('is the SHA-256 of the canonical payload without it, and the ETag', async () => {
    const reply = await bootstrap()
    const { version, ...payload } = Structure.parse(reply.body)
    const hash = createHash('sha256').update(canonicalize(payload)!).digest('hex')
    expect(version).toBe(`sha256:${hash}`)
    expect(reply.headers.etag).toBe(`"${version}"`)
    expect(reply.headers['cache-control']).toBe('private, no-cache')
  })

  test("changes with the payload and with the caller's country, and not otherwise", async () => {
    const { file, paywall } = await newTenant(tenants.world)
    const before = await structure({}, paywall.id)
    expect((await structure({ country: 'DE' }, paywall.id)).version).toBe(before.version)
    expect((await structure({ country: 'IN' }, paywall.id)).version).not.toBe(before.version)

    await tenants.world.apply({ ...file, paywalls: [{ ...paywall, name: 'Renamed' }] })
    // Another country with the same prices is not in the edge cache yet.
    const after = await structure({ country: 'FR' }, paywall.id)
    expect(after.settings.name).toBe('Renamed')
    expect(after.version).not.toBe(before.version)
  })

  test.each([
    ['the ETag', (etag: string) => etag, 304],
    ['a weak one', (etag: string) => `W/${etag}`, 304],
    ['one of a list', (etag: string) => `"other", ${etag}`, 304],
    ['a wildcard', () => '*', 304],
    ['another ETag', () => '"sha256:other"', 200],
    ['an unquoted one', (etag: string) => etag.slice(1, -1), 200],
  ])('If-None-Match with %s', async (_name, getTag, status) => {
    const { etag = '' } = (await bootstrap()).headers
    const reply = await bootstrap({ headers: { 'if-none-match': getTag(etag) } })
    expect(reply).toMatchObject({ status, headers: { etag } })
    expect(reply.body).toEqual(status === 304 ? '' : expect.anything())
  })
})

describe('local prices', () => {
  test.each([
    ['IN', { currency: 'INR', amount: 399 }],
    ['US', undefined],
    ['XX', undefined],
    ['T1', undefined],
    [null, undefined],
  ])('in %s: %o', async (country, local) => {
    const { prices } = await structure({ country })
    expect(prices[0]).toMatchObject({ currency: 'USD', amount: 9.99 })
    expect(prices[0]?.local).toEqual(local)
  })

  test('a price for the country takes precedence over one for its tier', async () => {
    const locals = [
      { tier: 2, currency: 'USD', amount: 5.99, processorPrice: 'price_tier_2' },
      { countries: ['MX'], currency: 'MXN', amount: 99, processorPrice: 'price_mx' },
    ]
    const { paywall } = await newTenant(tenants.world, {
      geo: { tiers: { 1: ['US'], 2: ['BR', 'MX'] } },
      prices: [monthly({ locals })],
    })
    const localIn = async (country: string) => (await structure({ country }, paywall.id)).prices[0]?.local
    expect(await localIn('MX')).toEqual({ currency: 'MXN', amount: 99 })
    expect(await localIn('BR')).toEqual({ currency: 'USD', amount: 5.99 })
    expect(await localIn('US')).toBeUndefined()
    expect(await localIn('ZW')).toEqual({ currency: 'USD', amount: 5.99 })
  })
})

describe('user state', () => {
  test('is added for a Bearer token, does not change the structure, and is never cached', async () => {
    const guest = await structure()
    const reply = await bootstrap({ token: tenants.payer.token })
    const { user, ...rest } = z.looseObject({ user: UserState }).parse(reply.body)
    expect(Structure.parse(rest)).toEqual(guest)
    expect(reply.headers).toMatchObject({ 'cache-control': 'private, no-store' })
    expect(user).toMatchObject({
      id: tenants.payer.id,
      email: tenants.payer.email,
      has_active_subscription: true,
      paid: true,
      purchases: [{ status: 'active', price_slug: 'monthly' }],
      balances: [
        { type: 'premium', count: 0 },
        { type: 'standard', count: 100 },
      ],
    })
  })

  test('is absent for guests, and for an owner key alone, which identifies no user here', async () => {
    const { key } = tenants.ours
    expect((await bootstrap()).body).not.toHaveProperty('user')
    expect((await bootstrap({ key })).body).not.toHaveProperty('user')
    expect((await bootstrap({ key, token: tenants.payer.token })).body).toMatchObject({
      user: { id: tenants.payer.id },
    })
    expect(await bootstrap({ key, token: 'x' })).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('reports a user who bought nothing as not paid', async () => {
    expect((await bootstrap({ token: tenants.member.token })).body).toMatchObject({
      user: { id: tenants.member.id, has_active_subscription: false, paid: false, purchases: [], trial: null },
    })
  })
})
