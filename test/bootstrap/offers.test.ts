import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { computeVersions } from '../../cli/apply/versions.ts'
import { call } from '../support/call.ts'
import { getPriceId, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import { newTenant, type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

// Which offers that take something off bootstrap serves, and what of them.

const world = useTestWorld()
const DAY = 24 * 3600_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

const offer = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Offer ${id}`,
  discount: { percent: 50, periods: 1 },
  prices: ['monthly'],
  processorDiscount: `COUPON_${id}`,
  ...more,
})
const YEARLY = yearly({ trial_days: undefined, processorPrice: 'yearly' })
const LATER = inDays(2)
const END = inDays(3)

let shop: Tenant

beforeAll(async () => {
  const paywall = {
    prices: [monthly({ locals: [] }), YEARLY],
    locales: {
      en: { Hush: 'Secret sale', Whisper: 'Quiet sale', Now: 'Now', Monthly: 'Monthly', greeting: 'Hello' },
      de: { Hush: 'Geheimverkauf', Whisper: 'Stiller Verkauf', Now: 'Jetzt', Monthly: 'Monatlich', greeting: 'Hallo' },
    },
    offers: [
      { slug: 'stay', price: 'yearly', show: 'cancel' },
      offer('all', { badge: 'Now', max: 1234567, code: 'FOUND-27' }),
      offer('hidden', { title: 'Hush', badge: 'Now', code: 'HIDDEN-27', show: 'code' }),
      offer('hidden-label', { title: 'Whisper', badge: 'Monthly', code: 'LABEL-27', show: 'code' }),
      offer('german', { countries: ['DE'], discount: { amount: 2.5, currency: 'USD', periods: 1 } }),
      offer('later', { starts_at: LATER, ends_at: END }),
      offer('over', { ends_at: '2020-01-01T00:00:00Z' }),
    ],
  }
  const file = await paywallFile({ paywall })
  await world.apply(file)
  shop = tenant(file)
})

const Offers = z.object({
  version: z.string(),
  locales: z.unknown(),
  offers: z.array(z.looseObject({ id: z.string().optional() })),
})

async function read({ country, token }: { country?: string; token?: string } = {}) {
  const reply = await call(world, `/api/v1/paywall/${shop.paywall.id}/bootstrap`, {
    ...(token !== undefined && { token }),
    ...(country !== undefined && { country }),
  })
  const { version, offers, locales } = Offers.parse(reply.body)
  return { version, offers, locales, text: JSON.stringify(reply.body), ids: offers.flatMap(({ id }) => id ?? []) }
}

const ALL = {
  id: 'all',
  title: 'Offer all',
  badge: 'Now',
  discount: { percent: 50, periods: 1 },
  prices: ['monthly'],
  show: 'paywall',
}

test("it serves the offers of now in the caller's country, after the owner's own entries", async () => {
  expect((await read()).offers).toEqual([{ slug: 'stay', price: 'yearly', show: 'cancel' }, ALL])
  expect((await read({ country: 'DE' })).offers).toEqual([
    { slug: 'stay', price: 'yearly', show: 'cancel' },
    ALL,
    {
      id: 'german',
      title: 'Offer german',
      discount: { amount: 2.5, currency: 'USD', periods: 1 },
      prices: ['monthly'],
      countries: ['DE'],
      show: 'paywall',
    },
  ])
})

test('to users as well', async () => {
  const { token } = await signIn(world, { paywallId: shop.paywall.id, key: shop.key })
  expect((await read({ token, country: 'DE' })).ids).toEqual(['all', 'german'])
})

test('`accepts_codes` is set if a code can be entered', async () => {
  const readSettings = async ({ paywall }: Tenant) => {
    const reply = await call(world, `/api/v1/paywall/${paywall.id}/bootstrap`)
    return z.object({ settings: z.looseObject({}) }).parse(reply.body).settings
  }
  expect(await readSettings(shop)).toMatchObject({ accepts_codes: true })
  const ended = offer('ended', { code: 'ENDED-27', show: 'code', ends_at: '2020-01-01T00:00:00Z' })
  const later = offer('later', { code: 'LATER-27', starts_at: LATER })
  const others = await newTenant(world, { prices: [monthly({ locals: [] })], offers: [ended, later] })
  expect(await readSettings(others)).not.toHaveProperty('accepts_codes')
})

test('an offer is left out for users who have used it, and for everybody once it is used up', async () => {
  const limited = [offer('one', { max: 1 }), offer('two', { max: 2 }), offer('free')]
  const other = await newTenant(world, { prices: [monthly({ locals: [] })], offers: limited })
  const person = await signIn(world, { paywallId: other.paywall.id, key: other.key })
  const idsFor = async (country: string, token?: string) => {
    const path = `/api/v1/paywall/${other.paywall.id}/bootstrap`
    const reply = await call(world, path, { country, ...(token !== undefined && { token }) })
    return Offers.parse(reply.body).offers.map(({ id }) => id)
  }
  const open = async (name: string) => {
    const body = { priceId: getPriceId(other.paywall, 'monthly'), offer: name, ignoreActivePurchase: true }
    const headers = { 'idempotency-key': randomUUID() }
    return parseOpened(await startCheckout(world, { paywall: other.paywall, token: person.token, headers, body }))
  }
  expect(await idsFor('US')).toEqual(['one', 'two', 'free'])
  const { checkoutUrl } = await open('one')
  expect(await idsFor('CA')).toEqual(['two', 'free'])
  // Its own page that is open takes nothing from the user.
  expect(await idsFor('CA', person.token)).toEqual(['one', 'two', 'free'])
  await payAndReturn(world, checkoutUrl)
  expect(await idsFor('CA', person.token)).toEqual(['two', 'free'])
  await payAndReturn(world, (await open('free')).checkoutUrl)
  expect(await idsFor('CA', person.token)).toEqual(['two'])
  expect(await idsFor('MX')).toEqual(['two', 'free'])
})

test('it reveals no code, no limit, no id of the processor, and no offer that needs a code', async () => {
  const { token } = await signIn(world, { paywallId: shop.paywall.id, key: shop.key })
  for (const { text } of [await read(), await read({ country: 'DE' }), await read({ token })]) {
    expect(text).not.toMatch(/HIDDEN|hidden|FOUND|COUPON|1234567|processor_?discount/i)
  }
})

test('texts that only offers use that need a code are left out of the locales', async () => {
  const { locales } = await read()
  expect(locales).toEqual({
    en: { Now: 'Now', Monthly: 'Monthly', greeting: 'Hello' },
    de: { Now: 'Jetzt', Monthly: 'Monatlich', greeting: 'Hallo' },
  })
})

test('`plan` computes the same versions', async () => {
  const versions = await computeVersions(shop.file)
  expect(versions).toEqual([
    { paywall: shop.paywall.id, version: (await read()).version, countries: null },
    { paywall: shop.paywall.id, version: (await read({ country: 'DE' })).version, countries: ['DE'] },
  ])
})

test("an offer is served from its start to its end, by the paywall's clock", async () => {
  const { version } = await read({ country: 'US' })
  await world.clock.advance(shop.paywall.id, '49h')
  const later = await read({ country: 'CA' })
  expect(later.ids).toEqual(['all', 'later'])
  expect(later.offers.at(-1)).toMatchObject({ starts_at: LATER, ends_at: END, days_left: 1 })
  expect(later.version).not.toBe(version)
  await world.clock.advance(shop.paywall.id, '24h')
  expect(await read({ country: 'MX' })).toMatchObject({ ids: ['all'], version })
})
