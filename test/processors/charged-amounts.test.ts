import { describe, expect, test } from 'vitest'
import {
  type Buyer,
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  readState,
  readTokens,
} from '../conformance/buyer.ts'
import { useShops } from '../conformance/shop.ts'
import { ownerEvents } from '../support/owner-events.ts'

// What buyers pay differs from the price: taxes are added, and a coupon is deducted.

const getShop = useShops(1)

const TERMS = { taxPercent: 20, percentOff: 10 }
// 10 % off 9.99, and 20 % tax on the rest; the same for 49.00.
const [MONTHLY, LIFETIME] = [1079, 5292]

/** Mollie has no taxes: its amounts are the requested ones. */
const TAXED = ['stripe', 'polar', 'chargebee', 'freemius'] as const

const readData = async ({ shop: { world }, userId }: Buyer, type: string) =>
  (await ownerEvents(world, userId)).findLast((event) => event.type === type)?.data

describe.each(TAXED)('%s', (acquiring) => {
  async function openTaxedShop() {
    const shop = getShop(acquiring)
    await shop.world[acquiring].setTerms(shop.paywall.id, TERMS)
    return shop
  }

  test('subscription events contain the charged amount in each period, and a full refund removes the tokens', async () => {
    const shop = await openTaxedShop()
    const buyer = await buy(shop)
    expect(await readData(buyer, 'checkout.completed')).toMatchObject({ checkout: { amount: MONTHLY } })
    expect(await readData(buyer, 'payment.succeeded')).toMatchObject({ payment: { amount: MONTHLY } })
    expect(await causeAtProcessor(buyer, shop.there.renew)).toContain(`payment.succeeded ${MONTHLY}`)
    expect(await readState(buyer)).toMatchObject({ purchases: [{ price_slug: 'monthly', unit_amount: 999 }] })
    await expectStoredAsAtProcessor(buyer)

    const before = await readTokens(buyer)
    expect(await causeAtProcessor(buyer, shop.there.refund)).toEqual([`payment.refunded ${MONTHLY}`])
    expect(await readTokens(buyer)).toBe(before - 100)
  })

  test('a one-time purchase ends when the charged amount is refunded', async () => {
    const shop = await openTaxedShop()
    const buyer = await buy(shop, 'lifetime')
    expect(await readData(buyer, 'checkout.completed')).toMatchObject({ checkout: { amount: LIFETIME } })
    expect(await causeAtProcessor(buyer, shop.there.refund)).toEqual([`payment.refunded ${LIFETIME}`])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })
})
