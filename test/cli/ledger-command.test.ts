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

/** Looks at the ledger while one statement has spoilt it. */
async function verifySpoilt(spoil: string, mend: string) {
  await world.database.query(spoil, [userId])
  const verified = await verifyLedger(world.databaseUrl)
  await world.database.query(mend, [userId])
  return verified
}

const balance = (type: string) => `balance ${type} of user ${userId} on paywall ${world.paywall.id}`

test('prints how many balances are right', async () => {
  expect(await verifyLedger(world.databaseUrl)).toEqual({
    code: 0,
    out: 'OK: 2 balances match the sums of their 4 ledger rows.\n',
    err: '',
  })
})

test('names a balance that is not the sum of its rows, and fails', async () => {
  const verified = await verifySpoilt(
    "update balances set count = count + 1 where user_id = $1 and type = 'premium'",
    "update balances set count = count - 1 where user_id = $1 and type = 'premium'",
  )
  expect(verified).toEqual({
    code: 1,
    out: '',
    err: `paywall: ${balance('premium')} is 8, but its ledger adds up to 7\n`,
  })
})

test('names a balance without any row', async () => {
  const verified = await verifySpoilt(
    "insert into balances select paywall_id, user_id, 'gold', 3 from members where user_id = $1",
    "delete from balances where user_id = $1 and type = 'gold'",
  )
  expect(verified).toMatchObject({ code: 1, err: `paywall: ${balance('gold')} is 3, but its ledger adds up to 0\n` })
})

test('names the first row of a chain that is broken, even where the sum is right', async () => {
  const { rows } = await world.database.query(
    "select id from ledger where type = 'standard' order by id offset 1 limit 1",
  )
  const row = rows[0].id
  const verified = await verifySpoilt(
    `update ledger set count_after = 14 where user_id = $1 and id = ${row}`,
    `update ledger set count_after = 15 where user_id = $1 and id = ${row}`,
  )
  expect(verified).toMatchObject({
    code: 1,
    err: `paywall: ${balance('standard')}: ledger row ${row} records a count of 14 instead of 15\n`,
  })
})
