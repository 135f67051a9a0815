import { afterEach, beforeEach, expect, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { deliver, eventsAbout, paySubscription, purchaseAtStripe } from '../support/stripe-purchase.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.neon.onStatement = undefined
})

/** Each makes the first delivery of the event fail in its own way. */
const outages: [string, () => void][] = [
  ['the database does not answer at first', () => loseResponses(() => true, false)],
  ['the database does not store the purchase', () => loseResponses((query) => query.includes('store_purchase'), false)],
  [
    'the database stores the purchase and the response is lost',
    () => loseResponses((query) => query.includes('store_purchase'), true),
  ],
]

function loseResponses(which: (query: string) => boolean, after: boolean): void {
  world.neon.onStatement = async ({ query }, run) => {
    if (!which(query)) return run()
    if (after) await run()
    throw new ResponseLost()
  }
}

test.each(outages)('when %s, Stripe gets 503, and its retry takes effect', async (_, fail) => {
  const paid = await paySubscription(world)
  const completed = eventsAbout(world, paid.pageId).find(({ type }) => type === 'checkout.session.completed')
  fail()
  expect(await deliver(world, completed!.id)).toBe(503)
  world.neon.onStatement = undefined

  expect(await deliver(world, completed!.id)).toBe(200)
  const { purchases } = await userState(world, paid.userId)
  expect(purchases).toMatchObject([purchaseAtStripe(world, paid.subscriptionId)])
  await world.workers.scheduled('deliver-events')
  const events = await ownerEvents(world, paid.userId)
  expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
  expect(findSequenceErrors(events)).toEqual([])
})
