// A link is all there is of a checkout at Freemius, so nothing keeps it from being paid again: each licence is a purchase.
import { describe, expect, test } from 'vitest'
import { hears, open, stateOf } from '../../conformance/buyer.ts'
import type { Shop } from '../../conformance/shop.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { cancel } from '../../support/subscriber.ts'
import { until } from '../../support/until.ts'
import { boughtBy, follow, freemiusOf, payAt, useProduct } from './product.ts'

const product = useProduct()

const fieldOf = (address: string, name: string) => new URL(address).searchParams.get(name) ?? ''

/** What somebody pays meanwhile is told by no webhook. */
async function unnoticed({ emulator }: Shop, meanwhile: () => Promise<unknown>): Promise<void> {
  emulator.holdWebhooks()
  await meanwhile()
  await emulator.sendHeldWebhooks(() => [])
}

describe('a link that is paid twice', () => {
  test.each(['monthly', 'lifetime'] as const)('is two purchases of the %s price, by its webhooks', async (slug) => {
    const { shop } = product()
    const buyer = await open(shop, slug)
    await payAt(buyer)
    const first = await hears(buyer)
    expect(first).toContain('checkout.completed')
    await payAt(buyer)
    const [{ email }, again] = [buyer, await hears(buyer)]
    expect(again).toEqual(expect.arrayContaining(first))
    expect(await boughtBy(buyer)).toEqual([slug, slug])
    const completed = (await ownerEvents(shop.world, buyer.userId)).flatMap(({ data: { checkout } }) => checkout ?? [])
    expect(completed.map(({ duplicate_of }) => duplicate_of)).toEqual([null, completed[0]?.purchase_id])
    expect((await shop.world.database.query('select from users where email = $1', [email])).rowCount).toBe(1)
  })

  test('is two purchases whoever reports them at the same moment', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    shop.emulator.holdWebhooks()
    await payAt(buyer)
    await payAt(buyer)
    await shop.emulator.sendHeldWebhooks()
    await hears(buyer)
    expect(await boughtBy(buyer)).toEqual(['monthly', 'monthly'])
  })

  test('is two purchases by the way back, if no webhook comes', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    await unnoticed(shop, async () => {
      for (const address of [await payAt(buyer), await payAt(buyer)]) {
        expect(await follow(shop, address)).toMatchObject({ at: expect.stringContaining('/thanks') })
      }
    })
    expect(await boughtBy(buyer)).toEqual(['monthly', 'monthly'])
  })

  test('can be cancelled twice, and is charged no more', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    const addresses = [await payAt(buyer), await payAt(buyer)]
    await hears(buyer)
    const { world, paywall, key } = shop
    for (const { id: subscriptionId } of (await stateOf(buyer)).purchases) {
      const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'one was enough' }
      expect(await cancel(world, { key, body })).toMatchObject({ status: 200 })
    }
    await hears(buyer)
    await until('both are cancelled', async () => {
      const { purchases } = await stateOf(buyer)
      return purchases.length === 2 && purchases.every((each) => each.cancel_at_period_end)
    })
    const subscriptions = addresses.map((address) => fieldOf(address, 'subscription_id'))
    const there = freemiusOf(shop).subscriptions.filter(({ id }) => subscriptions.includes(String(id)))
    expect(there.map(({ next_payment }) => next_payment)).toEqual([null, null])
  })
})
