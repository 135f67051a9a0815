import { beforeAll, expect, test } from 'vitest'
import { type Call, call } from '../support/call.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
/** A paywall with its own tiers that is meant for three countries. */
let targeted: Tenant
let user: Person

beforeAll(async () => {
  const geo = { countries: ['BR', 'IN', 'DE'], tiers: { 1: ['US', 'DE'], 2: ['BR'], 5: ['IN'] } }
  targeted = tenant(await paywallFile({ paywall: { geo } }))
  await world.apply(targeted.file)
  user = await person(world, targeted)
})

/** What the user endpoint reports about the location, with either credential. */
async function reported({ paywall, key }: Tenant, options: Call, byToken = false) {
  const path = `/api/v1/paywall/${paywall.id}/user`
  const { token, email } =
    byToken || paywall.id === targeted.paywall.id ? user : await person(world, { ...targeted, paywall, key })
  return byToken ? call(world, path, { token, ...options }) : call(world, `${path}?email=${email}`, { key, ...options })
}

test.each([
  ['DE', { tier: 1, country: 'DE', countryMatch: true }],
  ['US', { tier: 1, country: 'US', countryMatch: false }],
  ['BR', { tier: 2, country: 'BR', countryMatch: true }],
  ['IN', { tier: 5, country: 'IN', countryMatch: true }],
  ['FR', { tier: 5, country: 'FR', countryMatch: false }],
  ['T1', { tier: 5, country: 'XX', countryMatch: false }],
  ['XX', { tier: 5, country: 'XX', countryMatch: false }],
  ['ZZ', { tier: 5, country: 'XX', countryMatch: false }],
  ['de', { tier: 5, country: 'XX', countryMatch: false }],
  [null, { tier: 5, country: 'XX', countryMatch: false }],
])('from %s, with the tiers of the paywall: %o', async (country, body) => {
  for (const byToken of [false, true]) {
    expect(await reported(targeted, { country }, byToken)).toMatchObject({ status: 200, body })
  }
})

test.each([
  ['US', 1],
  ['CN', 2],
  ['NG', 3],
  ['XX', 3],
])('from %s, with the default tiers: %i, and a paywall without target countries matches', async (country, tier) => {
  const reply = await reported(tenant(world.file), { country })
  expect(reply).toMatchObject({ status: 200, body: { tier, country, countryMatch: true } })
})

test('X-Forwarded-For changes nothing', async () => {
  const headers = { 'x-forwarded-for': '49.36.0.1', 'cf-connecting-ip': '49.36.0.1', 'x-real-ip': '49.36.0.1' }
  for (const byToken of [false, true]) {
    const body = { tier: 2, country: 'BR', countryMatch: true }
    expect(await reported(targeted, { country: 'BR', headers }, byToken)).toMatchObject({ status: 200, body })
  }
})

test('X-Client-Ip is the address of the end user: one without a country is XX, not the caller’s country', async () => {
  const headers = { 'x-client-ip': '10.0.0.1' }
  const body = { tier: 5, country: 'XX', countryMatch: false }
  expect(await reported(targeted, { country: 'BR', headers })).toMatchObject({ status: 200, body })
})
