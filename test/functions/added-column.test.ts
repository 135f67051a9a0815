import { beforeAll, expect, test } from 'vitest'
import { buy, newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { MESSAGE, sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// A migration runs before the Workers of its release are deployed. Until then the Workers of the previous release keep running, and
// their functions do not know a column that it added.

const world = useTestWorld()

beforeAll(async () => {
  const { rows } = await world.database.query<{ table: string }>(
    `select format('%I', tablename) as table from pg_tables where schemaname = 'public'`,
  )
  for (const { table } of rows) {
    await world.database.query(`alter table ${table} add column added_later text not null default 'new'`)
  }
})

test('functions still write to tables to which a column with a default was added', async () => {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key, email: newEmail() })
  expect(await userState(world, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  expect(await changeBalance(world, { user_id: userId })).toMatchObject({ status: 200 })
  const { token } = await signIn(world)
  ticketId(await sendForm(world, ticketForm(MESSAGE), { token }))
})
