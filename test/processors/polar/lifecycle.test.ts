import { expect, test } from 'vitest'
import { openShop } from './shop.ts'

const MINUTE_MS = 60_000

test('the period after a trial is not covered by the order of the trial', async () => {
  const shop = await openShop()
  const { purchase, reference } = await shop.buy({ trialDays: 3 })
  expect(purchase).toMatchObject({ status: 'trialing', periodCovered: true })
  await shop.moveTo(purchase.trialEnd)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', periodCovered: false })
  await shop.moveTo(new Date(purchase.trialEnd!.getTime() + MINUTE_MS))
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', periodCovered: true })
})

test('a cancellation of a subscription that has ended returns its end', async () => {
  const shop = await openShop()
  const { reference } = await shop.buy()
  await shop.emulator.end(reference.id)
  expect(await shop.adapter.cancelAtPeriodEnd(reference.id, '')).toMatchObject({ status: 'canceled' })
})

test('a refund that prevents a dispute is reported as a refund, and ends the subscription', async () => {
  const shop = await openShop()
  const { reference } = await shop.buy()
  await shop.events()
  const [order] = (await shop.polar.orders.list({ subscription_id: reference.id })).items
  const refund = await shop.emulator.preventDispute(order?.id ?? '')
  expect(refund).toMatchObject({ subscription_id: null, dispute: { status: 'prevented' } })
  const reported = (await shop.events()).find(({ payment }) => payment?.kind === 'refunded')
  expect(reported?.payment).toMatchObject({ id: refund.id, amount: 999 })
  // The refund has no subscription id, but still leads to the subscription.
  expect(reported?.about && (await shop.purchase(reported.about))).toMatchObject({ processorId: reference.id })
  expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled' })
})

test('stopCharging fails if the buyer undoes a scheduled end at that moment, and can be repeated', async () => {
  const shop = await openShop()
  const { reference } = await shop.buy()
  await shop.adapter.cancelAtPeriodEnd(reference.id, '')
  shop.emulator.onCall = async (_, run) => {
    const refusal = await run()
    shop.emulator.onCall = undefined
    await shop.emulator.portalUndo(reference.id)
    return refusal
  }
  await expect(shop.adapter.stopCharging?.(reference.id)).rejects.toMatchObject({ kind: 'unavailable' })
  await shop.adapter.stopCharging?.(reference.id)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
})
