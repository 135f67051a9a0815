import { expect, test } from 'vitest'
import { withClient } from '../../cli/database.ts'
import type { Reply } from '../support/call.ts'
import { signIn } from '../support/exchange.ts'
import { changeBalance, readLedger } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

/**
 * The local Neon proxy has 40 connections. The first 40 credits wait for the row until the database times them out after
 * 2 s. The next 40 then do the same, but after 4 s their Workers time out, too. The last 20 never get a connection.
 */
const CREDITS = 100
const CONNECTIONS = 40

const UNKNOWN = 'It is unknown whether the balance changed: read it before you retry'

const world = useTestWorld({ file: { webhooks: [] } })

/** Connections of Workers: how many run a statement, or wait in one; and how many the Worker has that credits. */
async function countConnections(): Promise<{ busy: number; crediting: number }> {
  const { rows } = await world.database.query<{ busy: number; crediting: number }>(
    `select count(*) filter (where state <> 'idle')::int as busy,
       count(*) filter (where usename like 'paywall_balances%')::int as crediting
     from pg_stat_activity where datname = current_database() and usename like 'paywall_%'`,
  )
  return rows[0]!
}

/**
 * The pool opens one connection after the other: for 40 that can take longer than the first ones wait for a lock. In production they are
 * open.
 */
async function openConnections(credit: () => Promise<unknown>): Promise<void> {
  await until('every connection is open', async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, credit))
    const { busy, crediting } = await countConnections()
    return crediting === CONNECTIONS && busy === 0
  })
}

test('of 100 credits behind a locked row, those answered with Retry-After credit nothing, and no statement keeps running', async () => {
  const { id } = await signIn(world)
  const replies = await withClient(world.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select from members where user_id = $1 for update', [id])
    await openConnections(() => changeBalance(world, { user_id: id, amount: 5000, type: 'premium' }))
    // Each adds another amount, which identifies its ledger row.
    const amounts = Array.from({ length: CREDITS }, (_, index) => index + 1)
    const credit = async (amount: number) => ({
      amount,
      reply: await changeBalance(world, { user_id: id, amount, type: 'premium' }),
    })
    const first = amounts.slice(0, CONNECTIONS).map(credit)
    await until('every connection waits for the row', async () => (await countConnections()).busy === CONNECTIONS)
    const answers = await Promise.all([...first, ...amounts.slice(CONNECTIONS).map(credit)])
    await until('no statement of a Worker under way', async () => (await countConnections()).busy === 0)
    await client.query('commit')
    return answers
  })

  const isRepeatable = ({ headers }: Reply) => headers['retry-after'] !== undefined
  const [repeatable, unknown] = [true, false].map((expected) =>
    replies.filter(({ reply }) => isRepeatable(reply) === expected),
  )
  for (const { reply } of repeatable!) {
    expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
    expect(reply.body).not.toMatchObject({ message: UNKNOWN })
  }
  for (const { reply } of unknown!) {
    expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable', message: UNKNOWN } })
  }
  expect(repeatable!.length).toBeGreaterThanOrEqual(40)
  expect(unknown!.length).toBeGreaterThanOrEqual(20)

  const repeated = { user_id: id, amount: 1000, type: 'premium' }
  expect(await changeBalance(world, repeated)).toMatchObject({ status: 200 })
  const credited = (await readLedger(world, id)).filter(([type]) => type === 'premium').map(([, , delta]) => delta)
  const repeatableAmounts = repeatable!.map(({ amount }) => amount)
  expect(credited.filter((amount) => repeatableAmounts.includes(amount))).toEqual([])
  expect(credited).toEqual([1000])
})
