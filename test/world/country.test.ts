import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { readOptions } from '../../dev/world/options.ts'
import { useTestWorld } from '../support/world.ts'

// The country that visitors of the local world come from. The test's paywall has a local price in India.

const visitor = { country: 'US' }
let home: Home

const world = useTestWorld({ country: () => visitor.country })
beforeAll(async () => {
  const files = { served: () => [world.file], known: () => [world.file] }
  home = await startHome({ port: 0, world, files, visitor, reload: async () => {}, shop: null, invalidFiles: () => [] })
})
afterAll(() => home?.close())

/** Sends a form of home as a browser does. Returns where the browser is redirected to. */
async function send(path: string, fields: Record<string, string>): Promise<string | null> {
  const body = new URLSearchParams({ paywall: world.paywall.id, ...fields })
  const sent = await fetch(home.url + path, { method: 'POST', body, headers: { origin: home.url }, redirect: 'manual' })
  return sent.headers.get('location')
}

const text = async (url: string | null) => (await fetch(String(url))).text()

test('is chosen at home, and decides the prices of the site, of home and of its checkouts', async () => {
  const site = `${world.url}/p/${world.paywall.id}`
  const price = world.paywall.prices.find(({ slug }) => slug === 'monthly')?.id ?? ''
  expect(await text(site)).toContain('$9.99')
  expect(await text(home.url)).toContain('$9.99')

  await send('/country', { country: 'IN' })
  expect(await text(site)).toContain('₹399')
  const front = await text(home.url)
  expect(front).toContain('₹399.00')
  expect(front).toContain('Visitors now come from India.')
  expect(await text(await send('/buy', { email: 'ann@example.com', price }))).toContain('399')

  await send('/country', { country: 'Mars' })
  expect(visitor.country).toBe('IN')
  expect(await text(home.url)).toContain('choose a country')
})

test('is an option of npm run dev', () => {
  expect(readOptions(['--country', 'IN'], {})?.country).toBe('IN')
  expect(readOptions([], {})?.country).toBe('US')
  expect(() => readOptions(['--country', 'india'], {})).toThrow(
    '--country must be an ISO 3166-1 code in upper case, such as IN, not india',
  )
})
