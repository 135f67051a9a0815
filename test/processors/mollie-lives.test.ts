import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mollieProcessor, payFirst, paymentsOf, subscriptionsOf } from '../support/mollie-purchase.ts'
import { rewritePurchase } from '../support/our-time.ts'
import { ownerEvents, sequenceFaults } from '../support/owner-events.ts'
import { randomNumbers, shuffled } from '../support/random.ts'
import { cancel } from '../support/subscriber.ts'
import { provenBalances, userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
  world.mollie.holdWebhooks()
})
afterAll(() => world.close())

/** What may happen to a subscription. Nobody tells that its mandate died, so that does not happen here. */
const happenings: ((userId: string, subscriptionId: string, random: () => number) => Promise<unknown>)[] = [
  (_, id) => world.mollie.renew(id),
  (_, id) => world.mollie.renew(id, { fail: true }),
  async (_, id, random) => {
    const charge = await world.mollie.renew(id, { pending: true })
    await world.mollie.resolvePayment(charge.id, { fail: random() < 0.3 })
  },
  async (userId) => {
    const [payment] = paymentsOf(world, userId).filter(({ status, amount }) => status === 'paid' && amount.value > '1')
    if (payment) await world.mollie.refund(payment.id, '1.00')
  },
  async (userId) => {
    const body = { paywallId: world.paywall.id, userId, cancellationReason: 'enough' }
    const [purchase] = (await userState(world, userId)).purchases
    await cancel(world, { key: world.key, body: { ...body, subscriptionId: purchase?.id } })
    const isStored = async () => (await userState(world, userId)).purchases[0]?.cancel_at_period_end
    await expect.poll(isStored, { timeout: 10_000 }).toBe(true)
  },
]

function eventsOf(userId: string) {
  const ids = new Set<unknown>(paymentsOf(world, userId).map(({ id }) => id))
  return world.mollie.events.filter(({ _embedded: { entity } }) => ids.has(entity.paymentId ?? entity.id))
}

async function liveThrough(seed: number): Promise<void> {
  const random = randomNumbers(seed)
  const { userId } = await payFirst(world, random() < 0.3 ? 'yearly' : 'monthly')
  const delivered = new Set<string>()
  /** Some of what was not delivered yet, and some again: all at once, in a random order. Life goes on meanwhile. */
  async function deliverSome(share: number): Promise<void> {
    const chosen = eventsOf(userId).filter(({ id }) => random() < (delivered.has(id) ? 0.1 : share))
    const copies = shuffled([...chosen, ...chosen.filter(() => random() < 0.3)], random)
    const statuses = await Promise.all(copies.map(({ id }) => world.mollie.resend(id)))
    expect(new Set(statuses.flat()), `seed ${seed}`).toEqual(new Set(copies.length > 0 ? [200] : []))
    for (const { id } of chosen) delivered.add(id)
  }
  await deliverSome(1)
  const [subscription] = subscriptionsOf(world, userId)
  const underWay: Promise<void>[] = []
  for (let step = 0; step < 7; step++) {
    const happen = happenings[Math.floor(random() * happenings.length)]!
    if (subscriptionsOf(world, userId)[0]?.status === 'active') await happen(userId, subscription!.id, random)
    if (random() < 0.7) underWay.push(deliverSome(0.5))
  }
  await Promise.all([...underWay, deliverSome(1)])
  await expectAsAtMollie(userId, `seed ${seed}`)
}

/** What we have stored is what Mollie has now, and the owner was told once of each payment. */
async function expectAsAtMollie(userId: string, note: string): Promise<void> {
  const before = await userState(world, userId)
  const events = await ownerEvents(world, userId)
  await rewritePurchase(world, userId, "fetched_at = now() - interval '8 days', looked_at = null")
  await world.workers.scheduled('reconcile')
  expect(await userState(world, userId), note).toEqual(before)
  expect(await ownerEvents(world, userId), note).toHaveLength(events.length)
  expect(sequenceFaults(events), note).toEqual([])

  const counted = (type: string) => events.filter((each) => each.type === type).length
  const made = paymentsOf(world, userId).filter(({ amount }) => amount.value !== '0.00')
  const ended = (wanted: string) => made.filter(({ status }) => status === wanted).length
  expect([counted('payment.succeeded'), counted('payment.failed')], note).toEqual([ended('paid'), ended('failed')])
  await provenBalances(world, userId)
}

const LIVES = process.env.STORM ? 39 : 3

test(`${LIVES} random lives, told in random orders with repeats and slow answers, end as Mollie has them`, async () => {
  const first = Math.floor(Math.random() * 1_000_000)
  const jitter = randomNumbers(first)
  world.mollie.onCall = async ({ method }, run) => {
    const answer = await run()
    if (method === 'GET') await delay(jitter() * 150)
    return answer
  }
  for (let life = 0; life < LIVES; life += 3) {
    await Promise.all(Array.from({ length: 3 }, (_, index) => liveThrough(first + life + index)))
  }
}, 90_000)
