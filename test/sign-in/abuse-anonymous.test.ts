import { randomInt, randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { setConsumed } from '../support/rate-limits.ts'
import { parseSession, requestTokens } from '../support/sign-in.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true, file: { webhooks: [] } })

/** How many anonymous users a network can create at once. */
const USER_LIMIT = 300

/** Each test uses its own network. */
let network: string
beforeEach(() => {
  network = `2001:db8:${randomInt(2, 0x10000).toString(16)}::/48`
})
const address = () => network.replace('::/48', `:${randomInt(0x10000).toString(16)}::1`)
const consumed = (count: number) => setConsumed(world, 'anonymous', `network:${network}`, count)

const signIn = (headers: Record<string, string> = {}, paywallId = world.paywall.id) =>
  requestTokens(
    world,
    { grant_type: 'anonymous' },
    { paywallId, headers: { 'cf-connecting-ip': address(), ...headers } },
  )
const users = async () => {
  const { rows } = await world.database.query<{ count: number }>('select count(*)::int from users')
  return rows[0]?.count
}

test('a network can create 300 anonymous users at once, on all paywalls together, and then gets 429', async () => {
  const { paywall } = await newTenant(world)
  await consumed(USER_LIMIT - 2)
  expect(await signIn()).toMatchObject({ status: 200 })
  expect(await signIn({}, paywall.id)).toMatchObject({ status: 200 })

  const before = await users()
  for (const paywallId of [world.paywall.id, paywall.id]) {
    const refused = await signIn({}, paywallId)
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(await users()).toBe(before)
})

test('of 20 concurrent calls, only the five within the limit succeed', async () => {
  await consumed(USER_LIMIT - 5)
  const replies = await Promise.all(Array.from({ length: 20 }, () => signIn()))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
})

test('another network is not limited; the limited one gets a new user every 12 seconds', async () => {
  await consumed(USER_LIMIT)
  expect(await signIn()).toMatchObject({ status: 429 })
  const limitedNetwork = network
  network = `2001:db8:${(Number.parseInt(network.split(':')[2] ?? '0', 16) ^ 1).toString(16)}::/48`
  expect(await signIn()).toMatchObject({ status: 200 })
  network = limitedNetwork
  await setConsumed(world, 'anonymous', `network:${network}`, USER_LIMIT, 13)
  expect(await signIn()).toMatchObject({ status: 200 })
})

test('a repeated call consumes nothing, and succeeds even when the limit is used up', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  await consumed(USER_LIMIT - 2)
  const first = parseSession(await signIn(headers))
  for (let repeat = 0; repeat < 3; repeat++) expect(parseSession(await signIn(headers)).user).toEqual(first.user)
  expect(await signIn()).toMatchObject({ status: 200 })
  expect(await signIn()).toMatchObject({ status: 429 })
  expect(parseSession(await signIn(headers)).user).toEqual(first.user)
})

test('other ways of signing in are not counted', async () => {
  await consumed(USER_LIMIT)
  const body = { grant_type: 'code', email: newEmail(), code: '12345678', challenge: 'A'.repeat(43) }
  const reply = await requestTokens(world, body, { headers: { 'cf-connecting-ip': address() } })
  expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})
