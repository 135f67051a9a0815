import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { countStatements } from '../support/statements.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

/** The bytes of a response, and whether it is marked as a replay. */
async function post(path: string, body: object, headers: Record<string, string>) {
  const response = await world.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': world.key, ...headers },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    isReplay: response.headers.has('idempotency-replayed'),
    text: await response.text(),
  }
}

test('a replay of start-checkout is byte-identical to the first reply, from KV and from Postgres', async () => {
  const { paywall } = world
  const body = {
    email: newEmail(),
    priceId: getPriceId(paywall, 'monthly'),
    successUrl: 'https://owner.example/a',
    errorUrl: 'https://owner.example/b',
  }
  const path = `/api/v1/paywall/${paywall.id}/start-checkout`
  const headers = { 'idempotency-key': randomUUID() }
  const first = await post(path, body, headers)
  expect(first).toMatchObject({ status: 200, isReplay: false })
  const repeat = async () => {
    let reply = first
    const statements = await countStatements(world, async () => {
      reply = await post(path, body, headers)
    })
    return { statements, ...reply }
  }
  expect(await repeat()).toEqual({ statements: 0, ...first, isReplay: true })

  const kv = await world.workers.kv('start-checkout', 'CHECKOUT_REPLIES')
  for (const { name } of (await kv.list()).keys) await kv.delete(name)
  expect(await repeat()).toEqual({ statements: 1, ...first, isReplay: true })
})

test.each(['balances', 'withdraw-tokens'])('a replay of %s is byte-identical to the first reply', async (endpoint) => {
  const { id: user_id } = await signIn(world)
  const headers = { 'idempotency-key': randomUUID() }
  const isChange = endpoint === 'balances'
  const path = isChange ? `/api/v1/paywall/${world.paywall.id}/balances` : '/api/v1/withdraw-tokens'
  const body = isChange
    ? { user_id, op: 'credit', amount: 5, type: 'standard' }
    : { user_id, paywall_id: world.paywall.id, tokens: 1 }
  const first = await post(path, body, headers)
  expect(first).toMatchObject({ status: 200, isReplay: false })
  expect(await post(path, body, headers)).toEqual({ ...first, isReplay: true })
})
