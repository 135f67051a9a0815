import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ checkoutLeaseSeconds: 600 })

beforeAll(() => {
  // no test waits for it to expire
})
afterEach(() => {
  world.neon.onStatement = undefined
  world.stripe.onCall = undefined
})

/** The database refuses the next `count` statements with this text. Resolves once it has. */
function refuseNext(text: string, times: number, side: 'before' | 'after' = 'before'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let refused = 0
  world.neon.onStatement = async ({ query }, run) => {
    if (!query.includes(text) || refused === times) return run()
    refused += 1
    if (refused === times) resolve()
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

test('a key can be used again once the database is back, after a reply of Stripe was lost', async () => {
  const call = order()
  world.stripe.onCall = async (_, run) => {
    await run()
    throw new DroppedCall()
  }
  const refused = refuseNext('give_up_checkout', 2)
  const pages = sessions()
  expect(await startCheckout(world, call)).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  await refused
  world.stripe.onCall = undefined
  const lost = sessions() - pages

  await until('the key is free', async () => (await startCheckout(world, call)).status === 200, 30_000)
  expect(sessions() - pages, 'it is the page that Stripe opened before').toBe(lost)
})

test.each(['before', 'after'] as const)(
  'also if the page could not be recorded, %s the database did it: the page is the same',
  async (side) => {
    const call = order()
    const pages = sessions()
    void refuseNext('record_checkout', 1, side)
    expect(await startCheckout(world, call)).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
    expect(sessions() - pages).toBe(1)
    await until('the key is free', async () => (await startCheckout(world, call)).status === 200, 30_000)
    parseOpened(await startCheckout(world, call))
    expect(sessions() - pages).toBe(1)
  },
)
