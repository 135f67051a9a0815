// A checkout at Freemius is only a link, so it can be paid again, or late: each licence is a purchase.
import { describe, expect, test } from 'vitest'
import { withDatabase } from '../../../cli/database.ts'
import { mergeUsers } from '../../../cli/users/merge.ts'
import { advanceClock, type Buyer, buy, newEvents, open, readState } from '../../conformance/buyer.ts'
import type { Shop } from '../../conformance/shop.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { readOwnerId } from '../../support/owner-id.ts'
import { cancel } from '../../support/subscriber.ts'
import { until } from '../../support/until.ts'
import { follow, getFreemius, payAndGetReturnUrl, readBoughtPrices, useProduct } from './product.ts'

const product = useProduct()

const getField = (address: string, name: string) => new URL(address).searchParams.get(name) ?? ''

/** Runs `action` while webhooks are held, and drops those. */
async function withoutWebhooks({ emulator }: Shop, action: () => Promise<unknown>): Promise<void> {
  emulator.holdWebhooks()
  await action()
  await emulator.sendHeldWebhooks(() => [])
}

describe('a link that is paid twice', () => {
  test.each(['monthly', 'lifetime'] as const)('is two purchases of the %s price, by its webhooks', async (slug) => {
    const { shop } = product()
    const buyer = await open(shop, slug)
    await payAndGetReturnUrl(buyer)
    const first = await newEvents(buyer)
    expect(first).toContain('checkout.completed')
    await payAndGetReturnUrl(buyer)
    const [{ email }, again] = [buyer, await newEvents(buyer)]
    expect(again).toEqual(expect.arrayContaining(first))
    expect(await readBoughtPrices(buyer)).toEqual([slug, slug])
    const completed = (await ownerEvents(shop.world, buyer.userId)).flatMap(({ data: { checkout } }) => checkout ?? [])
    expect(completed.map(({ duplicate_of }) => duplicate_of)).toEqual([null, completed[0]?.purchase_id])
    expect((await shop.world.database.query('select from users where email = $1', [email])).rowCount).toBe(1)
  })

  test('is two purchases, even if both are reported at the same moment', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    shop.emulator.holdWebhooks()
    await payAndGetReturnUrl(buyer)
    await payAndGetReturnUrl(buyer)
    await shop.emulator.sendHeldWebhooks()
    await newEvents(buyer)
    expect(await readBoughtPrices(buyer)).toEqual(['monthly', 'monthly'])
  })

  test('is two purchases via the return, if no webhook arrives', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    await withoutWebhooks(shop, async () => {
      for (const address of [await payAndGetReturnUrl(buyer), await payAndGetReturnUrl(buyer)]) {
        expect(await follow(shop, address)).toMatchObject({ at: expect.stringContaining('/thanks') })
      }
    })
    expect(await readBoughtPrices(buyer)).toEqual(['monthly', 'monthly'])
  })

  test.each([
    ['the second payment', 1],
    ['either payment', 0],
  ])('is two purchases if no webhook reports %s', async (_, received) => {
    const { shop } = product()
    const buyer = await open(shop)
    if (received > 0) await payAndGetReturnUrl(buyer)
    await newEvents(buyer)
    expect(await readBoughtPrices(buyer)).toHaveLength(received)
    await withoutWebhooks(shop, async () => {
      for (let time = received; time < 2; time++) await payAndGetReturnUrl(buyer)
    })
    expect(await advanceClock(buyer, '1h')).toContain('checkout.completed')
    expect(await readBoughtPrices(buyer)).toEqual(['monthly', 'monthly'])
    expect(await advanceClock(buyer, '15d')).toEqual([])
  })

  test('is polled for two weeks, whether or not it was paid', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    await payAndGetReturnUrl(buyer)
    await newEvents(buyer)
    await advanceClock(buyer, '13d')
    await withoutWebhooks(shop, () => payAndGetReturnUrl(buyer))
    await advanceClock(buyer, '2d')
    expect(await readBoughtPrices(buyer)).toEqual(['monthly', 'monthly'])
    const pages = await shop.world.database.query('select reconcile_at from checkouts where user_id = $1', [
      buyer.userId,
    ])
    expect(pages.rows).toEqual([{ reconcile_at: null }])
  })

  test('is one purchase if the price has a trial, also when the days of the second trial are over', async () => {
    const { shop } = product()
    const buyer = await open(shop, 'yearly')
    await payAndGetReturnUrl(buyer)
    await newEvents(buyer)
    await payAndGetReturnUrl(buyer)
    expect(await newEvents(buyer)).toEqual([])
    const toldLater = await advanceClock(buyer, '13d')
    expect(toldLater).toContain('subscription.renewed')
    expect(toldLater).not.toContain('checkout.completed')
    expect(await readBoughtPrices(buyer)).toEqual(['yearly'])
  })

  test('is two subscriptions that can both be cancelled', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    const addresses = [await payAndGetReturnUrl(buyer), await payAndGetReturnUrl(buyer)]
    await newEvents(buyer)
    const { world, paywall, key } = shop
    for (const { id: subscriptionId } of (await readState(buyer)).purchases) {
      const body = { paywallId: paywall.id, userId: buyer.userId, subscriptionId, cancellationReason: 'one was enough' }
      expect(await cancel(world, { key, body })).toMatchObject({ status: 200 })
    }
    await newEvents(buyer)
    await until('both are cancelled', async () => {
      const { purchases } = await readState(buyer)
      return purchases.length === 2 && purchases.every((each) => each.cancel_at_period_end)
    })
    const subscriptions = addresses.map((address) => getField(address, 'subscription_id'))
    const atFreemius = getFreemius(shop).subscriptions.filter(({ id }) => subscriptions.includes(String(id)))
    expect(atFreemius.map(({ next_payment }) => next_payment)).toEqual([null, null])
  })
})

