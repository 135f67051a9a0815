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

/** Addresses of IPv6 networks, each of another customer. */
const someAddress = () => `2001:${randomInt(0x1000, 0xffff).toString(16)}:${randomInt(0xffff).toString(16)}::1`
const network = (address: string) => ({ 'cf-connecting-ip': address })
const from = (address: string): Call => ({ headers: network(address) })

/** A call that opens a page, for a user with this address. */
const open = (token: string, address = someAddress(), options: { key?: string; body?: Record<string, unknown> } = {}) =>
  startCheckout(world, {
    paywall: world.paywall,
    token,
    headers: { ...network(address), 'idempotency-key': options.key ?? randomUUID() },
    ...(options.body && { body: options.body }),
  })

const someToken = async () => (await signInAnonymously(world, from(someAddress()))).token
const pagesOpened = () => world.stripe.checkoutSessions.length
const tooMany = { status: 429, body: { error: 'rate_limit_exceeded' } }

async function counted(calls: Promise<{ status: number }>[]) {
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]))
}

describe('a user opens ten pages in ten minutes', () => {
  test('and gets Retry-After', async () => {
    const token = await someToken()
    for (let page = 0; page < 10; page++) parseOpened(await open(token))
    const before = pagesOpened()
    const refused = await open(token)
    expect(refused).toMatchObject(tooMany)
    // One is refilled each minute.
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(pagesOpened()).toBe(before)
    await world.database.query("update rate_limits set refilled_at = refilled_at - interval '10 minutes'")
    parseOpened(await open(token))
  })

  test('however many it asks for at once', async () => {
    const token = await someToken()
    raceStatements(world, 'claim_checkout', 25)
    const before = pagesOpened()
    expect(await counted(Array.from({ length: 25 }, () => open(token)))).toEqual({ 200: 10, 429: 15 })
    expect(pagesOpened() - before).toBe(10)
  })

  test('and neither replays nor refused calls count', async () => {
    const token = await someToken()
    const key = randomUUID()
    const first = parseOpened(await open(token, undefined, { key }))
    for (let again = 0; again < 12; again++) {
      await world.workers.kv('start-checkout', 'CHECKOUT_REPLIES').then(async (kv) => {
        for (const { name } of (await kv.list()).keys) await kv.delete(name)
      })
      expect(parseOpened(await open(token, undefined, { key }))).toEqual(first)
      expect(await open(token, undefined, { body: { priceId: 'price_x' } })).toMatchObject({ status: 404 })
    }
    for (let page = 0; page < 9; page++) parseOpened(await open(token))
    expect(await open(token)).toMatchObject(tooMany)
  })

  test('and a call that is refused leaves nothing behind', async () => {
    const token = await someToken()
    for (let page = 0; page < 10; page++) parseOpened(await open(token))
    const key = randomUUID()
    expect(await open(token, undefined, { key })).toMatchObject(tooMany)
    await world.database.query("update rate_limits set refilled_at = refilled_at - interval '10 minutes'")
    parseOpened(await open(token, undefined, { key, body: { trial_days: 3 } }))
  })
})

test('60 anonymous users of one network open 100 pages together, and others go on', async () => {
  const prefix = `2001:db8:${randomInt(0xffff).toString(16)}`
  const address = (index: number) => `${prefix}:${index.toString(16)}::1`
  const users = Array.from(
    { length: 60 },
    async (_, index) => (await signInAnonymously(world, from(address(index)))).token,
  )
  const tokens = await Promise.all(users)
  const before = pagesOpened()
  const begun = Date.now()
  const callers = [...tokens, ...tokens]
  const counts: Record<string, number> = {}
  for (let first = 0; first < callers.length; first += 20) {
    const some = callers.slice(first, first + 20).map((token, index) => open(token, address(first + index)))
    for (const [status, times] of Object.entries(await counted(some))) counts[status] = (counts[status] ?? 0) + times
  }
  // One is refilled each six seconds.
  const refilled = Math.floor((Date.now() - begun) / 6_000)
  expect(counts[200]).toBeGreaterThanOrEqual(100)
  expect(counts[200]).toBeLessThanOrEqual(100 + refilled)
  expect(counts[429]).toBe(120 - counts[200]!)
  expect(pagesOpened() - before).toBe(counts[200])
  parseOpened(await open(await someToken()))
})

test('a paywall opens 10,000 pages in ten minutes for its users, then three to each network; an owner is not counted', async () => {
  const token = await someToken()
  parseOpened(await open(token))
  const consumed = (count: number) => setConsumed(world, 'pages', `paywall:${world.paywall.id}`, count)
  await consumed(9_999)
  const address = someAddress()
  for (let page = 0; page < 4; page++) parseOpened(await open(token, address))
  expect(await open(token, address)).toMatchObject(tooMany)
  expect(await open(await someToken(), address)).toMatchObject(tooMany)
  parseOpened(await open(await someToken()))
  const byOwner = { paywall: world.paywall, key: world.key, body: { email: newEmail() } }
  for (let page = 0; page < 12; page++) parseOpened(await startCheckout(world, byOwner))
  const other = await newTenant(world, {})
  const user = await signInAnonymously(world, { paywallId: other.paywall.id, ...from(someAddress()) })
  const body = { priceId: getPriceId(other.paywall, 'monthly') }
  parseOpened(
    await startCheckout(world, { paywall: other.paywall, token: user.token, headers: network(someAddress()), body }),
  )
  await consumed(0)
})
