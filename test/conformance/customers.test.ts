import { expect, test } from 'vitest'
import { withDatabase } from '../../cli/database.ts'
import { mergeUsers } from '../../cli/users/merge.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { readOwnerId } from '../support/owner-id.ts'
import { type Buyer, buy, open, pay } from './buyer.ts'
import { useShops } from './shop.ts'

// Which customer record of the processor a buyer gets.

const getShop = useShops()

/** The processor's customer of each purchase, oldest purchase first. */
async function readCustomers({ shop: { world }, userId }: Buyer): Promise<string[]> {
  const { rows } = await world.database.query<{ customer: string }>(
    'select processor_customer as customer from purchases where user_id = $1 order by created_at',
    [userId],
  )
  return rows.map(({ customer }) => customer)
}

test.each(PROCESSOR_NAMES)('%s: a buyer with two customer records keeps the later one', async (acquiring) => {
  const shop = getShop(acquiring)
  const older = await buy(shop)
  const newer = await buy(shop)
  const users = { ownerId: await readOwnerId(shop.world, shop.paywall.id), isTest: true }
  await withDatabase(shop.world.databaseUrl, (db) => mergeUsers(db, users, { from: older.userId, into: newer.userId }))
  await pay(await open(shop, 'lifetime', { email: newer.email, body: { ignoreActivePurchase: true } }))
  await shop.emulator.drainWebhooks()
  const [first, second, ...more] = await readCustomers(newer)
  expect(first).not.toBe(second)
  expect(more).toEqual([second])
})
