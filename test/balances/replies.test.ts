import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { signIn } from '../support/exchange.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { countStatements, isCallStatement } from '../support/statements.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { changeBalance, readLedger, withdraw } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let other: Tenant

beforeAll(async () => {
  other = tenant(await paywallFile())
  await world.apply(other.file)
})

const newKey = () => ({ headers: { 'idempotency-key': randomUUID() } })
const replayed = { 'idempotency-replayed': 'true' }
const reused = { status: 409, body: { error: 'idempotency_key_reused' } }

test('a credit repeated with its Idempotency-Key gets the first reply and changes nothing, in one statement', async () => {
  const { id: user_id } = await signIn(world)
  const key = newKey()
  const first = await changeBalance(world, { user_id, amount: 5 }, key)
  expect(first).toMatchObject({ status: 200, body: { count: 15 } })
  expect(first.headers).not.toHaveProperty('idempotency-replayed')
  await changeBalance(world, { user_id, amount: 100 })

  const quoted = { headers: { 'idempotency-key': `"${key.headers['idempotency-key'].toUpperCase()}"` } }
  for (const again of [key, quoted]) {
    const statements = await countStatements(world, async () => {
      const reply = await changeBalance(world, { user_id, amount: 5 }, again)
      expect(reply).toMatchObject({ status: 200, body: first.body, headers: replayed })
    })
    expect(statements).toBe(1)
  }
  expect(await readLedger(world, user_id)).toHaveLength(3)
})

test('a withdrawal repeated with its Idempotency-Key gets the first reply and changes nothing', async () => {
  const { id: user_id } = await signIn(world)
  const key = newKey()
  expect(await withdraw(world, { user_id, tokens: 3 }, key)).toMatchObject({ body: { success: true, remaining: 7 } })
  const again = await withdraw(world, { user_id, tokens: 3 }, key)
  expect(again).toMatchObject({ status: 200, body: { success: true, remaining: 7 }, headers: replayed })
  expect(await readLedger(world, user_id)).toHaveLength(2)
})

test('the same key with another body, user or endpoint is refused, and changes nothing', async () => {
  const [one, two] = [await signIn(world), await signIn(world)]
  const key = newKey()
  await changeBalance(world, { user_id: one.id, op: 'debit' }, key)
  expect(await changeBalance(world, { user_id: one.id, op: 'debit', amount: 2 }, key)).toMatchObject(reused)
  expect(await changeBalance(world, { user_id: two.id, op: 'debit' }, key)).toMatchObject(reused)
  expect(await withdraw(world, { user_id: one.id }, key)).toMatchObject(reused)
  expect(await readLedger(world, two.id)).toEqual([])
  expect(await readLedger(world, one.id)).toHaveLength(2)
})

test('a key belongs to its paywall: another owner can use the same one, and does not see its reply', async () => {
  const { id: user_id } = await signIn(world)
  const theirs = await signIn(world, { paywallId: other.paywall.id, key: other.key })
  const key = newKey()
  await changeBalance(world, { user_id }, key)
  expect(await changeBalance(world, { user_id }, { ...key, key: other.key })).toMatchObject({ status: 403 })
  const own = { ...key, key: other.key, paywallId: other.paywall.id }
  const reply = await changeBalance(world, { user_id: theirs.id }, own)
  expect(reply).toMatchObject({ status: 200, body: { user_id: theirs.id } })
})

test('a refusal is not stored: the same call may succeed later', async () => {
  const { id: user_id } = await signIn(world)
  const key = newKey()
  const debit = { user_id, op: 'debit', amount: 12 }
  expect(await changeBalance(world, debit, key)).toMatchObject({ status: 400, body: { available: 10 } })
  await changeBalance(world, { user_id, amount: 2 })
  expect(await changeBalance(world, debit, key)).toMatchObject({ status: 200, body: { count: 0 } })
  expect(await changeBalance(world, debit, key)).toMatchObject({ status: 200, headers: replayed })
})

test('a key can be reused after 24 hours', async () => {
  const { id: user_id } = await signIn(world)
  const key = newKey()
  const advance = (time: string) => world.clock.advance(world.paywall.id, time)
  await changeBalance(world, { user_id }, key)
  await advance('1439m')
  expect(await changeBalance(world, { user_id }, key)).toMatchObject({ body: { count: 11 }, headers: replayed })
  await advance('1m')
  const other = await changeBalance(world, { user_id, amount: 4 }, key)
  expect(other).toMatchObject({ status: 200, body: { count: 15 } })
  expect(other.headers).not.toHaveProperty('idempotency-replayed')
  expect(await changeBalance(world, { user_id, amount: 4 }, key)).toMatchObject({ headers: replayed })
})

test.each(['before', 'after'])('when the response is lost %s the statement ran, nothing is retried', async (when) => {
  const { id: user_id } = await signIn(world)
  const key = newKey()
  let statements = 0
  world.neon.onStatement = async (statement, run) => {
    if (!isCallStatement(statement)) return run()
    statements += 1
    if (when === 'after') await run()
    throw new ResponseLost()
  }
  const lost = await changeBalance(world, { user_id, op: 'debit' }, key)
  world.neon.onStatement = undefined
  expect(lost).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    body: { error: 'database_unavailable', code: 'database_unavailable' },
  })
  expect(statements).toBe(1)

  const again = await changeBalance(world, { user_id, op: 'debit' }, key)
  expect(again).toMatchObject({ status: 200, body: { count: 9 }, headers: when === 'after' ? replayed : {} })
  expect(await readLedger(world, user_id)).toEqual([
    ['standard', 'top_up', 10],
    ['standard', 'debit', -1],
  ])
})
