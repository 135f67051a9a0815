import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Postgres } from '../../dev/world/database/postgres.ts'
import { preparedDatabase, startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail, type Opened, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { ownerEvents, sequenceFaults, tellAfterCrash } from '../support/owner-events.ts'
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

/** What a careful client does: the same request again, while there is no answer or one that says "not now". */
async function persist(request: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const startedAt = Date.now()
    const reply = await request()
    durations.push(Date.now() - startedAt)
    const notNow = reply.status >= 502 || (reply.status === 409 && reply.headers['retry-after'] !== undefined)
    if (!notNow) return reply
    retries += 1
    await delay(100 + Math.random() * 200)
  }
}

/** Calls that write. Postgres is killed during the one of each kind that has this number. */
const LAST_STATEMENTS = [
  { text: 'claim_checkout', number: 15 },
  { text: 'record_checkout', number: 30 },
  { text: 'store_purchase', number: 60 },
]

/** Kills Postgres each time that one of these statements has been sent. Resolves to the number of kills so far. */
function killDuringStatements(): () => number {
  const counts = new Map<string, number>()
  let kills = 0
  world.neon.onStatement = async ({ query }, run) => {
    const last = LAST_STATEMENTS.find(({ text }) => query.includes(text))
    const number = last ? (counts.get(last.text) ?? 0) + 1 : 0
    if (last) counts.set(last.text, number)
    if (!last || number !== last.number) return run()
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
    acknowledged.push(parseOpened(await persist(() => startCheckout(world, order))))
  }
  async function payAll(pages: Iterator<Opened>): Promise<void> {
    for (let page = pages.next(); !page.done; page = pages.next()) {
      const back = await press(page.value.checkoutUrl, 'pay')
      returned.push(await persist(() => call(world, back)))
    }
  }
  await Promise.all(Array.from({ length: BUYERS }, open))
  const pages = acknowledged.values()
  await Promise.all(Array.from({ length: PAYING }, () => payAll(pages)))
  await world.stripe.drainWebhooks()
  await tellAfterCrash(world)

  expect(returned.filter(({ status }) => status !== 303)).toEqual([])
  expect(kills()).toBe(LAST_STATEMENTS.length)
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
    expect(sequenceFaults(events, { crashed: true })).toEqual([])
  }
}, 180_000)
