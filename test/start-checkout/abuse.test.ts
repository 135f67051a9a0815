import { randomInt, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Call } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { setConsumed } from '../support/rate-limits.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true, file: { webhooks: [] } })

afterEach(() => {
  world.neon.onStatement = undefined
})

/** A random IPv6 address; each is in the network of another customer. */
const randomAddress = () => `2001:${randomInt(0x1000, 0xffff).toString(16)}:${randomInt(0xffff).toString(16)}::1`
const network = (address: string) => ({ 'cf-connecting-ip': address })
const from = (address: string): Call => ({ headers: network(address) })

/** Opens a checkout page as a user with this IP address. */
const openPage = (
  token: string,
  address = randomAddress(),
  options: { key?: string; body?: Record<string, unknown> } = {},
) =>
  startCheckout(world, {
    paywall: world.paywall,
    token,
    headers: { ...network(address), 'idempotency-key': options.key ?? randomUUID() },
    ...(options.body && { body: options.body }),
  })

const newToken = async () => (await signInAnonymously(world, from(randomAddress()))).token
const pagesOpened = () => world.stripe.checkoutSessions.length
const tooMany = { status: 429, body: { error: 'rate_limit_exceeded' } }

async function countStatuses(calls: Promise<{ status: number }>[]) {
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]))
}

describe('a user can open ten pages in ten minutes', () => {
  test('and then gets 429 with Retry-After', async () => {
    const token = await newToken()
    for (let page = 0; page < 10; page++) parseOpened(await openPage(token))
    const before = pagesOpened()
    const refused = await openPage(token)
    expect(refused).toMatchObject(tooMany)
    // One page is refilled each minute.
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(pagesOpened()).toBe(before)
    await world.database.query("update rate_limits set refilled_at = refilled_at - interval '10 minutes'")
    parseOpened(await openPage(token))
  })

  test('even with 25 concurrent calls', async () => {
    const token = await newToken()
    raceStatements(world, 'claim_checkout', 25)
    const before = pagesOpened()
    expect(await countStatuses(Array.from({ length: 25 }, () => openPage(token)))).toEqual({ 200: 10, 429: 15 })
    expect(pagesOpened() - before).toBe(10)
  })

  test('not counting replays and refused calls', async () => {
    const token = await newToken()
    const key = randomUUID()
    const first = parseOpened(await openPage(token, undefined, { key }))
    for (let repeat = 0; repeat < 12; repeat++) {
      await world.workers.kv('start-checkout', 'CHECKOUT_REPLIES').then(async (kv) => {
        for (const { name } of (await kv.list()).keys) await kv.delete(name)
      })
      expect(parseOpened(await openPage(token, undefined, { key }))).toEqual(first)
      expect(await openPage(token, undefined, { body: { priceId: 'price_x' } })).toMatchObject({ status: 404 })
    }
    for (let page = 0; page < 9; page++) parseOpened(await openPage(token))
    expect(await openPage(token)).toMatchObject(tooMany)
  })

  test('and a refused call does not claim its Idempotency-Key', async () => {
    const token = await newToken()
    for (let page = 0; page < 10; page++) parseOpened(await openPage(token))
    const key = randomUUID()
    expect(await openPage(token, undefined, { key })).toMatchObject(tooMany)
    await world.database.query("update rate_limits set refilled_at = refilled_at - interval '10 minutes'")
    parseOpened(await openPage(token, undefined, { key, body: { trial_days: 3 } }))
  })
})

test('60 anonymous users of one network can open 100 pages together, and other networks are not limited', async () => {
  const prefix = `2001:db8:${randomInt(0xffff).toString(16)}`
  const address = (index: number) => `${prefix}:${index.toString(16)}::1`
  const users = Array.from(
    { length: 60 },
    async (_, index) => (await signInAnonymously(world, from(address(index)))).token,
  )
  const tokens = await Promise.all(users)
  const before = pagesOpened()
  const startedAt = Date.now()
  const callers = [...tokens, ...tokens]
  const counts: Record<string, number> = {}
  for (let first = 0; first < callers.length; first += 20) {
    const batch = callers.slice(first, first + 20).map((token, index) => openPage(token, address(first + index)))
    for (const [status, times] of Object.entries(await countStatuses(batch)))
      counts[status] = (counts[status] ?? 0) + times
  }
  // One page is refilled every six seconds.
  const refilled = Math.floor((Date.now() - startedAt) / 6_000)
  expect(counts[200]).toBeGreaterThanOrEqual(100)
  expect(counts[200]).toBeLessThanOrEqual(100 + refilled)
  expect(counts[429]).toBe(120 - counts[200]!)
  expect(pagesOpened() - before).toBe(counts[200])
  parseOpened(await openPage(await newToken()))
})

test('a paywall opens 10,000 pages in ten minutes for its users, then three per network; calls by the owner are not counted', async () => {
  const token = await newToken()
  parseOpened(await openPage(token))
  const consumed = (count: number) => setConsumed(world, 'pages', `paywall:${world.paywall.id}`, count)
  await consumed(9_999)
  const address = randomAddress()
  for (let page = 0; page < 4; page++) parseOpened(await openPage(token, address))
  expect(await openPage(token, address)).toMatchObject(tooMany)
  expect(await openPage(await newToken(), address)).toMatchObject(tooMany)
  parseOpened(await openPage(await newToken()))
  const byOwner = { paywall: world.paywall, key: world.key, body: { email: newEmail() } }
  for (let page = 0; page < 12; page++) parseOpened(await startCheckout(world, byOwner))
  const other = await newTenant(world, {})
  const user = await signInAnonymously(world, { paywallId: other.paywall.id, ...from(randomAddress()) })
  const body = { priceId: getPriceId(other.paywall, 'monthly') }
  parseOpened(
    await startCheckout(world, { paywall: other.paywall, token: user.token, headers: network(randomAddress()), body }),
  )
  await consumed(0)
})
