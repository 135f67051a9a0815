import { describe, expect, test } from 'vitest'
import { ACQUIRING, type Acquiring } from '../../lib/processors/acquiring.ts'
import { buy, cancelHere, expectAsThere, happens, hears, passes, periodEnds, purchaseOf, stateOf } from './buyer.ts'
import { unheard } from './money.ts'
import { type Shop, useShops } from './shop.ts'

// Ends that are scheduled, and what is said of them.

const shopOf = useShops(1)

/** Where the portal lets a change of plan wait for the end of the period. */
const SCHEDULES: Acquiring[] = ['stripe', 'chargebee']

describe.each(SCHEDULES)('%s', (acquiring) => {
  test('a subscription whose plan is to change can be cancelled, and ends with its period on the old plan', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, (id) => shop.there.schedulePlan!(id, shop.driver.prices.yearly))
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
    await passes(here, '8d')
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

test('stripe: an end that is later than the period is shown as it is, and the end of the period can be chosen instead', async () => {
  const shop = shopOf('stripe')
  const buyer = await buy(shop)
  const { current_period_end: periodEnd } = (await purchaseOf(buyer))!
  const later = new Date(Math.floor(Date.parse(periodEnd!) / 1000) * 1000 + 100 * 86_400_000)
  await happens(buyer, (id) => setEnd(shop, id, later))
  const end = { cancel_at: later.toISOString(), cancel_at_period_end: false, status: 'active' }
  expect(await purchaseOf(buyer)).toMatchObject(end)
  expect(await cancelHere(buyer)).toMatchObject({ status: 200, body: { subscription: { cancel_at: periodEnd } } })
  expect(await hears(buyer)).toEqual(['subscription.cancel_scheduled'])
  expect(await purchaseOf(buyer)).toMatchObject({ cancel_at: periodEnd, cancel_at_period_end: true })
})

/** The owner schedules the end of a subscription through Stripe's API. */
async function setEnd({ emulator, paywall }: Shop, id: string, end: Date): Promise<void> {
  const { secretKey } = paywall.processor.credentials as { secretKey: string }
  const response = await fetch(`${emulator.url}/v1/subscriptions/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ cancel_at: String(end.getTime() / 1000) }),
  })
  expect(response.status).toBe(200)
}

test('chargebee: what is cancelled while it is paused says so', async () => {
  const shop = shopOf('chargebee')
  const buyer = await buy(shop)
  await happens(buyer, (id) => shop.world.chargebee.pause(id))
  expect(await purchaseOf(buyer)).toMatchObject({ status: 'paused', cancel_at_period_end: false })
  expect(await cancelHere(buyer)).toMatchObject({ status: 200, body: { subscription: { cancel_at_period_end: true } } })
  const cancelled = { status: 'paused', cancel_at_period_end: true, cancel_at: expect.any(String) }
  expect(await purchaseOf(buyer)).toMatchObject(cancelled)
})
