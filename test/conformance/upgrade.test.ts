import { describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { type Buyer, buy, happens, hears, open, order, passes, pay, purchaseOf, stateOf } from './buyer.ts'
import { type Shop, useShops } from './shop.ts'

// One buyer is charged once: a sale with `ignoreActivePurchase` replaces the buyer's older subscriptions once it is paid.

const shopOf = useShops()

/** An hour later the same buyer buys again, to replace what it has. */
async function upgrade(buyer: Buyer, slug: 'monthly' | 'yearly' | 'lifetime' = 'monthly'): Promise<Buyer> {
  await passes(buyer, '1h')
  const again = await open(buyer.shop, slug, { email: buyer.email, body: { ignoreActivePurchase: true } })
  await pay(again)
  buyer.heard = (await ownerEvents(buyer.shop.world, buyer.userId)).length
  await hears(buyer)
  return buyer
}

/** How often each purchase of a buyer was charged, by our id of it. */
async function charges({ shop: { world }, userId }: Buyer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { type, data } of await ownerEvents(world, userId)) {
    if (type !== 'payment.succeeded') continue
    const id = String(data.payment?.purchase_id)
    counts[id] = (counts[id] ?? 0) + 1
  }
  return counts
}

/** While something goes on, no call that changes a subscription reaches the processor. */
async function withoutStops(shop: Shop, meanwhile: () => Promise<void>): Promise<void> {
  shop.emulator.onCall = async ({ method, path }, run) => {
    const changesOne = method === 'DELETE' || method === 'PATCH' || /\/subscriptions\/[^/]+/.test(path)
    if (method !== 'GET' && changesOne) throw new DroppedCall()
    return run()
  }
  try {
    await meanwhile()
  } finally {
    shop.emulator.onCall = undefined
  }
}

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('an upgrade of a subscription that is paid up lets it end with its period, and nobody is charged for both', async () => {
    const buyer = await buy(shopOf(acquiring))
    const older = (await purchaseOf(buyer))!
    await upgrade(buyer)
    const { purchases } = await stateOf(buyer)
    expect(purchases).toHaveLength(2)
    expect(purchases[0]).toMatchObject({ status: 'active', cancel_at_period_end: false })
    expect(purchases[1]).toMatchObject({ id: older.id, status: 'active', cancel_at_period_end: true })

    await passes(buyer, '70d')
    const charged = await charges(buyer)
    expect(charged[older.id]).toBe(1)
    expect(charged[purchases[0]!.id]).toBeGreaterThanOrEqual(3)
    expect((await stateOf(buyer)).purchases.find(({ id }) => id === older.id)).toMatchObject({ status: 'canceled' })
  })

  test('an upgrade of a trial leaves it without a charge', async () => {
    const buyer = await buy(shopOf(acquiring), 'yearly')
    const trial = (await purchaseOf(buyer))!
    await upgrade(buyer)
    await passes(buyer, '10d')
    expect((await charges(buyer))[trial.id]).toBeUndefined()
    expect((await stateOf(buyer)).purchases.find(({ id }) => id === trial.id)).toMatchObject({ status: 'canceled' })
  })

  test('an upgrade of a subscription that is past due ends what is owed', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, shop.there.failCharge)
    const older = (await purchaseOf(buyer))!
    expect(older).toMatchObject({ status: 'past_due' })
    await upgrade(buyer)
    await passes(buyer, '40d')
    expect((await charges(buyer))[older.id]).toBe(1)
    expect((await stateOf(buyer)).purchases.find(({ id }) => id === older.id)).toMatchObject({ status: 'canceled' })
  })

  test('of two upgrades that are paid together one goes on', async () => {
    const shop = shopOf(acquiring)
    if (shop.abilities.closesPages) return
    const buyer = await buy(shop)
    await passes(buyer, '1h')
    const options = { email: buyer.email, body: { ignoreActivePurchase: true } }
    const [one, other] = [await open(shop, 'monthly', options), await open(shop, 'monthly', options)]
    await Promise.all([pay(one), pay(other)])
    buyer.heard = (await ownerEvents(shop.world, buyer.userId)).length
    await hears(buyer)
    const { purchases } = await stateOf(buyer)
    expect(purchases.filter((each) => each.status === 'active' && !each.cancel_at_period_end)).toHaveLength(1)
  })

  test('what cannot be stopped for a day is reported once, and stopped when that is possible', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    const older = (await purchaseOf(buyer))!
    const isStopped = async () => {
      const purchase = (await stateOf(buyer)).purchases.find(({ id }) => id === older.id)
      return purchase?.cancel_at_period_end === true || purchase?.status === 'canceled'
    }
    await withoutStops(shop, async () => {
      await upgrade(buyer)
      expect(await isStopped()).toBe(false)
      expect(await passes(buyer, '20h')).toEqual([])
      expect(await passes(buyer, '10h')).toEqual(['subscription.stop_failed'])
      expect(await passes(buyer, '3d')).toEqual([])
    })
    await passes(buyer, '1d')
    expect(await isStopped()).toBe(true)
  })

  test('what is paid once replaces a subscription only if its page was opened for that', async () => {
    const buyer = await buy(shopOf(acquiring))
    await upgrade(buyer, 'lifetime')
    const { purchases } = await stateOf(buyer)
    expect(purchases.find(({ interval }) => interval)).toMatchObject({ cancel_at_period_end: true })
  })

  test('of two pages that are paid without the flag both are shown, none is ended, and the owner gets `duplicate_of`', async () => {
    const shop = shopOf(acquiring)
    const first = await open(shop)
    const second = await open(shop, 'monthly', { email: first.email })
    await pay(second)
    await hears(second)
    const bought = (await purchaseOf(second))!
    if (shop.abilities.closesPages) return
    await pay(first)
    await hears(first)
    const { purchases } = await stateOf(first)
    expect(purchases).toHaveLength(2)
    for (const purchase of purchases) expect(purchase).toMatchObject({ status: 'active', cancel_at_period_end: false })
    const completed = (await ownerEvents(shop.world, first.userId)).filter(({ type }) => type === 'checkout.completed')
    expect(completed.map(({ data }) => data.checkout?.duplicate_of)).toEqual([null, bought.id])
  })

  test('without the flag nothing more is sold, until what is past due has ended', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, shop.there.failCharge)
    await passes(buyer, '8d')
    const purchase = (await purchaseOf(buyer))!
    const reply = await order(shop, 'monthly', { email: buyer.email })
    if (purchase.status === 'canceled') return expect(reply).toMatchObject({ status: 200 })
    expect(reply).toMatchObject({
      status: 409,
      body: { hasActivePurchase: true, purchaseId: purchase.id, status: purchase.status },
    })
  })
})
