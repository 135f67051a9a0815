import { expect, test } from 'vitest'
import { decline, hears, open, passes, pressAndReturn, stateOf } from '../../conformance/buyer.ts'
import { useShops } from '../../conformance/shop.ts'

const shopOf = useShops()

test('a subscription that is never paid for has not begun, though Chargebee goes on with it', async () => {
  const shop = shopOf('chargebee')
  await shop.world.chargebee.setDunning(shop.paywall.id, { retryDays: [1], finally: 'keep' })
  const buyer = await open(shop)
  await pressAndReturn(buyer, 'later')
  await hears(buyer)
  await decline(buyer, true)
  const heard = [...(await passes(buyer, '20d')), ...(await passes(buyer, '20d'))]
  expect(await stateOf(buyer)).toMatchObject({ paid: false, features: [], purchases: [{ status: 'pending' }] })
  expect(heard.filter((type) => !type.startsWith('payment.failed'))).toEqual([])
})
