import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { monthly } from '../support/paywall-file.ts'
import { deliver, eventsAbout } from '../support/stripe-purchase.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const lifetime = monthly({
  slug: 'lifetime',
  access: true,
  interval: undefined,
  processorPrice: 'price_lifetime',
  locals: [],
})
const world = useTestWorld({ file: { paywall: { prices: [lifetime] } } })

const order = (email: string) => {
  const body = { email, priceId: getPriceId(world.paywall, 'lifetime') }
  return startCheckout(world, { paywall: world.paywall, key: world.key, body })
}

/** A one-time purchase by bank debit: the browser has returned, and the bank has not decided. */
async function payByDebit() {
  const email = newEmail()
  const { userId, checkoutUrl } = parseOpened(await order(email))
  const back = await call(world, await press(checkoutUrl, 'later'))
  expect(back.headers.location).toContain('https://owner.example/thanks')
  await world.stripe.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'pending' }] })
  const { rows } = await world.database.query('select processor_id from purchases where user_id = $1', [userId])
  return { email, userId, paymentIntent: String(rows[0]?.processor_id) }
}

/** The owner's events, after Stripe has sent all webhooks once more. */
async function resendAndReadEvents(userId: string, paymentIntent: string) {
  await world.stripe.drainWebhooks()
  for (const { id } of eventsAbout(world, paymentIntent)) expect(await deliver(world, id)).toBe(200)
  const events = await ownerEvents(world, userId)
  expect(findSequenceErrors(events)).toEqual([])
  return events.map(({ type, data }) => [type, data.payment?.amount])
}

test('a delayed one-time payment that fails cancels its purchase, and emits payment.failed alone', async () => {
  const { email, userId, paymentIntent } = await payByDebit()
  await world.stripe.resolvePayment(paymentIntent, { fail: true })
  expect(await resendAndReadEvents(userId, paymentIntent)).toEqual([['payment.failed', 999]])
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  expect(await order(email)).toMatchObject({ status: 200 })
})

test('a delayed one-time payment that fails without a webhook is found when its checkout page is polled', async () => {
  const { userId, paymentIntent } = await payByDebit()
  world.stripe.holdWebhooks()
  await world.stripe.resolvePayment(paymentIntent, { fail: true })
  await world.stripe.sendHeldWebhooks(() => [])
  await world.clock.advance(world.paywall.id, '14m')
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'pending' }] })
  await world.clock.advance(world.paywall.id, '2m')
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
})
