import { expect, test } from 'vitest'
import { findSequenceErrors, type OwnerEvent, ownerEvents } from '../support/owner-events.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { paySubscription } from '../support/stripe-purchase.ts'
import { cancel, parseCancelled } from '../support/subscriber.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const taster = yearly({ slug: 'taster', trial_days: 3 })
const world = useTestWorld({ file: { paywall: { prices: [monthly(), taster] } } })

/** Makes a purchase and waits for its webhooks. `newEvents` runs an action and returns the owner's events about it. */
async function buy(slug: string) {
  const paid = await paySubscription(world, slug)
  await world.stripe.drainWebhooks()
  const first = await ownerEvents(world, paid.userId)
  let count = first.length
  async function newEvents(action: (subscriptionId: string) => Promise<unknown>): Promise<OwnerEvent[]> {
    await action(paid.subscriptionId)
    await world.stripe.drainWebhooks()
    const events = await ownerEvents(world, paid.userId)
    expect(findSequenceErrors(events)).toEqual([])
    const added = events.slice(count)
    count = events.length
    return added
  }
  return { ...paid, newEvents, first }
}

const types = (events: OwnerEvent[]) => events.map(({ type }) => type).toSorted()

test('a subscription that Stripe marks unpaid is past due: it has not ended, and can be paid or cancelled', async () => {
  const { stripe } = world
  const { newEvents, userId, subscriptionId } = await buy('monthly')
  const leaveUnpaid = async (id: string) => {
    await stripe.renew(id, { fail: true })
    await stripe.markUnpaid(id)
  }
  expect(types(await newEvents(leaveUnpaid))).toEqual(['payment.failed', 'subscription.past_due'])
  expect(await userState(world, userId)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
  expect(types(await newEvents((id) => stripe.renew(id)))).toEqual(['payment.succeeded', 'subscription.renewed'])
  expect(await userState(world, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })

  await newEvents(leaveUnpaid)
  const body = { subscriptionId, paywallId: world.paywall.id, userId, cancellationReason: 'too expensive' }
  const scheduled = await newEvents(async () => parseCancelled(await cancel(world, { key: world.key, body })))
  expect(types(scheduled)).toEqual(['subscription.cancel_scheduled'])
})

test('a trial of three days or less emits trial_ending when it begins, and only once', async () => {
  const { newEvents, first } = await buy('taster')
  expect(types(first)).toEqual(['checkout.completed', 'subscription.created', 'subscription.trial_ending'])
  expect(types(await newEvents((id) => world.stripe.trialWillEnd(id)))).toEqual([])
})
