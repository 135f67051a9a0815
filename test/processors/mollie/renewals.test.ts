import { expect, test } from 'vitest'
import {
  getPayments,
  listSubscriptions,
  openMollieShop,
  payFirst,
  subscribeAtMollie,
} from '../../support/mollie-purchase.ts'
import { findSequenceErrors, type OwnerEvent, ownerEvents } from '../../support/owner-events.ts'
import { userState, verifiedBalances } from '../../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../../support/world.ts'

const DAY_MS = 86_400_000

const world = useTestWorld()

/** A subscription, and a function that returns the owner's events of what happens next. */
async function startSubscription(subscribe: typeof subscribeAtMollie = subscribeAtMollie) {
  const { shop, passes } = await openMollieShop(world)
  const subscription = await subscribe(shop)
  const { userId, subscriptionId: id } = subscription
  let count = (await ownerEvents(world, userId)).length
  async function newEvents(action: () => Promise<unknown>): Promise<OwnerEvent[]> {
    await action()
    await world.mollie.drainWebhooks()
    const events = await ownerEvents(world, userId)
    expect(findSequenceErrors(events)).toEqual([])
    const added = events.slice(count)
    count = events.length
    return added
  }
  const state = () => userState(shop, userId)
  const purchase = async () => (await state()).purchases[0]
  const standard = async () => (await verifiedBalances(world, userId)).standard
  async function periodEnds() {
    const end = Date.parse(String((await purchase())?.current_period_end))
    const days = Math.ceil((end - (await world.clock.now(shop.paywall.id)).getTime()) / DAY_MS)
    return passes(`${days + 1}d`)
  }
  return { ...subscription, id, passes, periodEnds, newEvents, state, purchase, standard }
}

/** A buyer who has paid by bank transfer; renewals are direct debits. */
async function subscribeByTransfer(shop: TestWorld) {
  const paid = await payFirst(shop, 'monthly', { action: 'transfer' })
  await shop.mollie.resolvePayment(paid.paymentId)
  await shop.mollie.drainWebhooks()
  const [subscription] = listSubscriptions(shop, paid.userId)
  if (!subscription) throw new Error(`Mollie has no subscription of ${paid.userId}`)
  return { ...paid, subscriptionId: subscription.id }
}

const types = (events: OwnerEvent[]) => events.map(({ type }) => type)

test('a processing direct debit keeps access, and renews when it is paid', async () => {
  const { id, userId, newEvents, state, purchase, standard } = await startSubscription()
  await newEvents(() => world.mollie.renew(id, { pending: true }))
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect((await state()).paid).toBe(true)
  expect(await standard()).toBe(100)
  const charge = getPayments(world, userId).find(({ status }) => status === 'pending')
  const events = await newEvents(() => world.mollie.resolvePayment(String(charge?.id)))
  expect(types(events)).toEqual(['subscription.renewed', 'payment.succeeded'])
  expect(await standard()).toBe(200)
})

test('a suspended subscription lasts until the end of the paid period, and then ends, also at Mollie', async () => {
  const { id, userId, passes, newEvents, state, purchase } = await startSubscription()
  await world.mollie.suspend(id)
  expect(types(await newEvents(() => passes('20d')))).toEqual([])
  expect(await purchase()).toMatchObject({ status: 'active' })
  expect((await state()).paid).toBe(true)
  expect(types(await newEvents(() => passes('14d')))).toEqual(['subscription.ended'])
  expect(await purchase()).toMatchObject({ status: 'canceled' })
  // Otherwise it would continue as soon as its customer has another mandate.
  expect(listSubscriptions(world, userId)).toMatchObject([{ status: 'canceled' }])
})

test('a processing charge does not make up for a failed one', async () => {
  const { id, passes, newEvents, state, purchase } = await startSubscription()
  await newEvents(() => world.mollie.renew(id, { fail: true }))
  expect(types(await newEvents(() => passes('8d')))).toEqual(['subscription.access_ended'])
  const pending = await newEvents(() => world.mollie.renew(id, { pending: true }))
  expect(types(pending)).toEqual(['subscription.updated'])
  expect(await purchase()).toMatchObject({ status: 'past_due' })
  expect((await state()).paid).toBe(false)
})

test('a renewal that is charged back is a failed charge', async () => {
  const { id, userId, newEvents, purchase, standard } = await startSubscription()
  await newEvents(() => world.mollie.renew(id))
  const charge = getPayments(world, userId).at(-1)
  const events = await newEvents(() => world.mollie.chargeback(String(charge?.id)))
  expect(types(events)).toEqual(['subscription.past_due', 'payment.failed', 'payment.disputed', 'payment.dispute_lost'])
  expect(await purchase()).toMatchObject({ status: 'past_due' })
  expect(await standard()).toBe(100)
})

test('a renewal that was charged back is paid again, with its tokens, once the chargeback is reversed', async () => {
  const { id, userId, passes, newEvents, state, purchase, standard } = await startSubscription()
  await newEvents(() => world.mollie.renew(id))
  const charge = getPayments(world, userId).at(-1)
  const { id: chargeback } = await world.mollie.chargeback(String(charge?.id))
  await newEvents(() => passes('8d'))
  expect([await purchase(), await state(), await standard()]).toMatchObject([
    { status: 'past_due' },
    { paid: false },
    100,
  ])
  const events = await newEvents(() => world.mollie.reverseChargeback(chargeback))
  expect(types(events)).toEqual(['subscription.recovered', 'payment.dispute_won'])
  expect(events.at(-1)?.data.payment).toMatchObject({ refunded_amount: 0, refunded: false })
  expect([await purchase(), await state(), await standard()]).toMatchObject([{ status: 'active' }, { paid: true }, 200])
})

test('a direct debit that bounces days later makes the subscription past due; the next one recovers it until it bounces, too', async () => {
  const { userId, passes, periodEnds, newEvents, state, purchase, standard } =
    await startSubscription(subscribeByTransfer)
  await world.mollie.declineCharges(String(listSubscriptions(world, userId)[0]?.customerId))
  const bounce = ['subscription.past_due', 'payment.failed', 'payment.disputed', 'payment.dispute_lost']

  expect(types(await newEvents(periodEnds))).toEqual(['subscription.renewed', 'payment.succeeded'])
  expect([await purchase(), await standard()]).toMatchObject([{ status: 'active' }, 200])
  expect(types(await newEvents(() => passes('4d')))).toEqual(bounce)
  expect([await purchase(), await state(), await standard()]).toMatchObject([
    { status: 'past_due' },
    { paid: true },
    100,
  ])
  expect(types(await newEvents(() => passes('8d')))).toEqual(['subscription.access_ended'])
  expect(await state()).toMatchObject({ paid: false })

  expect(types(await newEvents(periodEnds))).toEqual([
    'subscription.recovered',
    'subscription.renewed',
    'payment.succeeded',
  ])
  expect([await purchase(), await state(), await standard()]).toMatchObject([{ status: 'active' }, { paid: true }, 200])
  expect(types(await newEvents(() => passes('4d')))).toEqual(bounce)
  expect([await purchase(), await standard()]).toMatchObject([{ status: 'past_due' }, 100])
})
