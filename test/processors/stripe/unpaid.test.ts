import { expect, test } from 'vitest'
import { type Buyer, buy, cancelThroughApi, causeAtProcessor, newEvents, readState } from '../../conformance/buyer.ts'
import { leaveUnpaid } from '../../conformance/drivers/pausing.ts'
import { useShops } from '../../conformance/shop.ts'

const getShop = useShops(1)

const fail = (buyer: Buyer) => causeAtProcessor(buyer, (id) => leaveUnpaid(buyer.shop, id))

test('a subscription that is marked unpaid is past due: it has not ended, and can be paid or cancelled', async () => {
  const shop = getShop('stripe')
  const buyer = await buy(shop)
  expect(await fail(buyer)).toEqual(['payment.failed 999', 'subscription.past_due'])
  expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
  expect(await causeAtProcessor(buyer, shop.account.recover)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
  expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })

  await fail(buyer)
  expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
  expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
})
