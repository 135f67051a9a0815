import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Postgres } from '../../dev/world/database/postgres.ts'
import { preparedDatabase, startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail, type Opened, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { deliverAfterCrash, findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

const BUYERS = 60
/** How many of them pay at a time: each payment makes Stripe send half a dozen webhooks at once. */
const PAYING = 25
/** A start-checkout at its longest: the wait for another, two database calls and two calls to Stripe, up to their timeouts. */
const LONGEST_REQUEST_MS = 40_000

let postgres: Postgres
let world: TestWorld

beforeAll(async () => {
  postgres = await startScratchPostgres()
  const databaseUrl = await preparedDatabase(postgres, 'killed', inject('databaseRolesKey'))
  world = await startTestWorld({ databaseUrl, checkoutLeaseSeconds: 2 })
})
afterAll(async () => {
  await world.close()
  await postgres.stop()
})

const durations: number[] = []
let retries = 0

/** Repeats a request, as a careful client does, while it gets no response or one that asks to retry. */
async function retryUntilDone(request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const startedAt = Date.now()
    const reply = await request()
    durations.push(Date.now() - startedAt)
    const mustRetry = reply.status >= 502 || (reply.status === 409 && reply.headers['retry-after'] !== undefined)
    if (!mustRetry) return reply
    retries += 1
    await delay(100 + Math.random() * 200)
  }
}

/** Statements that write, and the number of the call of each during which Postgres is killed. */
const KILL_POINTS = [
  { text: 'claim_checkout', number: 15 },
  { text: 'record_checkout', number: 30 },
  { text: 'store_purchase', number: 60 },
]

/** Kills Postgres during each of these calls. Returns a function that returns the number of kills so far. */
function killDuringStatements(): () => number {
  const counts = new Map<string, number>()
  let kills = 0
  world.neon.onStatement = async ({ query }, run) => {
    const killPoint = KILL_POINTS.find(({ text }) => query.includes(text))
    const number = killPoint ? (counts.get(killPoint.text) ?? 0) + 1 : 0
    if (killPoint) counts.set(killPoint.text, number)
    if (!killPoint || number !== killPoint.number) return run()
    kills += 1
    const [result] = await Promise.allSettled([run(), postgres.kill()])
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return () => kills
}

test('Postgres is killed while 60 users buy: nothing acknowledged is lost, nothing is done twice', async () => {
  const kills = killDuringStatements()
  const acknowledged: Opened[] = []
  const returned: Reply[] = []
  async function open(): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() }
    const order = { paywall: world.paywall, key: world.key, headers, body: { email: newEmail() } }
    acknowledged.push(parseOpened(await retryUntilDone(() => startCheckout(world, order))))
  }
  async function payAll(pages: Iterator<Opened>): Promise<void> {
    for (let page = pages.next(); !page.done; page = pages.next()) {
      const returnUrl = await press(page.value.checkoutUrl, 'pay')
      returned.push(await retryUntilDone(() => call(world, returnUrl)))
    }
  }
  await Promise.all(Array.from({ length: BUYERS }, open))
  const pages = acknowledged.values()
  await Promise.all(Array.from({ length: PAYING }, () => payAll(pages)))
  await world.stripe.drainWebhooks()
  await deliverAfterCrash(world)

  expect(returned.filter(({ status }) => status !== 303)).toEqual([])
  expect(kills()).toBe(KILL_POINTS.length)
  expect(retries).toBeGreaterThan(0)
  expect(Math.max(...durations)).toBeLessThan(LONGEST_REQUEST_MS)
  expect(world.stripe.checkoutSessions).toHaveLength(BUYERS)
  const { rows } = await world.database.query<{ url: string }>(
    'select url from checkouts join checkout_claims on checkout_id = id where opened and completed_at is not null',
  )
  expect(rows.map(({ url }) => url).toSorted()).toEqual(acknowledged.map(({ checkoutUrl }) => checkoutUrl).toSorted())

  for (const { userId } of acknowledged) {
    const { purchases } = await userState(world, userId)
    expect(purchases).toMatchObject([{ status: 'active' }])
    expect((await verifiedBalances(world, userId)).standard).toBe(100)
    const events = await ownerEvents(world, userId)
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'checkout.completed',
      'payment.succeeded',
      'subscription.created',
    ])
    expect(findSequenceErrors(events, { crashed: true })).toEqual([])
  }
}, 180_000)
