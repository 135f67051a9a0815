// A read after an event shows at least what the event shows: the owner's backend reads the user at once, before it answers.
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import type { Received } from '../../dev/world/pages/received.ts'
import {
  advancePastPeriodEnd,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  newEvents,
} from '../conformance/buyer.ts'
import { change } from '../conformance/change-plan-calls.ts'
import { paywallAt, type Shop, shopAt } from '../conformance/shop.ts'
import { findSequenceErrors, type OwnerEvent, ownerEvents } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { changeBalance } from '../support/token-calls.ts'
import { type UserState, userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let shop: Shop
let ownerEmail: string
/** What the user endpoint returned while each event was being delivered, by the event's id. */
const reads = new Map<string, UserState>()

beforeAll(async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhooks = [{ url: `${world.receiver.url}/webhooks/reader`, secret, events: ['*', 'balance.changed'] }]
  const file = await paywallFile({ webhooks, paywalls: [paywallAt('stripe')] })
  await world.apply(file)
  ownerEmail = file.owner.email
  const [sold] = file.paywalls
  shop = shopAt(world, sold!, sold!, file.keys[0]!.secret!)
  world.receiver.answer = async ({ body }: Received) => {
    const { id, data }: OwnerEvent = JSON.parse(body)
    reads.set(id, await userState(world, data.user.id!, { paywallId: sold!.id, key: shop.key }))
    return {}
  }
})

/** The events of a user whose read shows an earlier state than they do. */
async function findStaleReads(userId: string): Promise<string[]> {
  const events = await ownerEvents(world, userId)
  expect(findSequenceErrors(events)).toEqual([])
  return events.flatMap((event, place) => {
    const state = reads.get(event.id)
    return state && isAtLeast(state, events.slice(place)) ? [] : [`${event.type}: ${JSON.stringify(state)}`]
  })
}

/** Whether a state is that of the first of these events, or of a later one. */
function isAtLeast({ purchases, balances }: UserState, [event, ...later]: OwnerEvent[]): boolean {
  const { subscription, payment, checkout, balance } = event!.data
  if (subscription) {
    const { last_payment: _, ...shown } = purchases.find(({ id }) => id === subscription.id) ?? {}
    return [event!, ...later].some(({ data }) => isDeepStrictEqual(data.subscription, shown))
  }
  if (payment) {
    const paidAt = purchases.find(({ id }) => id === payment.purchase_id)?.last_payment?.paid_at ?? ''
    return paidAt >= payment.occurred_at || event!.type !== 'payment.succeeded'
  }
  if (checkout) return purchases.some(({ id }) => id === checkout.purchase_id)
  if (!balance) return true
  const shown = balances.find(({ type }) => type === balance.type)?.count
  return [event!, ...later].some(({ data }) => data.balance?.type === balance.type && data.balance.count === shown)
}

/** A life with an event of most types. */
async function live(): Promise<Buyer> {
  const buyer = await buy(shop)
  const credit = (amount: number, op = 'credit') =>
    changeBalance(world, { user_id: buyer.userId, op, amount }, { paywallId: shop.paywall.id, key: shop.key })
  await Promise.all([credit(1), credit(2), credit(3), credit(1, 'debit')])
  await causeAtProcessor(buyer, shop.account.renew)
  await cancelThroughApi(buyer)
  await causeAtProcessor(buyer, shop.account.undo)
  await change(buyer, 'plus', { when: 'now' })
  await causeAtProcessor(buyer, shop.account.failCharge)
  await causeAtProcessor(buyer, shop.account.recover)
  await causeAtProcessor(buyer, (id) => shop.account.refund(id))
  return buyer
}

test('a read after each event shows at least what the event shows, with several users at once', async () => {
  const buyers = await Promise.all([live(), live(), live()])
  await cancelThroughApi(buyers[0]!)
  await advancePastPeriodEnd(buyers[0]!)
  for (const { userId } of buyers) expect(await findStaleReads(userId)).toEqual([])
  const types = new Set((await ownerEvents(world, buyers[0]!.userId)).map(({ type }) => type))
  expect([...types]).toEqual(
    expect.arrayContaining([
      'balance.changed',
      'checkout.completed',
      'payment.failed',
      'payment.refunded',
      'payment.succeeded',
      'subscription.cancel_scheduled',
      'subscription.created',
      'subscription.ended',
      'subscription.past_due',
      'subscription.plan_changed',
      'subscription.renewed',
      'subscription.uncanceled',
    ]),
  )
})

test('after user.merged, both ids refer to the user that remains', async () => {
  const [from, into] = [await buy(shop), await buy(shop, 'lifetime')]
  const merged = await paywall(world, ['users', 'merge', from.userId, into.userId, '--owner', ownerEmail])
  expect(merged).toMatchObject({ code: 0 })
  await world.workers.scheduled('deliver-events')
  await newEvents(into)
  const event = (await ownerEvents(world, into.userId)).find(({ type }) => type === 'user.merged')
  expect(reads.get(event!.id)?.purchases).toHaveLength(2)
  const byOldId = await userState(world, from.userId, { paywallId: shop.paywall.id, key: shop.key })
  expect(byOldId).toEqual(reads.get(event!.id))
})
