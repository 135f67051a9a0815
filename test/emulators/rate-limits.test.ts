import { afterEach, describe, expect, test, vi } from 'vitest'
import * as chargebee from '../processors/chargebee/emulator/fixture.ts'
import * as polar from '../processors/polar/emulator/fixture.ts'
import * as stripe from '../processors/stripe/emulator/fixture.ts'

const PAYWALL = '1001'

describe('a call over the rate limit', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const CALLS = [
    {
      name: 'Stripe',
      async start() {
        const { emulator } = await stripe.startStripe({ rateLimited: true })
        return { emulator, headers: { authorization: `Bearer ${stripe.ACME.secretKey}` }, path: '/v1/events/evt_1' }
      },
      calls: 25,
      seconds: 1,
    },
    {
      name: 'Polar',
      async start() {
        const { emulator } = await polar.startPolar({ rateLimited: true })
        return { emulator, headers: { authorization: `Bearer ${polar.ACME.accessToken}` }, path: '/v1/orders/' }
      },
      calls: 100,
      seconds: 60,
    },
    {
      name: 'Chargebee',
      async start() {
        const { emulator } = await chargebee.startChargebee({ rateLimited: true })
        const authorization = `Basic ${btoa(`${chargebee.ACME.apiKey}:`)}`
        return { emulator, headers: { authorization }, path: '/api/v2/customers/cbc_1' }
      },
      calls: 150,
      seconds: 60,
    },
  ]

  test.each(CALLS)(
    'at $name gets 429 with Retry-After, and succeeds after that time',
    async ({ start, calls, seconds }) => {
      vi.useFakeTimers({ toFake: ['Date'] }) // freezes the clock, so that all calls count as simultaneous
      const { emulator, headers, path } = await start()
      const call = () => fetch(`${emulator.url}${path}`, { headers })
      for (let made = 0; made < calls; made += 1) expect((await call()).status).not.toBe(429)
      const refused = await call()
      expect(refused.status).toBe(429)
      const wait = Number(refused.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(seconds)
      await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + wait)
      expect((await call()).status).not.toBe(429)
      await emulator.setRateLimit(PAYWALL, 'none')
      await Promise.all(Array.from({ length: calls + 1 }, async () => expect((await call()).status).not.toBe(429)))
    },
  )

  test('is refused for its own account only', async () => {
    const other = { ...polar.ACME, paywallId: '1002', accessToken: 'polar_oat_other_0123456789' }
    const { emulator } = await polar.startPolar({ accounts: [polar.ACME, other] })
    await emulator.setRateLimit(PAYWALL, { calls: 1, seconds: 60 })
    await emulator.setRateLimit(other.paywallId, { calls: 1, seconds: 60 })
    const call = async ({ accessToken }: typeof other) => {
      const headers = { authorization: `Bearer ${accessToken}` }
      return (await fetch(`${emulator.url}/v1/orders/`, { headers })).status
    }
    expect([await call(polar.ACME), await call(polar.ACME), await call(other)]).toEqual([200, 429, 200])
  })
})
