import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import type { HttpResponse } from '../../dev/emulators/core/server.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { runWhileLocked } from '../support/held-member.ts'
import { useTestWorld } from '../support/world.ts'

// A claim whose lease has run out is free, although its holder may only be slow. Here the slow holder finishes just after
// another attempt has found the claim free, and before that attempt takes it.

const world = useTestWorld()

afterEach(() => {
  world.stripe.onCall = undefined
})

/** A start-checkout that waits for Stripe, and whose lease has run out meanwhile. */
async function slowCheckout() {
  const [email, key] = [newEmail(), randomUUID()]
  const before = world.stripe.checkoutSessions.length
  const [arrival, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<HttpResponse | null>()]
  world.stripe.onCall = async (_, run) => {
    arrival.resolve()
    return (await answer.promise) ?? run()
  }
  const attempt = () =>
    startCheckout(world, {
      paywall: world.paywall,
      key: world.key,
      headers: { 'idempotency-key': key },
      body: { email },
    })
  const slow = attempt()
  await arrival.promise
  world.stripe.onCall = undefined
  await world.database.query(
    "update checkout_claims set leased_until = now() - interval '1 s' where idempotency_key = $1",
    [key],
  )
  const member = {
    hold: 'select from members m join users u on u.id = user_id where email = $1 for update of m',
    values: [email],
  }
  return { slow, answer, attempt, member, pages: () => world.stripe.checkoutSessions.length - before }
}

test('if the slow attempt has opened its page by then, the other attempt replays it', async () => {
  const { slow, answer, attempt, member, pages } = await slowCheckout()
  const finish = () => {
    answer.resolve(null)
    return slow
  }
  const [first, second] = await runWhileLocked(world, member, [finish, attempt])
  expect(parseOpened(second!)).toEqual(parseOpened(first!))
  expect(second!.headers['idempotency-replayed']).toBe('true')
  expect(pages()).toBe(1)
})

test('if the slow attempt has given up its claim by then, the other attempt opens the page', async () => {
  const { slow, answer, attempt, member, pages } = await slowCheckout()
  const change = () => {
    answer.resolve({ status: 400, headers: {}, body: JSON.stringify({ error: { type: 'api_error', message: 'No.' } }) })
    return expect(slow).resolves.toMatchObject({ status: 502 })
  }
  const [second] = await runWhileLocked(world, { ...member, change }, [attempt])
  parseOpened(second!)
  expect(pages()).toBe(1)
})
