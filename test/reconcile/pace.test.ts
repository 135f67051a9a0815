import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { open } from '../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../conformance/shop.ts'
import { press } from '../support/checkout.ts'
import { until } from '../support/until.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
let shop: Shop
let neighbour: Shop

// Chargebee allows 150 calls a minute. Reconcile uses a third of them, and counts each read as the most calls that it may need.
const READS_A_MINUTE = Math.floor(50 / DEFINITIONS.chargebee.calls.perRead)
const PAGES = 40

beforeAll(async () => {
  const sold = paywallAt('chargebee')
  world = await startTestWorld({
    rateLimited: true,
    file: { paywalls: [sold, { ...paywallAt('chargebee'), processor: sold.processor }] },
  })
  const [one, other] = world.file.paywalls
  shop = shopAt(world, one!, other!)
  neighbour = shopAt(world, other!, one!)
})
afterEach(() => {
  shop.emulator.onCall = undefined
  world.neon.onStatement = undefined
})
afterAll(async () => {
  await world.close()
})

/** Moves the service's time for both paywalls. Their account has one clock at the processor, which does not move. */
async function advanceMinutes(minutes: number): Promise<void> {
  await world.database.query('update paywalls set clock_offset = clock_offset + make_interval(mins => $1)', [minutes])
  await world.workers.scheduled('reconcile')
}

/** The number of calls that the account gets in each of the next minutes. */
async function countCallsPerMinute(minutes: number): Promise<number[]> {
  const counts: number[] = []
  for (let minute = 0; minute < minutes; minute++) {
    const before = shop.emulator.calls.length
    await advanceMinutes(1)
    counts.push(shop.emulator.calls.length - before)
  }
  return counts
}

const sum = (counts: number[]) => counts.reduce((one, other) => one + other, 0)

test("an account is polled no faster than its share of the processor's limit, through any of its paywalls", async () => {
  for (let page = 0; page < PAGES; page++) await open(page % 2 === 0 ? shop : neighbour)
  await advanceMinutes(13)
  const counts = await countCallsPerMinute(8)
  expect(Math.max(...counts)).toBeLessThanOrEqual(READS_A_MINUTE)
  expect(Math.max(...counts)).toBeGreaterThan(0)
  // None is skipped: each was read.
  expect(sum(counts)).toBeGreaterThanOrEqual(PAGES)
  const { rows } = await world.database.query('select from checkouts where polled_at is null')
  expect(rows).toEqual([])
})

test("checkouts take precedence: however many reads are due, most of the processor's limit is left to them", async () => {
  for (let page = 0; page < PAGES; page++) await open(page % 2 === 0 ? shop : neighbour)
  // Fewer than all of these pages and checkouts need together.
  await world.chargebee.setRateLimit(shop.paywall.id, { calls: 60, seconds: 60 })
  await advanceMinutes(16)
  for (let checkout = 0; checkout < 40; checkout++) await open(shop)
  await world.chargebee.setRateLimit(shop.paywall.id, 'none')
  expect(sum(await countCallsPerMinute(8))).toBeGreaterThanOrEqual(PAGES / 2)
})

test("no call is made before the processor's Retry-After, and reads that were due follow then", async () => {
  await open(shop)
  await open(neighbour)
  await advanceMinutes(13)
  shop.emulator.onCall = async () => ({
    status: 429,
    headers: { 'Retry-After': '290', 'Content-Type': 'application/json' },
    body: JSON.stringify({ api_error_code: 'api_request_limit_exceeded', message: 'wait' }),
  })
  const refused = await countCallsPerMinute(4)
  const first = refused.findIndex((count) => count > 0)
  expect(first).toBeGreaterThanOrEqual(0)
  expect(sum(refused.slice(first + 1))).toBe(0)
  shop.emulator.onCall = undefined
  expect(sum(await countCallsPerMinute(first + 1))).toBe(0)
  expect(sum(await countCallsPerMinute(3))).toBeGreaterThanOrEqual(2)
})

test('reads started by queue messages count against the share, and the cron makes up for those that were denied', async () => {
  const pages = await Promise.all(Array.from({ length: PAGES }, () => open(shop)))
  shop.emulator.onCall = async () => {
    throw new DroppedCall()
  }
  for (const { checkoutUrl } of pages) await press(checkoutUrl, 'pay')
  await shop.emulator.drainWebhooks()
  const [requested, granted] = [new Set<unknown>(), new Set<unknown>()]
  world.neon.onStatement = async ({ query, params }, run) => {
    const result = await run()
    if (!query.includes('take_pending_read')) return result
    const purchaseReference = params[3]
    requested.add(purchaseReference)
    if (result.rows[0]?.[0] !== null) granted.add(purchaseReference)
    return result
  }
  shop.emulator.onCall = undefined
  await until('the queue has brought every read', async () => requested.size >= PAGES)
  // A slow machine may take more than a minute.
  expect(granted.size).toBeLessThanOrEqual(2 * READS_A_MINUTE)
  await countCallsPerMinute(8)
  expect((await world.database.query('select from pending_events')).rowCount).toBe(0)
})
