import { expect, test } from 'vitest'
import { advanceClock, decline, newEvents, open, pressAndReturn, readState } from '../../conformance/buyer.ts'
import { useShops } from '../../conformance/shop.ts'

const getShop = useShops()

test('a subscription that is never paid has not begun, though Chargebee keeps it', async () => {
  const shop = getShop('chargebee')
  await shop.world.chargebee.setDunning(shop.paywall.id, { retryDays: [1], finally: 'keep' })
  const buyer = await open(shop)
  await pressAndReturn(buyer, 'later')
  await newEvents(buyer)
  await decline(buyer, true)
  const received = [...(await advanceClock(buyer, '20d')), ...(await advanceClock(buyer, '20d'))]
  expect(await readState(buyer)).toMatchObject({ paid: false, features: [], purchases: [{ status: 'pending' }] })
  expect(received.filter((type) => !type.startsWith('payment.failed'))).toEqual([])
})

test('a subscription whose first invoice is voided unpaid has not begun, and nothing was bought', async () => {
  const shop = getShop('chargebee')
  const buyer = await open(shop)
  await pressAndReturn(buyer, 'later')
  await advanceClock(buyer, '1h')
  const upgrade = await open(shop, 'plus', { email: buyer.email, body: { ignoreActivePurchase: true } })
  await pressAndReturn(upgrade, 'pay')
  const received = [...(await newEvents(buyer)), ...(await advanceClock(buyer, '1d'))]
  expect(received.filter((type) => type === 'checkout.completed')).toHaveLength(1)
  expect((await readState(buyer)).purchases.map(({ price_slug, status }) => [price_slug, status])).toEqual([
    ['plus', 'active'],
    ['monthly', 'canceled'],
  ])
})
