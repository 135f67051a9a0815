import { randomInt, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { findRoute } from '../../functions/gateway/routes.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { toRequest } from '../operations/request.ts'
import { refusal } from '../support/refusal.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })

const get = (path: string, headers: Record<string, string> = {}) =>
  world.fetch(`/api/v1/paywall/${world.paywall.id}/${path}`, { headers })

/** More than two periods allow, so that some are refused whenever the burst begins. */
const BURST = 250

async function burst(request: () => ReturnType<typeof world.fetch>, times = BURST) {
  const answers = await Promise.all(Array.from({ length: times }, request))
  const refused = answers.filter(({ status }) => status === 429)
  return { refused, statuses: new Set(answers.map(({ status }) => status)) }
}

test('a guest gets 429 after 100 requests in 10 seconds', async () => {
  const { refused, statuses } = await burst(() => get('bootstrap', { 'cf-connecting-ip': '2001:db8:0:6::1' }))
  expect(statuses).toEqual(new Set([200, 429]))
  expect(refused[0]!.headers.get('retry-after')).toBe('10')
  expect(await refused[0]!.json()).toEqual(refusal('rate_limit_exceeded'))
  const id = refused[0]!.headers.get('x-request-id') ?? 'none'
  const line = { level: 'info', message: 'request', method: 'GET', binding: 'BOOTSTRAP', paywall_id: world.paywall.id }
  await expect
    .poll(() => world.logs.flatMap(({ message }) => (message.includes(id) ? [JSON.parse(message)] : [])))
    .toEqual([{ ...line, request_id: id, status: 429, refusal: 'rate_limited' }])
})

test('balances returns the error in both `error` and `code`', async () => {
  const path = `/api/v1/paywall/${world.paywall.id}/balances`
  const headers = { 'cf-connecting-ip': '2001:db8:0:a::1' }
  const { refused } = await burst(() => world.fetch(path, { method: 'POST', body: '{}', headers }))
  expect(await refused[0]!.json()).toEqual(refusal('rate_limit_exceeded', { code: 'rate_limit_exceeded' }))
})

test('requests with one user token limit neither another user token nor an owner key', async () => {
  const { statuses } = await burst(() => get('user', { authorization: 'Bearer one' }))
  expect(statuses).toEqual(new Set([401, 429]))
  expect((await get('user', { authorization: 'Bearer other' })).status).toBe(401)
  const owner = await burst(() => get('user?email=nobody@example.com', { 'x-api-key': world.key }))
  expect(owner.statuses).toEqual(new Set([404]))
})

test('each address is counted separately, and an IPv6 address by its /64', async () => {
  const from = (address: string) => get('bootstrap', { 'cf-connecting-ip': address })
  const { statuses } = await burst(() => from(`2001:db8:0:7::${randomInt(0xffff).toString(16)}`))
  expect(statuses).toEqual(new Set([200, 429]))
  expect((await from('2001:db8:0:8::1')).status).toBe(200)
  expect((await from('192.0.2.8')).status).toBe(200)
})

test('the guests behind an IPv4 address have 400 requests in 10 seconds together, and users there have their own', async () => {
  const from = { 'cf-connecting-ip': '192.0.2.10' }
  // A debit without a key is refused at once: the burst costs no reads.
  const path = `/api/v1/paywall/${world.paywall.id}/balances`
  const { refused, statuses } = await burst(
    () => world.fetch(path, { method: 'POST', body: '{}', headers: from }),
    1000,
  )
  expect(statuses).toEqual(new Set([401, 429]))
  expect(refused.length).toBeGreaterThanOrEqual(200)
  expect(refused.length).toBeLessThanOrEqual(600)
  expect((await get('bootstrap', { ...from, authorization: 'Bearer mine' })).status).toBe(401)
})

test('a credential that the endpoint ignores does not raise the limit', async () => {
  const signIn = `/api/v1/paywall/${world.paywall.id}/sign-in/token`
  const body = JSON.stringify({ grant_type: 'anonymous' })
  const guestHeaders = { 'cf-connecting-ip': '2001:db8:0:9::1', 'content-type': 'application/json' }
  const users = async () => (await world.database.query('select from users')).rowCount ?? 0
  const before = await users()
  const { refused } = await burst(() =>
    world.fetch(signIn, {
      method: 'POST',
      headers: { ...guestHeaders, 'x-api-key': `pk_test_${randomUUID()}`, authorization: `Bearer ${randomUUID()}` },
      body,
    }),
  )
  expect(refused.length).toBeGreaterThanOrEqual(50)
  expect((await users()) - before).toBeLessThanOrEqual(200)
})

test('the limits are 3,000, 100 and 400 requests in 10 seconds', () => {
  const { ratelimits } = readConfig({ config: 'wrangler.toml', env: 'gateway' })
  expect(ratelimits.map(({ name, simple }: { name: string; simple: object }) => [name, simple])).toEqual([
    ['OWNER_LIMIT', { limit: 3000, period: 10 }],
    ['CALLER_LIMIT', { limit: 100, period: 10 }],
    ['IPV4_LIMIT', { limit: 400, period: 10 }],
  ])
})

test('each operation counts its callers by a credential that it reads', () => {
  const counted = (name: string) => findRoute(toRequest(name, { paywallId: '1001' }).path)?.countedBy
  const names = Object.keys(OPERATIONS)
  expect(names.map((name) => [name, counted(name)])).toEqual(names.map((name) => [name, OPERATIONS[name]!.countedBy]))
})

test('senders of unsigned webhooks are limited like guests', async () => {
  const { statuses } = await burst(() =>
    world.fetch(`/webhooks/stripe/${world.paywall.id}`, { method: 'POST', body: '{}' }),
  )
  expect(statuses).toEqual(new Set([400, 429]))
})
