import { describe, expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { buy, cancelHere, expectAsThere, happens, hears, passes, periodEnds, purchaseOf, stateOf } from './buyer.ts'
import { unheard } from './money.ts'
import { useShops } from './shop.ts'

// Ends that are scheduled, and what is said of them.

const shopOf = useShops(1)

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('a subscription whose plan is to change can be cancelled, and ends with its period on the old plan', async () => {
    const shop = shopOf(acquiring)
    const { schedulePlan } = shop.there
    if (!schedulePlan) return // a change of plan there does not wait
    const buyer = await buy(shop)
    await happens(buyer, (id) => schedulePlan(id, shop.driver.prices.yearly))
    expect(await cancelHere(buyer)).toMatchObject({ status: 200, body: { subscription: { status: 'active' } } })
    await expectAsThere(buyer)
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: 'monthly', cancel_at_period_end: true })
    expect(await periodEnds(buyer)).toContain('subscription.ended')
    expect(await purchaseOf(buyer)).toMatchObject({ price_slug: 'monthly', status: 'canceled' })
  })
})

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('the end of a trial that was cancelled is never announced', async () => {
    const shop = shopOf(acquiring)
    const [here, there, unseen] = [await buy(shop, 'yearly'), await buy(shop, 'yearly'), await buy(shop, 'yearly')]
    await cancelHere(here)
    await happens(there, shop.there.cancel)
    await unheard(unseen, shop.there.cancel)
    await passes(here, '9d')
    for (const buyer of [here, there, unseen]) {
      const heard = await hears({ ...buyer, heard: 0 })
      expect(heard).not.toContain('subscription.trial_ending')
      expect(heard.filter((name) => name.startsWith('payment.'))).toEqual([])
      expect(await stateOf(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    }
  })
})

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('what is cancelled while it is past due is answered as it is: it goes on, or it has ended', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, shop.there.failCharge)
    const reply = await cancelHere(buyer)
    const { subscription, message } = reply.body as { subscription: Record<string, unknown>; message: string }
    expect(reply).toMatchObject({ status: 200, body: { success: true } })
    expect(subscription.cancel_at_period_end).toBe(true)
    await hears(buyer)
    await expectAsThere(buyer)
    const purchase = await purchaseOf(buyer)
    expect(subscription.status).toBe(purchase?.status)
    expect(message.includes('has ended')).toBe(purchase?.status === 'canceled')
    if (purchase?.status === 'canceled') expect(subscription.cancel_at).toBe(subscription.canceled_at)
    else expect(subscription.cancel_at).toBe(purchase?.cancel_at)
  })
})
