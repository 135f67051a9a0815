import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { FULL_SIZE } from '../../support/full-size.ts'
import { getPayments, listSubscriptions, mollieProcessor, payFirst } from '../../support/mollie-purchase.ts'
import { findSequenceErrors, ownerEvents } from '../../support/owner-events.ts'
import { monthly, yearly } from '../../support/paywall-file.ts'
import { seededRandom, shuffled } from '../../support/random.ts'
import { cancel } from '../../support/subscriber.ts'
import { atNewPaywall } from '../../support/tenants.ts'
import { userState, verifiedBalances } from '../../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })

beforeAll(() => {
  world.mollie.holdWebhooks()
})

/** A paywall with its own clock, which moves so little that no trial or period ends. */
const openShop = () =>
  atNewPaywall(world, { processor: mollieProcessor(), prices: [monthly({ locals: [] }), yearly({ trial_days: 30 })] })

/** What may happen to a subscription. Nothing reports a mandate that became invalid, so that is left out. */
const actions: ((shop: TestWorld, userId: string, subscriptionId: string, random: () => number) => Promise<unknown>)[] =
  [
    (_shop, _, id) => world.mollie.renew(id),
    (_shop, _, id) => world.mollie.renew(id, { fail: true }),
    async (_shop, _, id, random) => {
      const charge = await world.mollie.renew(id, { pending: true })
      await world.mollie.resolvePayment(charge.id, { fail: random() < 0.3 })
    },
    async (_shop, userId) => {
      const [payment] = getPayments(world, userId).filter(
        ({ status, amount }) => status === 'paid' && amount.value > '1',
      )
      if (payment) await world.mollie.refund(payment.id, '1.00')
    },
    async (shop, userId) => {
      const body = { paywallId: shop.paywall.id, userId, cancellationReason: 'enough' }
      const [purchase] = (await userState(shop, userId)).purchases
      await cancel(world, { key: shop.key, body: { ...body, subscriptionId: purchase?.id } })
      const isStored = async () => (await userState(shop, userId)).purchases[0]?.cancel_at_period_end
      await expect.poll(isStored, { timeout: 10_000 }).toBe(true)
    },
  ]

function getEvents(userId: string) {
  const ids = new Set<unknown>(getPayments(world, userId).map(({ id }) => id))
  return world.mollie.events.filter(({ _embedded: { entity } }) => ids.has(entity.paymentId ?? entity.id))
}

async function simulateLifecycle(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const shop = await openShop()
  const { userId } = await payFirst(shop, random() < 0.3 ? 'yearly' : 'monthly')
  const delivered = new Set<string>()
  /** Delivers some new webhooks, and some again, concurrently and in random order. */
  async function deliverSome(share: number): Promise<void> {
    const chosen = getEvents(userId).filter(({ id }) => random() < (delivered.has(id) ? 0.1 : share))
    const copies = shuffled([...chosen, ...chosen.filter(() => random() < 0.3)], random)
    const statuses = await Promise.all(copies.map(({ id }) => world.mollie.resend(id)))
    expect(new Set(statuses.flat()), `seed ${seed}`).toEqual(new Set(copies.length > 0 ? [200] : []))
    for (const { id } of chosen) delivered.add(id)
  }
  await deliverSome(1)
  const [subscription] = listSubscriptions(world, userId)
  const deliveries: Promise<void>[] = []
  for (let step = 0; step < 7; step++) {
    const act = actions[Math.floor(random() * actions.length)]!
    if (listSubscriptions(world, userId)[0]?.status === 'active') await act(shop, userId, subscription!.id, random)
    if (random() < 0.7) deliveries.push(deliverSome(0.5))
  }
  await Promise.all([...deliveries, deliverSome(1)])
  await expectAsAtMollie(shop, userId, `seed ${seed}`)
}

/** Expects that we have stored what Mollie has, and that the owner got one event for each payment. */
async function expectAsAtMollie(shop: TestWorld, userId: string, note: string): Promise<void> {
  const stored = async () => {
    const { purchases, balances } = await userState(shop, userId)
    return { purchases, balances }
  }
  const before = await stored()
  const events = await ownerEvents(world, userId)
  await world.clock.advance(shop.paywall.id, '8d')
  expect(await stored(), note).toEqual(before)
  const later = (await ownerEvents(world, userId)).slice(events.length).map(({ type }) => type)
  const isOverdue = before.purchases.some(({ status }) => status === 'past_due')
  expect(later, note).toEqual(isOverdue ? ['subscription.access_ended'] : [])
  expect(findSequenceErrors(events), note).toEqual([])

  const counted = (type: string) => events.filter((each) => each.type === type).length
  const made = getPayments(world, userId).filter(({ amount }) => amount.value !== '0.00')
  const ended = (wanted: string) => made.filter(({ status }) => status === wanted).length
  expect([counted('payment.succeeded'), counted('payment.failed')], note).toEqual([ended('paid'), ended('failed')])
  await verifiedBalances(world, userId)
}

const LIFECYCLES = FULL_SIZE ? 39 : 3

test(`${LIFECYCLES} random lifecycles with shuffled and repeated webhooks and slow replies end in the state at Mollie`, async () => {
  const first = Math.floor(Math.random() * 1_000_000)
  const jitter = seededRandom(first)
  world.mollie.onCall = async ({ method }, run) => {
    const answer = await run()
    if (method === 'GET') await delay(jitter() * 150)
    return answer
  }
  for (let offset = 0; offset < LIFECYCLES; offset += 3) {
    await Promise.all(Array.from({ length: 3 }, (_, index) => simulateLifecycle(first + offset + index)))
  }
})
