import { randomBytes, randomInt } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { count, type Limit } from '../../functions/gateway/limit.ts'
import type { CountedBy } from '../../lib/http/api-operation.ts'
import { countStatements } from '../support/statements.ts'
import { postWebhook } from '../support/stripe-purchase.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true, file: { webhooks: [] } })

/** More than two periods allow, so that some are refused whenever the burst begins. */
const BURST = 250
const GUEST_LIMIT = 100

/** Each test calls from networks of its own. */
let network: number
beforeEach(() => {
  network = randomInt(0x10000)
})
const hex = (number: number) => number.toString(16)
const ipv4 = () => `198.18.${network >> 8}.${network & 255}`

/** How often each status was returned to this many concurrent calls. */
async function burst(send: (index: number) => Promise<{ status: number }>, times = BURST) {
  const statuses = await Promise.all(Array.from({ length: times }, async (_, index) => (await send(index)).status))
  return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]))
}

const readUserAs = (key: string, address = ipv4()) =>
  world.fetch(`/api/v1/paywall/${world.paywall.id}/user?email=nobody@example.com`, {
    headers: { 'x-api-key': key, 'cf-connecting-ip': address },
  })
const madeUpKey = () => `pk_test_${randomBytes(24).toString('hex')}`

describe('a caller with made-up owner keys has the limit of a guest', () => {
  test('if each key is different', async () => {
    const statements = await countStatements(world, async () => {
      const counts = await burst(() => readUserAs(madeUpKey()))
      expect(counts[429]).toBeGreaterThanOrEqual(BURST - 2 * GUEST_LIMIT)
    })
    expect(statements).toBeLessThanOrEqual(2 * GUEST_LIMIT)
  })

  test('if the key is always the same', async () => {
    const key = madeUpKey()
    const counts = await burst(() => readUserAs(key))
    expect(counts[429]).toBeGreaterThanOrEqual(BURST - 2 * GUEST_LIMIT - 1)
  })

  test('and does not limit an owner at the same address', async () => {
    expect(await readUserAs(world.key)).toMatchObject({ status: 404 })
    await burst(() => readUserAs(madeUpKey()))
    expect(await burst(() => readUserAs(world.key))).not.toHaveProperty('429')
  })

  test('from the first call whose key is refused, if the key was valid before', async () => {
    const key = `pk_test_${randomBytes(24).toString('hex')}`
    const named = { name: 'soon gone', is_test: true }
    await world.apply({ ...world.file, keys: [...world.file.keys, { ...named, secret: key }] })
    expect(await burst(() => readUserAs(key))).not.toHaveProperty('429')
    await world.apply(world.file)
    expect(await readUserAs(key)).toMatchObject({ status: 401 })
    const counts = await burst(() => readUserAs(key))
    expect(counts[429]).toBeGreaterThanOrEqual(BURST - 2 * GUEST_LIMIT)
  })
})

test('an owner’s first calls are not limited, however many are concurrent', async () => {
  expect(await burst(() => readUserAs(world.key, `2001:db8:${hex(network)}::1`))).not.toHaveProperty('429')
})

test('an owner’s call whose client disconnected before the response delays later ones for five seconds at most', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
  try {
    const free: Limit = { limit: async () => ({ success: true }) }
    const env = { RATE_LIMITED: true, CALLER_LIMIT: free, IPV4_LIMIT: free, OWNER_LIMIT: free }
    const request = new Request('https://pay.example/', { headers: { 'x-api-key': madeUpKey() } })
    await count(request, env, 'key') // the response of its endpoint is never reported
    vi.advanceTimersByTime(5_000)
    expect(await count(request, env, 'key')).toMatchObject({ isOver: false })
  } finally {
    vi.useRealTimers()
  }
})

test('the 65,536 networks of one customer share the limit of one owner', async () => {
  const counts = new Map<string, number>()
  const limit = (most: number): Limit => ({
    async limit({ key }) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return { success: counts.get(key)! <= most }
    },
  })
  const env = { RATE_LIMITED: true, CALLER_LIMIT: limit(100), IPV4_LIMIT: limit(400), OWNER_LIMIT: limit(3_000) }
  const from = (subnet: number, headers = {}) =>
    new Request('https://pay.example/', {
      headers: { 'cf-connecting-ip': `2001:db8:7:${hex(subnet)}::1`, ...headers },
    })
  const isOver = async (request: Request, by: CountedBy = 'token') => (await count(request, env, by)).isOver
  for (let call = 0; call < 3_000; call++) expect(await isOver(from(call % 100))).toBe(false)
  expect(await isOver(from(5_000))).toBe(true)
  expect(await isOver(from(5_001, { authorization: 'Bearer made.up.token' }))).toBe(true)
  expect(await isOver(from(5_002, { 'x-api-key': madeUpKey() }), 'key')).toBe(true)
})

describe('webhooks', () => {
  afterEach(() => {
    world.neon.onStatement = undefined
  })
  const body = JSON.stringify({ id: 'evt_1', type: 'customer.created', created: 1_790_000_000, data: { object: {} } })
  const send = (options: Parameters<typeof postWebhook>[2]) =>
    postWebhook(world, body, { ...options, headers: { 'cf-connecting-ip': ipv4() } })

  test('signed by a processor are never limited, not even the first of them', async () => {
    expect(await burst(() => send({}))).not.toHaveProperty('429')
  })

  test('that are forged have the limit of a guest', async () => {
    const statements = await countStatements(world, async () => {
      const counts = await burst(() => send({ secret: 'whsec_guessed' }))
      expect(counts[429]).toBeGreaterThanOrEqual(BURST - 2 * GUEST_LIMIT - 1)
    })
    expect(statements).toBeLessThanOrEqual(2 * GUEST_LIMIT + 1)
  })

  test('of a paywall with a wrong secret do not limit others at the same processor', async () => {
    expect(await send({})).toMatchObject({ status: 200 })
    await burst(() => send({ secret: 'whsec_mistyped' }))
    expect(await burst(() => send({}))).not.toHaveProperty('429')
  })
})
