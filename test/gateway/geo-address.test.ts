import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { call } from '../support/call.ts'
import { parseOpened, startCheckout } from '../support/checkout.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { monthly, paywallFile } from '../support/paywall-file.ts'
import { type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const Reported = z.object({ tier: z.int(), country: z.string(), countryMatch: z.boolean() })
const Bootstrap = z.object({ prices: z.tuple([z.object({ local: z.unknown().optional() })]) })

const ADDRESSES = FULL_SIZE ? 1_000 : 200

const world = useTestWorld()
let shop: Tenant
let user: Person

beforeAll(async () => {
  const locals = [
    { countries: ['JP'], currency: 'JPY', amount: 1200, processorPrice: 'price_jpy' },
    { tier: 2, currency: 'EUR', amount: 7.5, processorPrice: 'price_eur' },
  ]
  const geo = { countries: [], tiers: { 1: ['US', 'JP', 'GB'], 2: ['DE', 'FR', 'IT', 'NL'], 3: ['BR'] } }
  shop = tenant(await paywallFile({ paywall: { geo, prices: [monthly({ locals })] } }))
  await world.apply(shop.file)
  user = await person(world, shop)
})

async function reported(address: string, { byToken = false } = {}) {
  const path = `/api/v1/paywall/${shop.paywall.id}/user`
  const headers = { 'x-client-ip': address }
  const reply = byToken
    ? await call(world, path, { token: user.token, headers, country: 'US' })
    : await call(world, `${path}?email=${user.email}`, { key: shop.key, headers, country: 'US' })
  expect(reply.status, JSON.stringify(reply)).toBe(200)
  return Reported.parse(reply.body)
}

describe('X-Client-Ip', () => {
  test.each([
    ['8.8.8.8', 'US'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
    ['::ffff:8.8.8.8', 'US'],
    [' 8.8.8.8 ', 'US'],
    ['133.11.0.1', 'JP'],
    ['193.0.6.139', 'NL'],
  ])('%s is in %s, with either credential', async (address, country) => {
    for (const byToken of [false, true]) expect(await reported(address, { byToken })).toMatchObject({ country })
  })

  test.each(['10.0.0.1', '127.0.0.1', '::1', 'fe80::1', '192.168.1.1', '100.64.0.1', '0.0.0.0', '255.255.255.255'])(
    '%s has no country, because it is not public',
    async (address) => {
      expect(await reported(address)).toEqual({ country: 'XX', tier: 3, countryMatch: true })
    },
  )

  test.each(['', '1.2.3', '8.8.8.8, 1.1.1.1', '8.8.8.8:443', '0x08080808', '134744072', 'US', '::g', 'x'.repeat(8000)])(
    'an invalid address, such as %j, has no country',
    async (address) => {
      expect(await reported(address)).toMatchObject({ country: 'XX', tier: 3 })
    },
  )
})

/** Allocated ranges: the first byte of IPv6 addresses. */
const REGISTRIES = [0x24, 0x26, 0x28, 0x2a, 0x2c]

/** A random address; one in four is IPv6. */
function randomAddress(): string {
  const registry = REGISTRIES[randomInt(4 * REGISTRIES.length)]
  if (registry === undefined) return [...randomBytes(4)].join('.')
  const bytes = Buffer.concat([Buffer.from([registry, randomInt(16)]), randomBytes(14)])
  return bytes.toString('hex').replace(/(?<=.)(?=(?:.{4})+$)/g, ':')
}

test(`bootstrap, user and checkout agree for ${ADDRESSES} random addresses`, async () => {
  const tierByCountry = new Map<string, number>()
  const addresses = Array.from({ length: ADDRESSES }, randomAddress)
  let known6 = 0
  async function readAddresses() {
    for (let address = addresses.pop(); address !== undefined; address = addresses.pop()) {
      const { country, tier } = await reported(address)
      if (address.includes(':') && country !== 'XX') known6 += 1
      expect(tierByCountry.get(country) ?? tier, country).toBe(tier)
      tierByCountry.set(country, tier)
    }
  }
  await Promise.all(Array.from({ length: 32 }, readAddresses))
  expect(tierByCountry.size).toBeGreaterThan(10)
  expect(known6, 'IPv6 addresses with a country').toBeGreaterThan(ADDRESSES / 50)

  await Promise.all([...tierByCountry].map(([country, tier]) => expectAgreement(country, tier)))
})

/** Bootstrap and the hosted page both have the price for the caller's country. */
async function expectAgreement(country: string, tier: number) {
  const bootstrap = await call(world, `/api/v1/paywall/${shop.paywall.id}/bootstrap`, { country })
  const { local } = Bootstrap.parse(bootstrap.body).prices[0]
  expect(local, `${country}, tier ${tier}`).toEqual(expectedLocal(country, tier))
  expect(await hostedPrice(country), country).toEqual(local ?? { currency: 'USD', amount: 9.99 })
}

function expectedLocal(country: string, tier: number) {
  if (country === 'JP') return { currency: 'JPY', amount: 1200 }
  return tier === 2 ? { currency: 'EUR', amount: 7.5 } : undefined
}

/** The price that the hosted page charges a Bearer user in a country. */
async function hostedPrice(country: string) {
  const { token } = await person(world, shop)
  const headers = { 'idempotency-key': randomUUID() }
  const { checkoutUrl } = parseOpened(await startCheckout(world, { paywall: shop.paywall, token, country, headers }))
  const session = world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)
  const { currency, amount_total: total } = z.object({ currency: z.string(), amount_total: z.int() }).parse(session)
  return { currency: currency.toUpperCase(), amount: currency === 'jpy' ? total : total / 100 }
}
