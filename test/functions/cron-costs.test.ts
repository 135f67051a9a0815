import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { Filler } from '../../bench/fill/insert.ts'
import {
  leaseDeliveries,
  oldestDue,
  purgeCheckouts,
  purgeExpired,
  purgeUsers,
  recordDelivery,
  takeDue,
} from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import {
  fillAbandonedUsers,
  fillBehindMany,
  fillBehindOne,
  fillExpired,
  fillNotDue,
  fillOverdue,
  LEASED,
} from '../support/backlog.ts'
import { freshDatabase } from '../support/databases.ts'
import { pageReads } from '../support/page-reads.ts'

type Fill = (filler: Filler, count: number) => Promise<void>
type Calls = Record<string, (db: Database) => Promise<unknown>>

/** Indexes get one more level, so each lookup reads one more page. */
const mostPages = (before: number) => 1.2 * before + 10

/** Starts in the middle of the webhook endpoints and may wrap around. */
const cursor = {
  after: '80000000-0000-4000-8000-000000000000',
  until: '80000000-0000-4000-8000-000000000000',
  recent: [],
}

const DELIVERY_CALLS: Calls = {
  lease: (db) => leaseDeliveries(db, { holder: randomUUID(), count: 5, failingCount: 2, ...cursor }),
  'the oldest due': (db) => oldestDue(db, {}),
}
/** Ends the delivery, after which the next one about the same user is due. */
const record: Calls[string] = (db) =>
  recordDelivery(db, { ...LEASED, state: 'delivered', retryInSeconds: 0, disable: false, milliseconds: 1 })

/** These process as few rows as possible, so most of the pages they read are overhead. */
const takeOne: Calls = { take: (db) => takeDue(db, { count: 1, after: '5', until: '5' }) }
const purgeOne: Calls = { purge: (db) => purgeExpired(db, { count: 1 }) }
const purgeSome: Calls = {
  'purge checkouts': (db) => purgeCheckouts(db, { count: 10 }),
  'purge users': (db) => purgeUsers(db, { count: 10 }),
}

describe('the calls of a cron read no more pages with fifty times the backlog:', () => {
  test.each<[what: string, fill: Fill, few: number, table: string, calls: Calls]>([
    ['deliveries at one dead webhook endpoint', fillBehindOne, 1_000, 'deliveries', { ...DELIVERY_CALLS, record }],
    ['deliveries at 500 webhook endpoints', fillBehindMany, 1_000, 'deliveries', DELIVERY_CALLS],
    ['purchases that reconcile should fetch', fillOverdue, 100, 'purchases', takeOne],
    ['purchases of 500 paywalls that reconcile will fetch later', fillNotDue, 1_000, 'purchases', takeOne],
    ['expired rows', fillExpired, 600, 'sign_in_challenges', purgeOne],
    ['users who did not come back', fillAbandonedUsers, 600, 'users', purgeSome],
  ])('%s', async (_what, fill, few, table, calls) => {
    const readingAll: Calls[string] = (db) => db.call(`select count(*) from ${table}`, [])
    const [before, after] = await Promise.all(
      [few, 50 * few].map((count) => readPages({ ...calls, readingAll }, fill, count)),
    )
    const costlier = Object.keys(after!).filter((name) => after![name]! > mostPages(before![name]!))
    expect(costlier, JSON.stringify({ before, after })).toEqual(['readingAll'])
  })
})

/** How many pages each call reads in a database that was filled. */
async function readPages(calls: Calls, fill: Fill, count: number): Promise<Record<string, number>> {
  const databaseUrl = await freshDatabase()
  {
    await using filler = await Filler.open(databaseUrl)
    await fill(filler, count)
    await filler.vacuum()
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const pages: Record<string, number> = {}
  for (const [name, call] of Object.entries(calls)) pages[name] = await pageReads(client, call)
  await client.end()
  return pages
}
