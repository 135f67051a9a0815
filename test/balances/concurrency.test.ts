import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readRelease } from '../../cli/migrate/release.ts'
import type { Reply } from '../support/call.ts'
import { signIn } from '../support/exchange.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { countStatements } from '../support/statements.ts'
import { changeBalance, countReplies, readLedger, withdraw } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const many = <Result>(count: number, run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

const insufficient = (available: number) =>
  `400 {"error":"insufficient","available":${available},"code":"insufficient"}`

test('of 40 concurrent debits of 1 from a balance of 10, exactly 10 succeed and every refusal reports 0 available', async () => {
  for (let round = 0; round < 6; round++) {
    const { id: user_id } = await signIn(world)
    const type = round % 2 === 0 ? 'standard' : 'premium'
    if (type === 'premium') await changeBalance(world, { user_id, type, amount: 10 })
    const replies = await many(40, () => changeBalance(world, { user_id, type, op: 'debit' }))
    expect(countReplies(replies)).toEqual({ 200: 10, [insufficient(0)]: 30 })
    expect(await verifiedBalances(world, user_id)).toMatchObject({ [type]: 0 })
  }
})

test('of 40 concurrent debits of 3 from a balance of 10, three succeed and every refusal reports 1 available', async () => {
  const { id: user_id } = await signIn(world)
  const replies = await many(40, () => changeBalance(world, { user_id, op: 'debit', amount: 3 }))
  expect(countReplies(replies)).toEqual({ 200: 3, [insufficient(1)]: 37 })
})

test('40 concurrent credits to a balance that does not exist yet all count', async () => {
  for (let round = 0; round < 3; round++) {
    const { id: user_id } = await signIn(world)
    const replies = await many(40, () => changeBalance(world, { user_id, type: 'premium', amount: 2 }))
    expect(countReplies(replies)).toEqual({ 200: 40 })
    const counts = replies.map(({ body }) => Reflect.get(Object(body), 'count'))
    expect(counts.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, index) => 2 * index + 2),
    )
    expect(await verifiedBalances(world, user_id)).toEqual({ premium: 80, standard: 10 })
  }
})

test('concurrent credits, debits and reads at the start of a day top up once and lose nothing', async () => {
  for (let round = 0; round < 5; round++) {
    const { id: user_id } = await signIn(world)
    if (round > 0) {
      await changeBalance(world, { user_id, op: 'debit', amount: round })
      await world.clock.advance(world.paywall.id, '1d')
    }
    const before = (await readLedger(world, user_id)).length
    const replies = await many(40, async (index) => {
      if (index % 4 === 0) return changeBalance(world, { user_id, amount: 2 })
      if (index % 4 === 1) return changeBalance(world, { user_id, op: 'debit' })
      if (index % 4 === 2) return withdraw(world, { user_id })
      await userState(world, user_id)
      return null
    })
    // The balance starts at 10, 20 are credited meanwhile, and up to 20 are debited one by one. In any order, a debit may be
    // refused only when the balance is 0, and must report that.
    const changes = replies.filter((reply) => reply !== null)
    const succeeded = changes.filter(({ status }) => status === 200).length
    const refused = changes.filter(({ status }) => status !== 200)
    expect(refused.filter(({ body }) => Reflect.get(Object(body), 'available') !== 0)).toEqual([])
    expect(succeeded + refused.length).toBe(30)
    expect(await verifiedBalances(world, user_id)).toEqual({ standard: 10 + 20 - (succeeded - 10) })
    const ledger = (await readLedger(world, user_id)).slice(before)
    expect(ledger.filter(([, reason]) => reason === 'top_up')).toEqual([
      ['standard', 'top_up', round === 0 ? 10 : round],
    ])
    expect(ledger[0]?.[1]).toBe('top_up')
  }
})