test('a link that is paid after more than a month is a purchase', async () => {
  const { shop } = product()
  const buyer = await open(shop)
  const ago = (days: number) => `now() - interval '${days} days'`
  await shop.world.database.query(
    `update checkouts set created_at = ${ago(31)}, reconcile_at = null, purge_at = ${ago(1)} where user_id = $1`,
    [buyer.userId],
  )
  await shop.world.workers.scheduled('purge-expired')
  expect(await follow(shop, await payAndGetReturnUrl(buyer))).toMatchObject({ at: expect.stringContaining('/thanks') })
  expect(await newEvents(buyer)).toContain('checkout.completed')
  expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
})

/** Merges two users. The pages that the first has opened still sell to its e-mail address. */
async function merge({ shop: { world, paywall }, userId: from }: Buyer, remaining: Buyer): Promise<void> {
  const users = { ownerId: await readOwnerId(world, paywall.id), isTest: true }
  await withDatabase(world.databaseUrl, (db) => mergeUsers(db, users, { from, into: remaining.userId }))
  await world.workers.scheduled('deliver-events') // nothing else wakes the delivery of the merge's event
  expect(await newEvents(remaining)).toContain('user.merged')
}

describe('a link that is paid after its buyer was merged into another user', () => {
  test('is a purchase of that user, by its webhooks', async () => {
    const { shop } = product()
    const opener = await open(shop)
    const user = await buy(shop, 'lifetime')
    await merge(opener, user)
    await payAndGetReturnUrl(opener)
    expect(await newEvents(user)).toContain('checkout.completed')
    expect(await readBoughtPrices(user)).toEqual(expect.arrayContaining(['lifetime', 'monthly']))
  })

  test('is a purchase of that user if no webhook reports it, even if two were merged into it', async () => {
    const { shop } = product()
    const opener = await open(shop)
    const between = await open(shop, 'lifetime')
    const user = await buy(shop, 'lifetime')
    await merge(opener, between)
    await merge(between, user)
    await withoutWebhooks(shop, () => payAndGetReturnUrl(opener))
    expect(await advanceClock(user, '1h')).toContain('checkout.completed')
    expect(await readBoughtPrices(user)).toEqual(expect.arrayContaining(['lifetime', 'monthly']))
  })
})
