import { expect, test } from 'vitest'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { person, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

test('a user gets one trial on a paywall, unless the owner requests another with trial_days', async () => {
  const { paywall, key } = world
  const { email, token } = await person(world, tenant(world.file), newEmail())
  const order = { email, priceId: getPriceId(paywall, 'yearly'), ignoreActivePurchase: true }
  /** The number of trial days that Stripe is asked for. */
  async function readTrial(checkout: ReturnType<typeof startCheckout>) {
    parseOpened(await checkout)
    const request = world.stripe.calls.findLast(({ path }) => path === '/v1/checkout/sessions')
    return Object(request?.body.subscription_data).trial_period_days
  }

  const first = await startCheckout(world, { paywall, key, body: order })
  expect(await readTrial(Promise.resolve(first))).toBe('7')
  await payAndReturn(world, parseOpened(first).checkoutUrl)

  expect(await readTrial(startCheckout(world, { paywall, key, body: order }))).toBeUndefined()
  expect(await readTrial(startCheckout(world, { paywall, token, body: { ...order, trial_days: 30 } }))).toBeUndefined()
  expect(await readTrial(startCheckout(world, { paywall, key, body: { ...order, trial_days: 3 } }))).toBe('3')
})