test('50 concurrent calls with one Idempotency-Key make one change, in at most 99 statements, and all get its reply', async () => {
  for (let round = 0; round < 3; round++) {
    const { id: user_id } = await signIn(world)
    const headers = { 'idempotency-key': randomUUID() }
    const replies: Awaited<ReturnType<typeof withdraw>>[] = []
    const statements = await countStatements(world, async () => {
      replies.push(...(await many(50, () => withdraw(world, { user_id, tokens: 4 }, { headers }))))
    })
    expect(countReplies(replies)).toEqual({ 200: 50 })
    expect(new Set(replies.map(({ body }) => JSON.stringify(body)))).toEqual(
      new Set(['{"success":true,"remaining":6}']),
    )
    expect(replies.filter((reply) => !reply.headers['idempotency-replayed'])).toHaveLength(1)
    expect(statements).toBeLessThanOrEqual(99)
    expect(await verifiedBalances(world, user_id)).toEqual({ standard: 6 })
  }
})

test('of two concurrent calls with one Idempotency-Key for different users, one succeeds and the other is refused', async () => {
  const users = [(await signIn(world)).id, (await signIn(world)).id]
  const headers = { 'idempotency-key': randomUUID() }
  const lock = (client: Client) => client.query('select from members where user_id = any ($1) for update', [users])
  const replies = await runWhileLocked(world, lock, 2, () =>
    many(2, (index) => changeBalance(world, { user_id: users[index], op: 'debit' }, { headers })),
  )
  const reused = '409 {"error":"idempotency_key_reused","code":"idempotency_key_reused"}'
  expect(countReplies(replies)).toEqual({ 200: 1, [reused]: 1 })
  const ledgers = await Promise.all(users.map((id) => readLedger(world, id)))
  expect(ledgers.map(({ length }) => length).toSorted()).toEqual([0, 2])
})

test('of two concurrent calls with one Idempotency-Key, the second waits and gets the reply of the first', async () => {
  const { id: user_id } = await signIn(world)
  const headers = { 'idempotency-key': randomUUID() }
  const lock = (client: Client) => client.query('select from members where user_id = $1 for update', [user_id])
  let replies: Reply[] = []
  const statements = await countStatements(world, async () => {
    replies = await runWhileLocked(world, lock, 2, () => many(2, () => changeBalance(world, { user_id }, { headers })))
  })
  expect(statements).toBe(2)
  expect(countReplies(replies)).toEqual({ 200: 2 })
  expect(replies.map(({ body }) => body)).toEqual([replies[0]!.body, replies[0]!.body])
  expect(await verifiedBalances(world, user_id)).toEqual({ standard: 11 })
})

test('calls concurrent with the sign-in of an anonymous user change the balance of the user it is merged into', async () => {
  const known = await signIn(world)
  const { user } = await signInAnonymously(world)
  await changeBalance(world, { user_id: user.id, type: 'premium', amount: 5 })
  const { name: release } = readRelease()
  const merge = async (client: Client) => {
    await client.query(`set local search_path = ${release}, public`)
    await client.query('select merge_member($1, $2, $3)', [world.paywall.id, user.id, known.id])
  }
  const replies = await runWhileLocked(world, merge, 2, () =>
    Promise.all([
      changeBalance(world, { user_id: user.id, type: 'premium', amount: 3 }),
      withdraw(world, { user_id: user.id, token_type: 'premium', tokens: 4 }),
    ]),
  )
  expect(countReplies(replies)).toEqual({ 200: 2 })
  expect(replies[0]).toMatchObject({ body: { user_id: known.id } })
  expect(await verifiedBalances(world, known.id)).toEqual({ premium: 4, standard: 10 })
  expect(await verifiedBalances(world, user.id)).toEqual({ premium: 0, standard: 0 })
})

type Client = { query(text: string, values?: unknown[]): Promise<unknown> }

/** Holds the locks of `hold` until `calls` statements wait for them, and then releases them. */
async function runWhileLocked<Result>(
  { database }: TestWorld,
  hold: (client: Client) => Promise<unknown>,
  calls: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await database.connect()
  try {
    await client.query('begin')
    await hold(client)
    const result = work()
    await until('all calls wait for it', async () => {
      const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
      return (await database.query(waiting)).rowCount === calls
    })
    await client.query('commit')
    return await result
  } finally {
    client.release()
  }
}
