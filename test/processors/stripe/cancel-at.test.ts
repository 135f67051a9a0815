import { expect, onTestFinished, test } from 'vitest'
import {
  advancePastPeriodEnd,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  getProcessorId,
  newEvents,
  readPurchase,
} from '../../conformance/buyer.ts'
import { type Shop, useShops } from '../../conformance/shop.ts'

const getShop = useShops(1)

test('an end later than the period is shown unchanged, and can be moved to the end of the period', async () => {
  const shop = getShop('stripe')
  const buyer = await buy(shop)
  const { current_period_end: periodEnd } = (await readPurchase(buyer))!
  const later = new Date(Math.floor(Date.parse(periodEnd!) / 1000) * 1000 + 100 * 86_400_000)
  await causeAtProcessor(buyer, (id) => setEnd(shop, id, later))
  const end = { cancel_at: later.toISOString(), cancel_at_period_end: false, status: 'active' }
  expect(await readPurchase(buyer)).toMatchObject(end)
  expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200, body: { subscription: { cancel_at: periodEnd } } })
  expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
  expect(await readPurchase(buyer)).toMatchObject({ cancel_at: periodEnd, cancel_at_period_end: true })
})

test('a subscription that has ended as scheduled still shows its scheduled end', async () => {
  const buyer = await buy(getShop('stripe'))
  const { current_period_end: end } = (await readPurchase(buyer))!
  await cancelThroughApi(buyer)
  expect(await advancePastPeriodEnd(buyer)).toContain('subscription.ended')
  expect(await readPurchase(buyer)).toMatchObject({ status: 'canceled', cancel_at_period_end: true, cancel_at: end })
})

test('a cancellation without cancel_at ends with the period, in the response and in the database', async () => {
  const shop = getShop('stripe')
  const buyer = await buy(shop)
  const id = await getProcessorId(buyer)
  const { current_period_end: end } = (await readPurchase(buyer))!
  shop.emulator.onCall = async ({ path }, run) => {
    const reply = await run()
    return path.endsWith(id)
      ? { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), cancel_at: null }) }
      : reply
  }
  onTestFinished(() => {
    shop.emulator.onCall = undefined
  })
  expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200, body: { subscription: { cancel_at: end } } })
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({
    cancel_at_period_end: true,
    cancel_at: end,
    current_period_end: end,
  })
})

/** The owner schedules the end of a subscription through Stripe's API. */
async function setEnd({ emulator, paywall }: Shop, id: string, end: Date): Promise<void> {
  const { secretKey } = paywall.processor.credentials as { secretKey: string }
  const response = await fetch(`${emulator.url}/v1/subscriptions/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}` },
    body: new URLSearchParams({ cancel_at: String(end.getTime() / 1000) }),
  })
  expect(response.status).toBe(200)
}
