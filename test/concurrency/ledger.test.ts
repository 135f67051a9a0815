import { randomInt, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { signIn } from '../support/exchange.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { verifiedBalances } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { useTestWorld } from '../support/world.ts'

const OPERATIONS = FULL_SIZE ? 10_000 : 500
const CALLERS = 40
const USERS = 50

const world = useTestWorld()

/** The balances that each user must have, according to the replies. */
type Expected = Map<string, { standard: number; premium: number }>

/** Makes one or two random calls for a random user. Counts those that succeed and are not replays. */
async function operate(users: string[], expected: Expected): Promise<Reply[]> {
  const user_id = users[randomInt(users.length)]!
  const type = randomInt(3) === 0 ? 'premium' : 'standard'
  const amount = randomInt(1, 8)
  const count = async (call: Promise<Reply>, delta: number) => {
    const reply = await call
    if (reply.status === 200 && !reply.headers['idempotency-replayed']) expected.get(user_id)![type] += delta
    return reply
  }
  const credit = (headers = {}) => count(changeBalance(world, { user_id, type, amount }, { headers }), amount)
  const debit = () => count(changeBalance(world, { user_id, type, op: 'debit', amount }), -amount)
  const withdrawal = () => count(withdraw(world, { user_id, token_type: type, tokens: amount }), -amount)
  const read = () => call(world, `/api/v1/paywall/${world.paywall.id}/user?user_id=${user_id}`, { key: world.key })
  const headers = { 'idempotency-key': randomUUID() }

  const kind = randomInt(10)
  if (kind < 4) return [await credit()]
  if (kind < 7) return [await debit()]
  if (kind < 8) return [await withdrawal()]
  return kind < 9 ? [await read()] : Promise.all([credit(headers), credit(headers)])
}

test(`${OPERATIONS} mixed operations by ${CALLERS} callers leave every balance exact`, {
  timeout: 180_000,
}, async () => {
  const users = await Promise.all(Array.from({ length: USERS }, async () => (await signIn(world)).id))
  const expected: Expected = new Map(users.map((id) => [id, { standard: 10, premium: 0 }]))
  const replies: Reply[] = []
  const calling = async () => {
    while (replies.length < OPERATIONS) replies.push(...(await operate(users, expected)))
  }
  await Promise.all(Array.from({ length: CALLERS }, calling))

  expect(replies.filter(({ status }) => status !== 200 && status !== 400)).toEqual([])
  expect(replies.filter(({ headers }) => headers['idempotency-replayed']).length).toBeGreaterThan(OPERATIONS / 40)
  for (const id of users) {
    // A user whose calls all failed has no daily tokens yet: the first call that succeeds grants them.
    expect(await changeBalance(world, { user_id: id, type: 'standard', amount: 1 })).toMatchObject({ status: 200 })
    expected.get(id)!.standard += 1
    expect({ premium: 0, ...(await verifiedBalances(world, id)) }).toEqual(expected.get(id))
  }
  expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0, err: '' })
})
