import { randomInt, randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { setConsumed } from '../support/rate-limits.ts'
import { askForTokens, sessionIn } from '../support/sign-in.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true, file: { webhooks: [] } })

/** How many anonymous users a network makes at once. */
const SHARE = 300

/** Each test uses its own network, named by an address in it. */
let network: string
beforeEach(() => {
  network = `2001:db8:${randomInt(2, 0x10000).toString(16)}::/48`
})
const address = () => network.replace('::/48', `:${randomInt(0x10000).toString(16)}::1`)
const consumed = (count: number) => setConsumed(world, 'anonymous', `network:${network}`, count)

const become = (headers: Record<string, string> = {}, paywallId = world.paywall.id) =>
  askForTokens(
    world,
    { grant_type: 'anonymous' },
    { paywallId, headers: { 'cf-connecting-ip': address(), ...headers } },
  )
const users = async () => {
  const { rows } = await world.database.query<{ count: number }>('select count(*)::int from users')
  return rows[0]?.count
}

test('a network makes 300 anonymous users at once, on all paywalls together, and then waits', async () => {
  const { paywall } = await newTenant(world)
  await consumed(SHARE - 2)
  expect(await become()).toMatchObject({ status: 200 })
  expect(await become({}, paywall.id)).toMatchObject({ status: 200 })

  const before = await users()
  for (const paywallId of [world.paywall.id, paywall.id]) {
    const refused = await become({}, paywallId)
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect(await users()).toBe(before)
})

test('of many calls at once no more get through than there is room for', async () => {
  await consumed(SHARE - 5)
  const replies = await Promise.all(Array.from({ length: 20 }, () => become()))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
})

test('another network is not limited; the limited one gets a new user every 12 seconds', async () => {
  await consumed(SHARE)
  expect(await become()).toMatchObject({ status: 429 })
  const used = network
  network = `2001:db8:${(Number.parseInt(network.split(':')[2] ?? '0', 16) ^ 1).toString(16)}::/48`
  expect(await become()).toMatchObject({ status: 200 })
  network = used
  await setConsumed(world, 'anonymous', `network:${network}`, SHARE, 13)
  expect(await become()).toMatchObject({ status: 200 })
})

test('a repeated call consumes nothing, and succeeds when all is used up', async () => {
  const again = { 'idempotency-key': randomUUID() }
  await consumed(SHARE - 2)
  const first = sessionIn(await become(again))
  for (let repeat = 0; repeat < 3; repeat++) expect(sessionIn(await become(again)).user).toEqual(first.user)
  expect(await become()).toMatchObject({ status: 200 })
  expect(await become()).toMatchObject({ status: 429 })
  expect(sessionIn(await become(again)).user).toEqual(first.user)
})

test('other ways of signing in are not counted', async () => {
  await consumed(SHARE)
  const body = { grant_type: 'code', email: newEmail(), code: '12345678', challenge: 'A'.repeat(43) }
  const reply = await askForTokens(world, body, { headers: { 'cf-connecting-ip': address() } })
  expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})
