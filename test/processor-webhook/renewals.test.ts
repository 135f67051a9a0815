import { beforeEach, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { deliver, type PaidSubscription, paySubscription, toEvents } from '../support/stripe-purchase.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const trial = yearly({ tokens: [{ type: 'standard', count: 100, trial_count: 40 }] })
const world = useTestWorld({ file: { paywall: { prices: [monthly(), trial] } } })
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

const renewed = { news: ['payment.succeeded', 'subscription.renewed'], standard: 200 }

test('a period is renewed and credits its tokens when it is paid, not when it begins or when its payment fails', async () => {
  const { stripe } = world
  const paid = await paySubscription(world)
  const { subscriptionId: id } = paid
  const after = trackPurchase(paid)
  expect(await after(Promise.resolve())).toMatchObject({ standard: 100 })
  expect(await after(stripe.rollOver(id))).toEqual({ news: ['subscription.updated'], standard: 100 })
  const failed = { news: ['payment.failed', 'subscription.past_due'], standard: 100 }
  expect(await after(stripe.renew(id, { fail: true }))).toEqual(failed)
  expect(await after(stripe.renew(id))).toEqual(renewed)

  expect(await after(stripe.rollOver(id))).toEqual({ news: ['subscription.updated'], standard: 200 })
  expect(await after(stripe.renew(id))).toEqual({ ...renewed, standard: 300 })
})

test('a renewal that is never paid credits no tokens, and emits no event', async () => {
  const { stripe } = world
  const paid = await paySubscription(world)
  const { subscriptionId: id } = paid
  const after = trackPurchase(paid)
  await after(Promise.resolve())
  await after(stripe.rollOver(id))
  await after(stripe.renew(id, { fail: true }))
  expect(await after(stripe.end(id))).toEqual({ news: ['subscription.ended'], standard: 100 })
})

test('a trial credits its tokens at once, and the first period after it credits its own when it is paid', async () => {
  const { stripe } = world
  const paid = await paySubscription(world, 'yearly')
  const { subscriptionId: id } = paid
  const after = trackPurchase(paid)
  const begun = { news: ['checkout.completed', 'subscription.created'], standard: 40 }
  expect(await after(Promise.resolve())).toEqual(begun)
  expect(await after(stripe.rollOver(id))).toEqual({ news: ['subscription.updated'], standard: 40 })
  expect(await after(stripe.renew(id))).toEqual({ ...renewed, standard: 140 })
})

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

test.each([
  ['read while it is processing', true],
  ['read only after it failed', false],
])('a purchase whose first payment failed for good, %s, emits payment.failed alone', async (_, isFetchedEarly) => {
  const paid = await paySubscription(world, 'monthly', { later: true })
  const after = trackPurchase(paid)
  if (isFetchedEarly) await after(Promise.resolve())
  expect(await after(world.stripe.end(paid.subscriptionId))).toEqual({
    news: ['payment.failed'],
    standard: 0,
  })
  expect(await userState(world, paid.userId)).toMatchObject({
    paid: false,
    purchases: [{ status: 'canceled' }],
  })
  const { rows } = await world.database.query('select completed_at from checkouts where user_id = $1', [paid.userId])
  expect(rows).toEqual([{ completed_at: null }])
})

test('a purchase that ended before its first webhook, with its last period unpaid, still emits its first events', async () => {
  const { stripe } = world
  const paid = await paySubscription(world)
  await stripe.rollOver(paid.subscriptionId)
  const after = trackPurchase(paid)
  const news = ['checkout.completed', 'payment.succeeded', 'subscription.created']
  expect(await after(stripe.end(paid.subscriptionId))).toEqual({ news, standard: 0 })
})
