import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FULL_SIZE } from '../support/full-size.ts'
import { findPreviousErrors, findSequenceErrors, type OwnerEvent, ownerEvents } from '../support/owner-events.ts'
import { permutations, seededRandom, shuffled } from '../support/random.ts'
import {
  cancelThroughApi,
  deliver,
  type PaidSubscription,
  paySubscription,
  purchaseAtStripe,
  toEvents,
} from '../support/stripe-purchase.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

beforeEach(() => world.stripe.holdWebhooks())
afterEach(() => {
  world.stripe.onCall = undefined
})

const getType = (event: { type: string }) => event.type

async function expectAsAtStripe(paid: PaidSubscription, note: string): Promise<OwnerEvent[]> {
  const { purchases } = await userState(world, paid.userId)
  expect(purchases, note).toMatchObject([purchaseAtStripe(world, paid.subscriptionId)])
  const events = await ownerEvents(world, paid.userId)
  expect(findSequenceErrors(events), note).toEqual([])
  expect(findPreviousErrors(events), note).toEqual([])
  return events
}

test('the events of a cancelled purchase store the same state in any order', async () => {
  const kinds = [
    'checkout.session.completed',
    'customer.subscription.created',
    'invoice.paid',
    'customer.subscription.updated',
  ]
  const orders = permutations(kinds)
  await Promise.all(
    orders.map(async (order) => {
      const paid = await paySubscription(world)
      await world.stripe.portalCancel(paid.subscriptionId)
      const stripeEvents = toEvents(world, paid)
      for (const kind of order) {
        const event = stripeEvents.find(({ type }) => type === kind)
        expect(await deliver(world, event!.id)).toBe(200)
      }
      const events = await expectAsAtStripe(paid, order.join(', '))
      expect(events.map(getType).toSorted()).toEqual([
        'checkout.completed',
        'payment.succeeded',
        'subscription.created',
      ])
    }),
  )
})

/**
 * Holds Stripe's replies about subscriptions until the test releases them. Each has the state at the time of the call, however late it is
 * sent.
 */
function holdReplies() {
  const calls: { path: string; release: () => void }[] = []
  world.stripe.onCall = async ({ method, path }, run) => {
    const reply = await run()
    if (method === 'GET' && path.includes('/subscriptions/'))
      await new Promise<void>((release) => calls.push({ path, release }))
    return reply
  }
  return (id: string) =>
    until(`a call about ${id}`, async () => {
      const index = calls.findIndex(({ path }) => path.endsWith(`/${id}`))
      return index >= 0 && calls.splice(index, 1)[0]!.release
    })
}

test('a late reply from Stripe does not overwrite a newer one', async () => {
  const paid = await paySubscription(world)
  for (const { id } of toEvents(world, paid)) await deliver(world, id)
  await cancelThroughApi(world, paid.subscriptionId, true)
  const scheduled = toEvents(world, paid).findLast(({ type }) => type === 'customer.subscription.updated')
  const nextReply = holdReplies()
  const late = deliver(world, scheduled!.id)
  const release = await nextReply(paid.subscriptionId)
  world.stripe.onCall = undefined

  await cancelThroughApi(world, paid.subscriptionId, false)
  const undone = toEvents(world, paid).findLast(({ type }) => type === 'customer.subscription.updated')
  expect(await deliver(world, undone!.id)).toBe(200)
  release()
  expect(await late).toBe(200)
  const events = await expectAsAtStripe(paid, 'after the late reply')
  expect(events.map(getType)).not.toContain('subscription.cancel_scheduled')
})

