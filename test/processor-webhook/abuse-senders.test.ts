import { randomInt } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { count, type Limit } from '../../functions/gateway/limit.ts'
import { getWebhookSecret, postWebhook } from '../support/stripe-purchase.ts'
import { newTenant, type Tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true, file: { webhooks: [] } })
let other: Tenant

beforeAll(async () => {
  other = await newTenant(world)
})

/** More than a guest may send in any two periods of the limit. */
const BURST = 250
const GUEST_LIMIT = 100

/** Each test sends from a network of its own. */
let address: string
beforeEach(() => {
  address = `198.19.${randomInt(256)}.${randomInt(256)}`
})

const body = JSON.stringify({ id: 'evt_1', type: 'customer.created', created: 1_790_000_000, data: { object: {} } })
const send = (options: Parameters<typeof postWebhook>[2]) =>
  postWebhook(world, body, { ...options, headers: { 'cf-connecting-ip': address } })

test('a genuine webhook of one paywall does not raise the limit of its network for another paywall', async () => {
  expect(await send({})).toMatchObject({ status: 200 })
  const forged = { paywallId: other.paywall.id, secret: 'whsec_guessed' }
  const replies = await Promise.all(Array.from({ length: BURST }, () => send(forged)))
  const limited = replies.filter(({ status }) => status === 429)
  expect(limited.length).toBeGreaterThanOrEqual(BURST - 2 * GUEST_LIMIT - 1)
  expect(limited[0]).toMatchObject({ headers: { 'retry-after': '10' } })

  const genuine = await Promise.all(Array.from({ length: BURST }, () => send({})))
  expect(genuine.filter(({ status }) => status !== 200)).toEqual([])
})

test('a sender verified for its own paywall has a guest’s limit at all others', async () => {
  const own = { paywallId: other.paywall.id, secret: getWebhookSecret(other.paywall) }
  expect(await send(own)).toMatchObject({ status: 200 })
  const replies = await Promise.all(Array.from({ length: BURST }, () => send({ secret: 'whsec_guessed' })))
  const limited = replies.filter(({ status }) => status === 429)
  expect(limited.length).toBeGreaterThanOrEqual(BURST - 2 * GUEST_LIMIT - 1)
})

describe('the gateway', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Rate limits that are never reset. */
  function limits() {
    const counts = new Map<string, number>()
    const limit = (max: number): Limit => ({
      async limit({ key }) {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return { success: counts.get(key)! <= max }
      },
    })
    return { RATE_LIMITED: true, CALLER_LIMIT: limit(GUEST_LIMIT), IPV4_LIMIT: limit(400), OWNER_LIMIT: limit(3_000) }
  }

  /** Counts a webhook for a paywall, with the status of its response. Returns whether it is over the limit. */
  async function webhook(env: ReturnType<typeof limits>, paywall: string, status: number): Promise<boolean> {
    const headers = { 'cf-connecting-ip': address }
    const request = new Request(`https://pay.example/webhooks/stripe/${paywall}`, { method: 'POST', headers })
    const counted = await count(request, env, 'signature')
    if (!counted.isOver) counted.learn(status)
    return counted.isOver
  }

  test('gives a verified sender an owner’s limit, and no more', async () => {
    const env = limits()
    for (let call = 0; call <= 3_000; call++) expect(await webhook(env, '71', 200), `${call}`).toBe(false)
    expect(await webhook(env, '71', 200)).toBe(true)
  })

  test('does not count the response to an unsigned notice as proof', async () => {
    const env = limits()
    const headers = { 'cf-connecting-ip': address, 'content-type': 'application/x-www-form-urlencoded' }
    const notice = async () => {
      const counted = await count(
        new Request('https://pay.example/webhooks/mollie/74', { method: 'POST', headers }),
        env,
        'signature',
      )
      counted.learn(200)
      return counted.isOver
    }
    for (let call = 0; call < GUEST_LIMIT; call++) expect(await notice()).toBe(false)
    expect(await notice()).toBe(true)
  })

  test('forgets a sender an hour after its last genuine webhook', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
    const env = limits()
    await webhook(env, '72', 200)
    vi.advanceTimersByTime(3_500_000)
    for (let call = 0; call < BURST; call++) expect(await webhook(env, '72', 400)).toBe(false)
    vi.advanceTimersByTime(200_000)
    for (let call = 1; call < GUEST_LIMIT; call++) expect(await webhook(env, '72', 400)).toBe(false)
    expect(await webhook(env, '72', 400)).toBe(true)
  })

  test('remembers a sender as long as genuine webhooks arrive', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
    const env = limits()
    for (let hour = 0; hour < 3; hour += 0.75) {
      await webhook(env, '73', 200)
      vi.advanceTimersByTime(2_700_000)
    }
    for (let call = 0; call < BURST; call++) expect(await webhook(env, '73', 400)).toBe(false)
  })

  test('does not limit a processor that sends for many paywalls, each for the first time', async () => {
    const env = limits()
    for (let paywall = 0; paywall < 500; paywall++) {
      expect(await webhook(env, String(9000 + paywall), 200), `${paywall}`).toBe(false)
    }
  })
})
