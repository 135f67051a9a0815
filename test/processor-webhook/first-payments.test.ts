import { beforeEach, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { deliver, type PaidSubscription, paySubscription, toEvents } from '../support/stripe-purchase.ts'
import { verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
beforeEach(() => world.stripe.holdWebhooks())

/**
 * Returns a function that waits for an action, sends all of Stripe's webhooks so far twice, all at once, and returns the owner's new
 * events and the user's balance.
 */
function trackPurchase(paid: PaidSubscription) {
  let count = 0
  return async (action: Promise<unknown>) => {
    await action
    const copies = [...toEvents(world, paid), ...toEvents(world, paid)]
    const statuses = await Promise.all(copies.map(({ id }) => deliver(world, id)))
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    const events = await ownerEvents(world, paid.userId)
    expect(findSequenceErrors(events)).toEqual([])
    const news = events.slice(count).map(({ type }) => type)
    count = events.length
    return { news: news.toSorted(), standard: (await verifiedBalances(world, paid.userId)).standard ?? 0 }
  }
}

test('a purchase begins with its first payment, however late', async () => {
  const { stripe } = world
  const paid = await paySubscription(world, 'monthly', { later: true })
  const after = trackPurchase(paid)
  expect(await call(world, paid.back)).toMatchObject({ status: 303 })
  expect(await after(Promise.resolve())).toEqual({ news: [], standard: 0 })
  expect(await after(stripe.renew(paid.subscriptionId, { fail: true }))).toEqual({
    news: ['payment.failed'],
    standard: 0,
  })
  expect(await after(stripe.renew(paid.subscriptionId))).toEqual({
    news: ['checkout.completed', 'payment.succeeded', 'subscription.created'],
    standard: 100,
  })
})

test('a purchase that ended before its first webhook, with its last period unpaid, still emits its first events', async () => {
  const { stripe } = world
  const paid = await paySubscription(world)
  await stripe.rollOver(paid.subscriptionId)
  const after = trackPurchase(paid)
  const news = ['checkout.completed', 'payment.succeeded', 'subscription.created']
  expect(await after(stripe.end(paid.subscriptionId))).toEqual({ news, standard: 0 })
})
