import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { Filler } from '../../bench/fill/insert.ts'
import { filledEmail, fillUsers } from '../../bench/fill/users.ts'
import {
  changeBalance,
  findReceipt,
  listPayments,
  readUser,
  readUserBootstrap,
  signInForOwner,
} from '../../generated/calls.ts'
import type { Database } from '../../lib/db/connect.ts'
import { freshDatabase } from '../support/databases.ts'
import { pageReads } from '../support/page-reads.ts'

// Users are looked up thousands of times a second, by e-mail address, user id, external id or token.

const KEY_HASH = createHash('sha256').update('key').digest('hex')
const OWNER_ID = randomUUID()
const place = { keyHash: KEY_HASH, paywallId: '1', host: 'a.example' }
const session = () => ({ sessionId: randomUUID(), tokenHash: KEY_HASH, tokenDays: 30 })
const PRICE_ID = `price_${'0'.repeat(24)}`
const NUMBER = 7
const USER_ID = 'f0000000-0000-4000-8000-000000000007'
const PURCHASE_ID = 'f2000000-0000-4000-8000-000000000007'
const SESSION_ID = randomUUID()
const token = {
  tokenUserId: USER_ID,
  tokenSessionId: SESSION_ID,
  tokenAudience: `${OWNER_ID}:test`,
  paywallId: '1',
  host: 'a.example',
}

const CALLS: Record<string, (db: Database) => Promise<unknown>> = {
  'a read by address': (db) => readUser(db, { ...place, email: filledEmail(NUMBER) }),
  'a read by external id': (db) => readUser(db, { ...place, externalId: `shop-${NUMBER}` }),
  'a read by id': (db) => readUser(db, { ...place, userId: USER_ID }),
  'a read by token': (db) => readUser(db, token),
  'a bootstrap by token': (db) => readUserBootstrap(db, token),
  'a list of payments': (db) => listPayments(db, token),
  'a receipt': (db) => findReceipt(db, { ...token, payment: randomUUID() }),
  'a debit by external id': (db) =>
    changeBalance(db, { ...place, externalId: `shop-${NUMBER}`, type: 'standard', delta: -1 }),
  'an exchange': (db) => signInForOwner(db, { ...place, ...session(), email: filledEmail(NUMBER) }),
  'an exchange that creates a user': (db) => signInForOwner(db, { ...place, ...session(), externalId: randomUUID() }),
  'reading all': (db) => db.call('select count(*) from users', []),
}

/** How many pages each call reads in a database with so many users of one owner, of whom the token's user has made so many payments. */
async function readPages({ users, payments }: { users: number; payments: number }): Promise<Record<string, number>> {
  const databaseUrl = await freshDatabase()
  {
    await using filler = await Filler.open(databaseUrl)
    await filler.run('insert into owners (id, email) values ($1, $2)', [OWNER_ID, 'owner@many.example'])
    await filler.run('insert into api_keys (owner_id, name, key_hash, is_test) values ($1, $2, $3, true)', [
      OWNER_ID,
      'backend',
      KEY_HASH,
    ])
    await filler.run(
      `insert into paywalls (id, owner_id, name, is_test, acquiring, settings, geo, offers, layout, locales)
       values ('1', $1, 'Many', true, 'stripe', '{"tokenization_queries": [{"type": "standard"}]}', '{}', '[]', '{}', '{}')`,
      [OWNER_ID],
    )
    await filler.run(
      `insert into prices (id, paywall_id, slug, label, currency, amount, interval, interval_count, trial_days, processor_price,
         locals, tokens, position) values ($1, '1', 'monthly', 'Monthly', 'USD', 999, 'month', 1, 0, 'price', '[]', '[]', 0)`,
      [PRICE_ID],
    )
    await fillUsers(filler, { from: 1, to: users }, { paywallId: '1', priceId: PRICE_ID })
    await filler.run(
      `insert into payments (payment_id, purchase_id, paywall_id, acquiring, processor_payment, fact_id, kind, amount, currency, occurred_at)
       select gen_random_uuid(), id, paywall_id, acquiring, id, id, 'succeeded', 999, 'USD', created_at from purchases`,
    )
    await filler.run(
      `insert into payments (payment_id, purchase_id, paywall_id, acquiring, processor_payment, fact_id, kind, amount, currency, occurred_at)
       select gen_random_uuid(), purchase_id, paywall_id, acquiring, fact_id || n, fact_id || n, 'succeeded', 999, 'USD',
         occurred_at - n * interval '1 day'
       from payments, generate_series(2, $1) n where purchase_id = $2`,
      [payments, PURCHASE_ID],
    )
    await filler.run(
      `insert into sign_in_sessions (id, paywall_id, user_id, token_hash, expires_at) values ($1, '1', $2, $3, now() + interval '1 day')`,
      [SESSION_ID, USER_ID, '0'.repeat(64)],
    )
    await filler.run(`update users set external_id = 'shop-' || substring(email from '\\d+')`)
    await filler.vacuum()
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const pages: Record<string, number> = {}
  for (const [name, call] of Object.entries(CALLS)) pages[name] = await pageReads(client, call)
  await client.end()
  return pages
}

/** The calls that read more in the second database than in the first. */
async function findCostlier(
  ...databases: Parameters<typeof readPages>[0][]
): Promise<{ costlier: string[]; seen: string }> {
  const [before, after] = await Promise.all(databases.map(readPages))
  const costlier = Object.keys(after!).filter((name) => after![name]! > 1.2 * before![name]! + 10)
  return { costlier, seen: JSON.stringify({ before, after }) }
}

test('looking up a user reads no more pages with fifty times as many users', async () => {
  const { costlier, seen } = await findCostlier({ users: 200, payments: 1 }, { users: 10_000, payments: 1 })
  expect(costlier, seen).toEqual(['reading all'])
})

test('the latest payments and the last one are read without those before them', async () => {
  const { costlier, seen } = await findCostlier({ users: 200, payments: 50 }, { users: 200, payments: 2_500 })
  expect(costlier, seen).toEqual(['a receipt'])
})
