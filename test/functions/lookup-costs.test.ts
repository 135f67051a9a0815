import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { Filler } from '../../bench/fill/insert.ts'
import { filledEmail, fillUsers } from '../../bench/fill/users.ts'
import { changeBalance, readUser, readUserBootstrap, signInForOwner } from '../../generated/calls.ts'
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
const token = {
  tokenUserId: USER_ID,
  tokenSessionId: randomUUID(),
  tokenAudience: OWNER_ID,
  paywallId: '1',
  host: 'a.example',
}

const CALLS: Record<string, (db: Database) => Promise<unknown>> = {
  'a read by address': (db) => readUser(db, { ...place, email: filledEmail(NUMBER) }),
  'a read by external id': (db) => readUser(db, { ...place, externalId: `shop-${NUMBER}` }),
  'a read by id': (db) => readUser(db, { ...place, userId: USER_ID }),
  'a read by token': (db) => readUser(db, token),
  'a bootstrap by token': (db) => readUserBootstrap(db, token),
  'a debit by external id': (db) =>
    changeBalance(db, { ...place, externalId: `shop-${NUMBER}`, type: 'standard', delta: -1 }),
  'an exchange': (db) => signInForOwner(db, { ...place, ...session(), email: filledEmail(NUMBER) }),
  'an exchange that creates a user': (db) => signInForOwner(db, { ...place, ...session(), externalId: randomUUID() }),
  'reading all': (db) => db.call('select count(*) from users', []),
}

/** How many pages each call reads in a database with so many users of one owner. */
async function readPages(count: number): Promise<Record<string, number>> {
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
    await fillUsers(filler, { from: 1, to: count }, { paywallId: '1', priceId: PRICE_ID })
    await filler.run(
      `insert into payments (payment_id, purchase_id, paywall_id, acquiring, processor_payment, fact_id, kind, amount, currency, occurred_at)
       select gen_random_uuid(), id, paywall_id, acquiring, id, id, 'succeeded', 999, 'USD', created_at from purchases`,
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

test('looking up a user reads no more pages with fifty times as many users', async () => {
  const [before, after] = await Promise.all([200, 10_000].map(readPages))
  const costlier = Object.keys(after!).filter((name) => after![name]! > 1.2 * before![name]! + 10)
  expect(costlier, JSON.stringify({ before, after })).toEqual(['reading all'])
})
