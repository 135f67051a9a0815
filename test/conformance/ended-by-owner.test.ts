import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { paywall } from '../support/paywall.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  causeAtProcessor,
  getSale,
  order,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { useShops } from './shop.ts'
import { withoutStops } from './upgrading.ts'

// `paywall purchases end ID` ends a purchase immediately, in our database and at its processor.

const getShop = useShops()

async function end({ shop: { world } }: Buyer, id: string) {
  return paywall(world, ['purchases', 'end', id])
}

/** How often a buyer was charged, according to the processor. */
const getCharges = (buyer: Buyer) => getSale(buyer).then(({ paid }) => paid.length)

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a subscription that the owner ends loses access immediately, whatever later reads return, and is never charged again', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const { id } = (await readPurchase(buyer))!
    const tokens = await readTokens(buyer)

    expect(await end(buyer, id)).toMatchObject({ code: 0, out: expect.stringContaining(`asked to end it, too`) })
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ id, status: 'canceled' }] })
    await causeAtProcessor(buyer, async (processorId) => shop.account.refund(processorId, 100))
    expect(await readPurchase(buyer)).toMatchObject({ status: 'canceled' })

    await advanceClock(buyer, '2h')
    expect(await getSale(buyer)).toMatchObject({ renews: false })
    const charged = await getCharges(buyer)
    await advanceClock(buyer, '70d')
    expect(await getCharges(buyer)).toBe(charged)
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    expect(await readTokens(buyer)).toBe(tokens)
  })

  test('the owner gets one subscription.ended event', async () => {
    const buyer = await buy(getShop(acquiring))
    const { id } = (await readPurchase(buyer))!
    await end(buyer, id)
    const received = await advanceClock(buyer, '70d')
    expect(received.filter((name) => name === 'subscription.ended')).toHaveLength(1)
    expect(received.filter((name) => name !== 'subscription.updated')).toEqual(['subscription.ended'])
    expect(await end(buyer, id)).toMatchObject({ code: 1, err: `paywall: purchase ${id} is already canceled\n` })
  })

  test('a past due subscription ends, and its open invoice is not charged', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.failCharge)
    await end(buyer, (await readPurchase(buyer))!.id)
    await advanceClock(buyer, '40d')
    expect(await getCharges(buyer)).toBe(1)
    expect(await readPurchase(buyer)).toMatchObject({ status: 'canceled' })
  })

  test('no other subscription is sold until the processor has ended the old one', async () => {
    const buyer = await buy(getShop(acquiring))
    const { id } = (await readPurchase(buyer))!
    const buyAgain = () => order(buyer.shop, 'monthly', { email: buyer.email })
    await withoutStops(buyer.shop, async () => {
      await end(buyer, id)
      await advanceClock(buyer, '1h')
      expect(await buyAgain()).toMatchObject({
        status: 409,
        body: { hasActivePurchase: true, status: 'canceled', purchaseId: id },
      })
    })
    await advanceClock(buyer, '2h')
    expect(await buyAgain()).toMatchObject({ status: 200 })
  })

  test('a one-time purchase ends, although its processor still shows it as paid', async () => {
    const buyer = await buy(getShop(acquiring), 'lifetime')
    const { id } = (await readPurchase(buyer))!
    expect(await end(buyer, id)).toMatchObject({ code: 0 })
    await advanceClock(buyer, '70d')
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ id, status: 'canceled' }] })
  })
})

test('purchases end fails for an unknown purchase', async () => {
  const { shop } = await buy(getShop(PROCESSOR_NAMES[0]))
  for (const id of ['f75fbdb7-07bd-4cf3-8b99-f7dda5082e0e', 'sub_1']) {
    expect(await paywall(shop.world, ['purchases', 'end', id])).toMatchObject({
      code: 1,
      err: `paywall: there is no purchase ${id}\n`,
    })
  }
})
