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

/** Indexes get a level more, and each way down them is a page longer. */
const mostPages = (before: number) => 1.2 * before + 10

/** It begins among the webhook endpoints and may go all round. */
const round = {
  after: '80000000-0000-4000-8000-000000000000',
  until: '80000000-0000-4000-8000-000000000000',
  recent: [],
}

const OF_DELIVERIES: Calls = {
  lease: (db) => leaseDeliveries(db, { holder: randomUUID(), count: 5, failingCount: 2, ...round }),
  'the oldest due': (db) => oldestDue(db, {}),
}
/** Where the delivery ends, the next about the same user takes its place. */
const record: Calls[string] = (db) =>
  recordDelivery(db, { ...LEASED, state: 'delivered', retryInSeconds: 0, disable: false })

/** They take as little as they can: so what they read besides is the most of it. */
const takeOne: Calls = { take: (db) => takeDue(db, { count: 1, after: '5', until: '5' }) }
const forgetOne: Calls = { forget: (db) => purgeExpired(db, { count: 1 }) }
const forgetSome: Calls = {
  'forget checkouts': (db) => purgeCheckouts(db, { count: 10 }),
  'forget users': (db) => purgeUsers(db, { count: 10 }),
}

describe('what a cron calls costs no more with fifty times as much to do', () => {
  test.each<[what: string, fill: Fill, few: number, table: string, calls: Calls]>([
    ['deliveries at one dead webhook endpoint', fillBehindOne, 1_000, 'deliveries', { ...OF_DELIVERIES, record }],
    ['deliveries at 500 webhook endpoints', fillBehindMany, 1_000, 'deliveries', OF_DELIVERIES],
    ['what reconcile should fetch', fillOverdue, 100, 'purchases', takeOne],
    ['what reconcile will fetch later, of 500 paywalls', fillNotDue, 1_000, 'purchases', takeOne],
    ['what has expired', fillExpired, 600, 'sign_in_challenges', forgetOne],
    ['users who did not come back', fillAbandonedUsers, 600, 'users', forgetSome],
  ])('%s', async (_what, fill, few, table, calls) => {
    const readingAll: Calls[string] = (db) => db.call(`select count(*) from ${table}`, [])
    const [before, after] = await Promise.all(
      [few, 50 * few].map((count) => readPages({ ...calls, readingAll }, fill, count)),
    )
    const dearer = Object.keys(after!).filter((name) => after![name]! > mostPages(before![name]!))
    expect(dearer, JSON.stringify({ before, after })).toEqual(['readingAll'])
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
