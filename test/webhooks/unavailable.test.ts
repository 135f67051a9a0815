import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { ownerEvents, sequenceFaults } from '../support/owner-events.ts'
import { asStripeHasIt, deliver, eventsAbout, paySubscription } from '../support/stripe-purchase.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})
beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.stripe.onCall = undefined
  world.neon.onStatement = undefined
})
afterAll(() => world.close())

/** Each makes the first delivery of the event fail in its way. */
const outages: [string, number, (path: string) => void][] = [
  [
    'Stripe answers 500',
    502,
    (path) => {
      // The SDK asks a second time by itself.
      world.stripe.failNext(path, 500)
      world.stripe.failNext(path, 500)
    },
  ],
  ['Stripe has too many calls', 502, (path) => world.stripe.failNext(path, 429)],
  [
    'Stripe hangs up',
    502,
    () => {
      world.stripe.onCall = async () => {
        throw new DroppedCall()
      }
    },
  ],
  ['Stripe no longer knows the key', 502, (path) => world.stripe.failNext(path, 401)],
  ['the database does not answer at first', 503, () => loseAnswers(() => true, false)],
  [
    'the database does not take the purchase',
    503,
    () => loseAnswers((query) => query.includes('store_purchase'), false),
  ],
  [
    'the database takes the purchase and does not answer',
    503,
    () => loseAnswers((query) => query.includes('store_purchase'), true),
  ],
]

function loseAnswers(which: (query: string) => boolean, after: boolean): void {
  world.neon.onStatement = async ({ query }, run) => {
    if (!which(query)) return run()
    if (after) await run()
    throw new ResponseLost()
  }
}

test.each(outages)(
  'when %s Stripe is told to come again (%i), and the repeat takes effect',
  async (_, status, fail) => {
    const paid = await paySubscription(world)
    const completed = eventsAbout(world, paid.pageId).find(({ type }) => type === 'checkout.session.completed')
    fail(`/v1/checkout/sessions/${paid.pageId}`)
    expect(await deliver(world, completed!.id)).toBe(status)
    world.stripe.onCall = undefined
    world.neon.onStatement = undefined

    expect(await deliver(world, completed!.id)).toBe(200)
    const { purchases } = await userState(world, paid.userId)
    expect(purchases).toMatchObject([asStripeHasIt(world, paid.subscriptionId)])
    await world.workers.scheduled('deliver-events')
    const events = await ownerEvents(world, paid.userId)
    expect(events.map(({ type }) => type)).toEqual(['checkout.completed', 'subscription.created'])
    expect(sequenceFaults(events)).toEqual([])
  },
)