test('four replies with the states of four moments leave the last state, in any order', async () => {
  const { stripe } = world
  const nextReply = holdReplies()
  const moments: ((id: string) => Promise<unknown>)[] = [
    async () => undefined,
    (id) => stripe.renew(id, { fail: true }),
    (id) => stripe.renew(id),
    (id) => cancelThroughApi(world, id, true),
  ]
  async function releaseIn(order: number[]): Promise<void> {
    const paid = await paySubscription(world)
    const fetches: { release: () => void; answered: Promise<number> }[] = []
    for (const change of moments) {
      const known = toEvents(world, paid).length
      await change(paid.subscriptionId)
      const added = toEvents(world, paid).slice(fetches.length === 0 ? 0 : known)
      const event = added.find(({ type }) => type.startsWith('customer.subscription.'))
      const answered = deliver(world, event!.id)
      fetches.push({ answered, release: await nextReply(paid.subscriptionId) })
    }
    for (const moment of order) {
      fetches[moment]!.release()
      expect(await fetches[moment]!.answered).toBe(200)
    }
    const events = await expectAsAtStripe(paid, `moments ${order}`)
    const times = (wanted: string) => events.filter(({ type }) => type === wanted).length
    expect(times('subscription.created'), `moments ${order}`).toBe(1)
    // The end of the first period is only visible if its own reply arrives first.
    expect(times('subscription.renewed'), `moments ${order}`).toBe(order[0] === 0 ? 1 : 0)
  }
  const orders = permutations([0, 1, 2, 3])
  while (orders.length > 0) await Promise.all(orders.splice(0, 4).map(releaseIn))
})

/** Changes to a subscription at Stripe. One that is impossible at the moment does nothing. */
const changes: ((id: string) => Promise<unknown>)[] = [
  (id) => world.stripe.rollOver(id).catch(() => 'its last invoice is not paid yet'),
  (id) => world.stripe.renew(id),
  (id) => world.stripe.renew(id, { fail: true }),
  (id) => world.stripe.portalCancel(id),
  (id) => cancelThroughApi(world, id, true),
  (id) => cancelThroughApi(world, id, false),
]

/** Like Stripe, sends again if no response comes in time. On a busy machine a slow response is not an error. */
async function deliverUntilAnswered(eventId: string): Promise<number> {
  for (let attempt = 1; attempt < 3; attempt++) {
    const status = await deliver(world, eventId)
    if (status !== 0) return status
  }
  return deliver(world, eventId)
}

async function runRandomHistory(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const paid = await paySubscription(world, random() < 0.3 ? 'yearly' : 'monthly')
  const delivered = new Set<string>()
  /** Delivers some new webhooks and repeats some others: all at once, in random order, while the subscription changes. */
  async function deliverSome(share: number): Promise<void> {
    const chosen = toEvents(world, paid).filter(({ id }) => random() < (delivered.has(id) ? 0.1 : share))
    const copies = shuffled([...chosen, ...chosen.filter(() => random() < 0.3)], random)
    const statuses = await Promise.all(copies.map(({ id }) => deliverUntilAnswered(id)))
    expect(
      statuses.filter((status) => status !== 200),
      `seed ${seed}`,
    ).toEqual([])
    for (const { id } of chosen) delivered.add(id)
  }
  const deliveries: Promise<void>[] = []
  for (let step = 0; step < 7; step++) {
    const change = changes[Math.floor(random() * changes.length)]!
    if (purchaseAtStripe(world, paid.subscriptionId).status !== 'canceled') await change(paid.subscriptionId)
    if (random() < 0.7) deliveries.push(deliverSome(0.5))
  }
  if (purchaseAtStripe(world, paid.subscriptionId).status !== 'canceled') await world.stripe.end(paid.subscriptionId)
  await Promise.all([...deliveries, deliverSome(1)])

  const events = await expectAsAtStripe(paid, `seed ${seed}`)
  const succeeded = events.filter(({ type }) => type === 'payment.succeeded')
  expect(succeeded, `seed ${seed}`).toHaveLength(toEvents(world, paid).filter(isPaidInvoice).length)
}

const isPaidInvoice = ({ type, data }: { type: string; data: { object: Record<string, unknown> } }) =>
  type === 'invoice.paid' && Number(data.object.amount_paid) > 0

const HISTORIES = FULL_SIZE ? 40 : 4

test(`${HISTORIES} random histories end in Stripe’s state, with webhooks reordered and repeated, and slow replies`, async () => {
  const first = Math.floor(Math.random() * 1_000_000)
  const jitter = seededRandom(first)
  world.stripe.onCall = async ({ method }, run) => {
    const reply = await run()
    if (method === 'GET') await delay(jitter() * 250)
    return reply
  }
  for (let history = 0; history < HISTORIES; history += 4) {
    await Promise.all(Array.from({ length: 4 }, (_, index) => runRandomHistory(first + history + index)))
  }
})
