import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { newEmail, parseOpened, startCheckout } from '../../support/checkout.ts'
import { getPayments, mollieProcessor } from '../../support/mollie-purchase.ts'
import { useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ checkoutLeaseSeconds: 1, file: { paywall: { processor: mollieProcessor() } } })
afterEach(() => {
  world.mollie.onCall = undefined
})

/** The first call that opens a payment waits until it is released; later ones do not. */
function holdFirstPayment() {
  const arrived = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let isFirst = true
  world.mollie.onCall = async ({ method, path }, run) => {
    if (method === 'POST' && path === '/v2/payments' && isFirst) {
      isFirst = false
      arrived.resolve()
      await gate.promise
    }
    return run()
  }
  return { arrived: arrived.promise, release: gate.resolve }
}

test('a checkout that Mollie is still opening for an earlier attempt is not opened a second time', async () => {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { email: newEmail() }
  const attempt = () => startCheckout(world, { paywall: world.paywall, key: world.key, headers, body })
  const held = holdFirstPayment()
  const first = attempt()
  await held.arrived
  // Each of them gets the claim once the lease of the first has ended, and Mollie replies that its key is in use.
  const unavailable = { status: 502, body: { error: 'processor_unavailable' } }
  expect(await attempt()).toMatchObject(unavailable)
  expect(await attempt()).toMatchObject(unavailable)
  held.release()

  const { checkoutUrl, userId } = parseOpened(await first)
  expect(parseOpened(await attempt()).checkoutUrl).toBe(checkoutUrl)
  expect(getPayments(world, userId)).toHaveLength(1)
})
