import { describe, expect, test } from 'vitest'
import type { Terms } from '../../dev/emulators/core/domain/selling-records.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  causeAtProcessor,
  getProcessorId,
  handleWebhooks,
  newEvents,
  open,
  pay,
  pressAndReturn,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { awaitsOneTimePayments } from './drivers/pausing.ts'
import { hasTerms, setUp } from './drivers/set-up.ts'
import { getProcessor, SHOP_NAMES } from './drivers/shop-names.ts'
import { paymentEvents } from './money.ts'
import { useShops } from './shop.ts'

// The owner's events about payments.

const getShop = useShops()

const readCheckouts = async ({ shop, userId }: Buyer) =>
  (await ownerEvents(shop.world, userId)).flatMap(({ data: { checkout } }) => checkout ?? [])

describe.each(SHOP_NAMES)('%s', (name) => {
  test.each([
    ['monthly', {}, { price_slug: 'monthly', amount: 999, currency: 'USD' }],
    ['monthly', { country: 'DE' }, { price_slug: 'monthly', amount: 899, currency: 'EUR' }],
    ['yearly', {}, { price_slug: 'yearly', amount: 0, currency: 'USD' }],
    ['lifetime', {}, { price_slug: 'lifetime', amount: 4900, currency: 'USD' }],
  ] as const)('checkout.completed of %s %j has the charged amount', async (slug, body, shown) => {
    const buyer = await buy(getShop(name), slug, { body })
    expect(await readCheckouts(buyer)).toMatchObject([{ ...shown, purchase_id: (await readPurchase(buyer))?.id }])
  })

  test('a first payment that finally fails emits payment.failed, and the purchase is canceled', async () => {
    const shop = getShop(name)
    const buyer = await open(shop)
    await pressAndReturn(buyer, 'later')
    expect(await newEvents(buyer)).toEqual([])
    const received = await causeAtProcessor(buyer, (id) => shop.account.resolve(true, id))
    expect(received.length).toBeGreaterThan(0)
    // One processor retries first.
    expect(new Set([...received, ...(await advanceClock(buyer, '14d'))])).toEqual(new Set(['payment.failed 999']))
    const failed = { price_slug: 'monthly', amount: 999, refunded_amount: 0, refunded: false }
    for (const event of await paymentEvents(buyer)) expect(event).toMatchObject(failed)
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    expect(await readTokens(buyer)).toBe(0)
    await pay(await open(shop, 'monthly', { email: buyer.email }))
    expect(await readState(buyer)).toMatchObject({ paid: true })
  })

  test('a failed first payment emits payment.failed, even if no earlier webhook arrived', async () => {
    const shop = getShop(name, 1)
    const buyer = await open(shop)
    shop.emulator.holdWebhooks()
    await press(buyer.checkoutUrl, 'later')
    await shop.emulator.sendHeldWebhooks(() => [])
    await shop.account.resolve(true)
    await newEvents(buyer)
    await advanceClock(buyer, '14d')
    expect(new Set(await newEvents({ ...buyer, received: 0 }))).toEqual(new Set(['payment.failed 999']))
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    expect(await readTokens(buyer)).toBe(0)
  })

  test('a payment is attributed to its own purchase, even if the payment of another purchase was processing before', async () => {
    const shop = getShop(name)
    const { account } = shop
    const [first, second] = [await open(shop), await open(shop)]
    for (const buyer of [first, second]) await pressAndReturn(buyer, 'later')
    await handleWebhooks(shop)
    await account.resolve(false, await getProcessorId(second))
    await handleWebhooks(shop)
    expect(await readPurchase(second)).toMatchObject({ status: 'active' })
    expect(await readPurchase(first)).toMatchObject({ status: 'pending' })
    await account.resolve(true, await getProcessorId(first))
    await handleWebhooks(shop)
    expect(await readState(first)).toMatchObject({ paid: false })
  })

  test('a payment event has the purchase status after the payment', async () => {
    const shop = getShop(name)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.failCharge)
    await causeAtProcessor(buyer, shop.account.recover)
    const [, failed, paid] = await paymentEvents(buyer)
    expect([failed?.type, failed?.purchase_status]).toEqual(['payment.failed', 'past_due'])
    expect([paid?.type, paid?.purchase_status]).toEqual(['payment.succeeded', 'active'])
  })
})

test.each(SHOP_NAMES.filter((name) => hasTerms(getProcessor(name).acquiring)))(
  '%s: events have the amount that the buyer paid, including discounts and taxes',
  async (name) => {
    const shop = getShop(name, 1)
    const setTerms = (terms: Terms) =>
      setUp(shop.world[shop.acquiring], shop.paywall.id, { terms, afterRetries: null, lagSeconds: 0 })
    await setTerms({ taxPercent: 20, percentOff: 50 })
    const buyer = await buy(shop, 'lifetime')
    await setTerms({ taxPercent: 0, percentOff: 0 })
    const [payment] = await paymentEvents(buyer)
    expect(payment).toMatchObject({ type: 'payment.succeeded', amount: 2940, refunded_amount: 0 })
    expect(await readCheckouts(buyer)).toMatchObject([{ amount: 2940 }])
    await causeAtProcessor(buyer, shop.account.refund)
    const all = { amount: 2940, refunded_amount: 2940, refunded: true, purchase_status: 'refunded' }
    expect((await paymentEvents(buyer)).at(-1)).toMatchObject(all)
  },
)

test.each(SHOP_NAMES.filter((name) => awaitsOneTimePayments(getProcessor(name).acquiring)))(
  '%s: a one-time purchase whose payment is processing begins when that succeeds',
  async (name) => {
    const shop = getShop(name)
    const buyer = await open(shop, 'lifetime')
    await pressAndReturn(buyer, 'later')
    expect(await newEvents(buyer)).toEqual([])
    expect(await readState(buyer)).toMatchObject({ paid: false })
    await shop.account.resolve(false)
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active', interval: null }] })
  },
)

const IN_FLIGHT = PROCESSOR_NAMES.filter(
  (acquiring) => DEFINITIONS[acquiring].capabilities.supportsImmediateEnd === false,
)

test.each(IN_FLIGHT)(
  '%s: a charge that is processing when a subscription is stopped, and then succeeds, emits payment.unexpected',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const older = await getProcessorId(buyer)
    await advanceClock(buyer, '30d')
    await shop.account.rollOver?.(older)
    const again = await open(shop, 'monthly', { email: buyer.email, body: { ignoreActivePurchase: true } })
    await pay(again)
    await newEvents(buyer)
    await shop.account.resolve(false, older)
    expect(await newEvents(buyer)).toEqual(expect.arrayContaining(['payment.succeeded 999', 'payment.unexpected 999']))
    const [paid, unexpected] = (await paymentEvents(buyer)).slice(-2)
    expect(unexpected).toMatchObject({ type: 'payment.unexpected', id: paid?.id, processor_id: paid?.processor_id })
    expect(await advanceClock(buyer, '8d')).toEqual([])
  },
)
