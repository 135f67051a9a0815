import { expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { buy, readPurchase } from './buyer.ts'
import { setUp } from './drivers/set-up.ts'
import { useShops } from './shop.ts'

const getShop = useShops()

test.each(PROCESSOR_NAMES)(
  '%s: unit_amount of a one-time purchase is its price, whatever tax and coupon apply',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const terms = { taxPercent: 19, percentOff: 25 }
    await setUp(shop.world[acquiring], shop.paywall.id, { terms, afterRetries: null, lagSeconds: 0 })
    const buyer = await buy(shop, 'lifetime')
    expect(await readPurchase(buyer)).toMatchObject({ unit_amount: 4900, currency: 'USD' })
    const events = await ownerEvents(shop.world, buyer.userId)
    const paid = events.find(({ type }) => type === 'payment.succeeded')?.data.payment?.amount
    const completed = events.find(({ type }) => type === 'checkout.completed')
    expect(completed?.data.checkout).toMatchObject({ amount: paid })
    if ('setTerms' in shop.emulator) expect(paid).not.toBe(4900)
  },
)
