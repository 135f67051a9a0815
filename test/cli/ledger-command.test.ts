import { beforeAll, expect, test } from 'vitest'
import { signIn } from '../support/exchange.ts'
import { changeBalance } from '../support/token-calls.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let userId: string

beforeAll(async () => {
  userId = (await signIn(world)).id
  for (const amount of [5, 6]) await changeBalance(world, { user_id: userId, amount })
  await changeBalance(world, { user_id: userId, type: 'premium', amount: 7 })
})

/** Verifies the ledger after `corrupt`, and then restores it with `repair`. */
async function verifyCorrupted(corrupt: string, repair: string) {
  await world.database.query(corrupt, [userId])
  const verified = await verifyLedger(world.databaseUrl)
  await world.database.query(repair, [userId])
  return verified
}

const balance = (type: string) => `balance ${type} of user ${userId} on paywall ${world.paywall.id}`

test('prints how many balances match their ledger rows', async () => {
  expect(await verifyLedger(world.databaseUrl)).toEqual({
    code: 0,
    out: 'OK: 2 balances match the sums of their 4 ledger rows.\n',
    err: '',
  })
})

test('fails, and names a balance that is not the sum of its rows', async () => {
  const verified = await verifyCorrupted(
    "update balances set count = count + 1 where user_id = $1 and type = 'premium'",
    "update balances set count = count - 1 where user_id = $1 and type = 'premium'",
  )
  expect(verified).toEqual({
    code: 1,
    out: '',
    err: `paywall: ${balance('premium')} is 8, but its ledger adds up to 7\n`,
  })
})

test('names a balance without rows', async () => {
  const verified = await verifyCorrupted(
    "insert into balances select paywall_id, user_id, 'gold', 3 from members where user_id = $1",
    "delete from balances where user_id = $1 and type = 'gold'",
  )
  expect(verified).toMatchObject({ code: 1, err: `paywall: ${balance('gold')} is 3, but its ledger adds up to 0\n` })
})

test('names the first row with a wrong running count, even if the sum is right', async () => {
  const { rows } = await world.database.query(
    "select id from ledger where type = 'standard' order by id offset 1 limit 1",
  )
  const row = rows[0].id
  const verified = await verifyCorrupted(
    `update ledger set count_after = 14 where user_id = $1 and id = ${row}`,
    `update ledger set count_after = 15 where user_id = $1 and id = ${row}`,
  )
  expect(verified).toMatchObject({
    code: 1,
    err: `paywall: ${balance('standard')}: ledger row ${row} records a count of 14 instead of 15\n`,
  })
})
