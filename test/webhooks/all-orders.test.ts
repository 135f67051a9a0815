import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDays } from '../../dev/emulators/mollie/dates.ts'
import { call } from '../support/call.ts'
import { mollieProcessor, payFirst, paymentsOf, subscriptionsOf } from '../support/mollie-purchase.ts'
import { ownerEvents, sequenceFaults } from '../support/owner-events.ts'
import { permutations } from '../support/random.ts'
import { asStripeHasIt, cancelThroughApi, eventsOf, paySubscription } from '../support/stripe-purchase.ts'
import { provenBalances, userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

/** How many lives are told at the same time. */
const AT_ONCE = 6
const GROUP = 60

const orders = permutations([0, 1, 2, 3, 4, 5])
/** All 720 of them in a storm; else each 60th. */
const chosen = process.env.STORM ? orders : orders.filter((_, index) => index % 60 === 0)

let world: TestWorld

/** A life that is over, and what is the same in whatever order it is told. */
interface Life {
  userId: string
  /** Six events of its processor. */
  eventIds: string[]
  /** Fields of the purchase as its processor has it now. */
  purchase: object
  /** The types of what the owner is told. */
  events: string[]
  /** Of the price, for the periods that were seen. */
  tokens: number
}

async function expectTheSame(
  order: number[],
  { userId, eventIds, purchase, events, tokens }: Life,
  resend: (id: string) => Promise<number[]>,
) {
  expect(eventIds).toHaveLength(6)
  for (const place of order) expect(await resend(eventIds[place]!), String(order)).toEqual([200])
  expect((await userState(world, userId)).purchases, String(order)).toMatchObject([purchase])
  const told = await ownerEvents(world, userId)
  expect(told.map(({ type }) => type).toSorted(), String(order)).toEqual(events)
  expect(sequenceFaults(told), String(order)).toEqual([])
  expect((await provenBalances(world, userId)).standard, String(order)).toBe(tokens)
}

/** Between groups the emulator forgets the webhooks that it holds back, since it goes through all of them at each event. */
async function inEachOrder(tell: (order: number[]) => Promise<void>, { stripe, mollie }: TestWorld): Promise<void> {
  for (let group = 0; group < chosen.length; group += GROUP) {
    const rest = chosen.slice(group, group + GROUP).values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const order of rest) await tell(order)
      }),
    )
    for (const emulator of [stripe, mollie]) {
      await emulator.sendHeldWebhooks(() => [])
      emulator.holdWebhooks()
    }
  }
}

describe('at Stripe', () => {
  beforeAll(async () => {
    world = await startTestWorld()
    world.stripe.holdWebhooks()
  })
  afterAll(() => world.close())

  const KINDS = [
    'checkout.session.completed',
    'customer.subscription.created',
    'invoice.paid',
    'customer.subscription.updated',
  ]

  /** Buys, renews and cancels. */
  async function live(): Promise<Life> {
    const paid = await paySubscription(world)
    await world.stripe.rollOver(paid.subscriptionId)
    await world.stripe.renew(paid.subscriptionId)
    await cancelThroughApi(world, paid.subscriptionId, true)
    return {
      userId: paid.userId,
      eventIds: eventsOf(world, paid).flatMap(({ id, type }) => (KINDS.includes(type) ? [id] : [])),
      purchase: asStripeHasIt(world, paid.subscriptionId),
      events: ['checkout.completed', 'payment.succeeded', 'payment.succeeded', 'subscription.created'],
      tokens: 100,
    }
  }

  test(`a life of six events is the same in ${chosen.length} orders`, { timeout: 600_000 }, async () => {
    await inEachOrder(async (order) => expectTheSame(order, await live(), (id) => world.stripe.resend(id)), world)
  })
})

describe('at Mollie', () => {
  beforeAll(async () => {
    world = await startTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
    world.mollie.holdWebhooks()
  })
  afterAll(() => world.close())

  /**
   * Buys and comes back, renews, fails to pay, and pays the time after; of the first payment a part is refunded, and the last
   * one is charged back.
   */
  async function live(): Promise<Life> {
    const { userId, paymentId, back } = await payFirst(world)
    expect(await call(world, back)).toMatchObject({ status: 303 })
    const id = subscriptionsOf(world, userId)[0]!.id
    await world.mollie.renew(id)
    await world.mollie.renew(id, { fail: true })
    const last = await world.mollie.renew(id)
    await world.mollie.refund(paymentId, '1.00')
    await world.mollie.chargeback(last.id)
    const paidUntil = addDays(subscriptionsOf(world, userId)[0]!.nextPaymentDate ?? '', 1)
    return {
      userId,
      eventIds: eventsAbout(userId),
      purchase: {
        status: 'active',
        cancel_at_period_end: false,
        current_period_end: expect.stringContaining(paidUntil),
      },
      events: [
        'checkout.completed',
        'payment.disputed',
        'payment.failed',
        'payment.refunded',
        'payment.succeeded',
        'payment.succeeded',
        'payment.succeeded',
        'subscription.created',
        'subscription.renewed',
      ],
      tokens: 200,
    }
  }

  function eventsAbout(userId: string): string[] {
    const ids = new Set<unknown>(paymentsOf(world, userId).map(({ id }) => id))
    const about = world.mollie.events.filter(({ _embedded: { entity } }) => ids.has(entity.paymentId ?? entity.id))
    return about.map(({ id }) => id)
  }

  test(`a life of six events is the same in ${chosen.length} orders`, { timeout: 600_000 }, async () => {
    await inEachOrder(async (order) => expectTheSame(order, await live(), (id) => world.mollie.resend(id)), world)
  })
})
