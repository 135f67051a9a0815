import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ checkoutLeaseSeconds: 600 })

afterEach(() => {
  world.neon.onStatement = undefined
  world.stripe.onCall = undefined
})

/** Fails the next `times` statements that contain `text`, before or after they run. Resolves once all of them have failed. */
function failNext(text: string, times: number, side: 'before' | 'after' = 'before'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let failed = 0
  world.neon.onStatement = async ({ query }, run) => {
    if (!query.includes(text) || failed === times) return run()
    failed += 1
    if (failed === times) resolve()
    if (side === 'after') await run()
    throw new ResponseLost()
  }
  return promise
}

const order = () => ({
  paywall: world.paywall,
  key: world.key,
  headers: { 'idempotency-key': randomUUID() },
  body: { email: newEmail() },
})
const sessions = () => world.stripe.checkoutSessions.length

test('after Stripe’s response was lost, the key can be used again once the database is back', async () => {
  const call = order()
  world.stripe.onCall = async (_, run) => {
    await run()
    throw new DroppedCall()
  }
  const failed = failNext('give_up_checkout', 2)
  const pages = sessions()
  expect(await startCheckout(world, call)).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  await failed
  world.stripe.onCall = undefined
  const lost = sessions() - pages

  await until('the key is free', async () => (await startCheckout(world, call)).status === 200, 30_000)
  expect(sessions() - pages, 'the page is the one that Stripe opened before').toBe(lost)
})

test.each(['before', 'after'] as const)(
  'if the database fails %s it records the page, the key can be used again and gets the same page',
  async (side) => {
    const call = order()
    const pages = sessions()
    void failNext('record_checkout', 1, side)
    expect(await startCheckout(world, call)).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
    expect(sessions() - pages).toBe(1)
    await until('the key is free', async () => (await startCheckout(world, call)).status === 200, 30_000)
    parseOpened(await startCheckout(world, call))
    expect(sessions() - pages).toBe(1)
  },
)
