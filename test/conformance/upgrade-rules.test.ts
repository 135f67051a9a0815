import { afterEach, describe, expect, test, vi } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call } from '../support/call.ts'
import { press } from '../support/checkout.ts'
import { runInLockOrder } from '../support/held-member.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  cancelThroughApi,
  getProcessorId,
  newEvents,
  open,
  pay,
  pressAndReturn,
  readPurchase,
  readState,
} from './buyer.ts'
import { useShops } from './shop.ts'
import { findPurchase, openBeside, replacing, upgrade } from './upgrading.ts'

// A buyer is never charged for two subscriptions: when a purchase replaces an older subscription, and when it does not.

const getShop = useShops()

afterEach(() => {
  vi.useRealTimers()
})

const RENEWS = { status: 'active', cancel_at_period_end: false }
const ENDS = { status: 'active', cancel_at_period_end: true }

/**
 * A page that sold something is polled half an hour and an hour after it was opened. At a processor that keeps no metadata, that also finds
 * what another page of the buyer sold.
 */
const BETWEEN_POLLS = '45m'

async function bought(acquiring: Parameters<typeof getShop>[0]) {
  const buyer = await buy(getShop(acquiring))
  return { buyer, older: (await readPurchase(buyer))!.id }
}

/** `duplicate_of` of each `checkout.completed`. */
async function readDuplicates({ shop: { world }, userId }: Buyer) {
  const events = await ownerEvents(world, userId)
  return events.flatMap(({ type, data }) => (type === 'checkout.completed' ? [data.checkout?.duplicate_of] : []))
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a trial replaces the older subscription when it begins', async () => {
    const { buyer, older } = await bought(acquiring)
    await upgrade(buyer, 'yearly')
    expect(await readPurchase(buyer)).toMatchObject({ status: 'trialing', cancel_at_period_end: false })
    expect(await findPurchase(buyer, older)).toMatchObject(ENDS)
  })

  test('a processing payment replaces the older subscription only once it succeeds', async () => {
    const { buyer, older } = await bought(acquiring)
    const { shop } = buyer
    for (const fails of [true, false]) {
      await advanceClock(buyer, '1h')
      await pressAndReturn(await open(shop, 'plus', replacing(buyer)), 'later')
      await newEvents(buyer)
      expect(await findPurchase(buyer, older)).toMatchObject(RENEWS)
      await shop.account.resolve(fails, await getProcessorId(buyer))
      await newEvents(buyer)
      expect(await findPurchase(buyer, older)).toMatchObject(fails ? RENEWS : ENDS)
    }
  })

  test.each(['last', 'first'] as const)(
    'a charge of the older subscription after the upgrade, whose webhook arrives %s, emits payment.unexpected once',
    async (position) => {
      const { buyer, older } = await bought(acquiring)
      const { shop } = buyer
      const processorId = await getProcessorId(buyer)
      await advanceClock(buyer, BETWEEN_POLLS)
      const page = await open(shop, 'monthly', replacing(buyer))
      shop.emulator.holdWebhooks()
      await press(page.checkoutUrl, 'pay')
      await advanceClock(buyer, '1m')
      await shop.account.renew(processorId)
      await shop.emulator.sendHeldWebhooks((events) => (position === 'first' ? events.toReversed() : events))
      const received = await newEvents(buyer)
      expect(received.filter((type) => type === 'payment.unexpected 999')).toHaveLength(1)
      expect(received.filter((type) => type === 'payment.succeeded 999')).toHaveLength(2)
      const events = await ownerEvents(shop.world, buyer.userId)
      const alarm = events.find(({ type }) => type === 'payment.unexpected')
      const charge = events.findLast(
        ({ type, data }) => type === 'payment.succeeded' && data.payment?.purchase_id === older,
      )
      expect(alarm?.data.payment).toEqual(charge?.data.payment)
    },
  )

  test('only one of two upgrades that are paid at the same time continues', async () => {
    const { buyer } = await bought(acquiring)
    const { shop } = buyer
    await advanceClock(buyer, '1h')
    const one = await open(shop, 'monthly', replacing(buyer))
    const other = await openBeside(one, 'monthly', replacing(buyer))
    shop.emulator.holdWebhooks()
    await Promise.all([pay(one), pay(other)])
    await shop.emulator.sendHeldWebhooks((events) => events.toReversed())
    await newEvents(buyer)
    const { purchases } = await readState(buyer)
    expect(purchases).toHaveLength(3)
    expect(purchases.filter((each) => !each.cancel_at_period_end)).toMatchObject([{ status: 'active' }])
    expect(await readDuplicates(buyer)).toEqual([null, null, null])
  })

  test('an upgrade that is found only after a newer one is replaced by the newer one', async () => {
    const { buyer } = await bought(acquiring)
    const { shop } = buyer
    await advanceClock(buyer, BETWEEN_POLLS)
    shop.emulator.holdWebhooks()
    const { checkoutUrl } = await open(shop, 'monthly', replacing(buyer))
    await press(checkoutUrl, 'pay') // the buyer does not return
    await shop.world.clock.advance(shop.paywall.id, '1m')
    await pay(await open(shop, 'monthly', replacing(buyer)))
    const newer = (await readPurchase(buyer))!.id
    await shop.emulator.sendHeldWebhooks((events) => events)
    await newEvents(buyer)
    const { purchases } = await readState(buyer)
    expect(purchases).toHaveLength(3)
    expect(purchases.filter((each) => !each.cancel_at_period_end)).toMatchObject([{ id: newer, status: 'active' }])
  })

  test('a subscription that begins in the same second as the one that it replaces counts as newer', async () => {
    const shop = getShop(acquiring)
    // The ids of purchases are random: without a rule each pair would be right by chance.
    for (let pair = 0; pair < 5; pair++) {
      vi.useFakeTimers({ toFake: ['Date'] }) // the processor's time stands still
      const first = await open(shop)
      await pay(first)
      await pay(await open(shop, 'plus', replacing(first)))
      await shop.emulator.drainWebhooks()
      vi.useRealTimers() // the database's time has run on: a sale long before its page is not found
      const { purchases } = await readState(first)
      expect(purchases.filter((each) => !each.cancel_at_period_end)).toMatchObject([{ price_slug: 'plus' }])
    }
  })

  test('only one of two upgrades that begin at the same time and are stored concurrently continues', async () => {
    const { buyer, older } = await bought(acquiring)
    const { shop, userId } = buyer
    await advanceClock(buyer, '1h')
    const first = await open(shop, 'monthly', replacing(buyer))
    const pages = [first, await openBeside(first, 'monthly', replacing(buyer))]
    shop.emulator.holdWebhooks()
    vi.useFakeTimers({ toFake: ['Date'] }) // the processor's time stands still
    const returns: string[] = []
    for (const { checkoutUrl } of pages) returns.push(await press(checkoutUrl, 'pay'))
    vi.useRealTimers()
    await runInLockOrder(
      shop.world,
      userId,
      returns.map((address) => () => call(shop.world, address)),
    )
    await shop.emulator.sendHeldWebhooks()
    await newEvents(buyer)
    const { purchases } = await readState(buyer)
    expect(purchases).toHaveLength(3)
    expect(purchases.filter((each) => !each.cancel_at_period_end)).toMatchObject([{ status: 'active' }])
    expect(await findPurchase(buyer, older)).toMatchObject(ENDS)
    const { rows } = await shop.world.database.query(
      'select distinct started_at from purchases where user_id = $1 and id <> $2',
      [userId, older],
    )
    expect(rows).toHaveLength(1)
  })

  test('a one-time purchase with access replaces a subscription if its page was opened with ignoreActivePurchase', async () => {
    const { buyer, older } = await bought(acquiring)
    await upgrade(buyer, 'lifetime')
    expect(await findPurchase(buyer, older)).toMatchObject(ENDS)
  })

  test('a one-time purchase without ignoreActivePurchase replaces nothing, and is reported as a duplicate', async () => {
    const shop = getShop(acquiring)
    const buyer = await open(shop, 'lifetime')
    await pay(await openBeside(buyer, 'monthly'))
    await newEvents(buyer)
    const older = (await readPurchase(buyer))!.id
    await pay(buyer)
    await newEvents(buyer)
    expect(await findPurchase(buyer, older)).toMatchObject(RENEWS)
    expect(await readDuplicates(buyer)).toEqual([null, older])
  })

  test('a pack replaces nothing, even with ignoreActivePurchase, and is never a duplicate', async () => {
    const { buyer, older } = await bought(acquiring)
    expect(await upgrade(buyer, 'pack')).toEqual(['checkout.completed', 'payment.succeeded 500'])
    expect(await findPurchase(buyer, older)).toMatchObject(RENEWS)
    expect(await readDuplicates(buyer)).toEqual([null, null])
  })

  test('two subscriptions bought without ignoreActivePurchase both continue, and the second is reported as a duplicate', async () => {
    const shop = getShop(acquiring)
    const first = await open(shop)
    const second = await openBeside(first, 'monthly')
    await pay(second)
    await newEvents(second)
    const { id } = (await readPurchase(second))!
    await pay(first)
    await newEvents(first)
    await advanceClock(first, '1h')
    expect((await readState(first)).purchases).toMatchObject([RENEWS, RENEWS])
    expect(await readDuplicates(first)).toEqual([null, id])
  })

  test('two subscriptions are renewed, refunded and cancelled separately', async () => {
    const shop = getShop(acquiring)
    const buyer = await open(shop)
    const page = await openBeside(buyer, 'plus')
    await pay(buyer)
    await newEvents(buyer)
    const monthly = await getProcessorId(buyer)
    await pay(page)
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 1999', 'subscription.created'])
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
    await shop.account.renew(monthly)
    expect(await newEvents(buyer)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
    await shop.account.refund(monthly, 300)
    expect(await newEvents(buyer)).toEqual(['payment.refunded 300'])
    expect((await readState(buyer)).purchases).toMatchObject([
      { price_slug: 'plus', cancel_at_period_end: true },
      { price_slug: 'monthly', ...RENEWS },
    ])
  })
})
