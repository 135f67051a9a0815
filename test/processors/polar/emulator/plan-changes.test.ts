import { expect, test } from 'vitest'
import { advanceQuarterPeriod, HOUR, otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { buy, MONTHLY, monthlyOrder, QUARTERLY, startPolar, startReceiver, TRIAL, UNKNOWN } from './fixture.ts'

async function startWithSubscription(order = {}) {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, polar } = await startPolar({ serviceUrl })
  await emulator.setOtherPrices(PAYWALL, [
    otherPrice(UNKNOWN),
    otherPrice(QUARTERLY, { amount: 2400, intervalCount: 3 }),
  ])
  const { id } = await buy(polar, monthlyOrder(order))
  const read = () => polar.subscriptions.get(id)
  const orders = async () => (await polar.orders.list({ subscription_id: id })).items
  const first = await read()
  const period = [first.current_period_start, first.current_period_end].map((at) => new Date(at).getTime() / 1000)
  return { emulator, polar, id, read, orders, period, types: () => emulator.events.map(({ type }) => type) }
}

test('any product can be chosen, and the next order includes the proration', async () => {
  const { emulator, id, read, orders, period, types } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  await emulator.changePlan(id, UNKNOWN)
  expect(await read()).toMatchObject({ product_id: UNKNOWN, amount: 2999, product: { id: UNKNOWN } })
  expect(await orders()).toHaveLength(1)
  expect(types().at(-1)).toBe('subscription.updated')
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + HOUR)
  const [latest] = await orders()
  expect(latest).toMatchObject({
    billing_reason: 'subscription_cycle',
    status: 'paid',
    total_amount: 2999 + 2249 - 749,
  })
  expect(latest?.items).toHaveLength(3)
})

test('a change of interval, or the proration setting `invoice`, creates an order at once', async () => {
  const { emulator, id, orders, read } = await startWithSubscription()
  await emulator.changePlan(id, QUARTERLY)
  expect((await orders())[0]).toMatchObject({ billing_reason: 'subscription_update', total_amount: 2400 - 999 })
  expect(await read()).toMatchObject({ recurring_interval: 'month', recurring_interval_count: 3 })
  await emulator.setProration(PAYWALL, 'invoice')
  await emulator.changePlan(id, MONTHLY)
  const [credit] = await orders()
  expect(credit).toMatchObject({ total_amount: 999 - 2400, due_amount: 0, status: 'paid' })
})

test('a plan change during a trial ends the trial', async () => {
  const { emulator, id, read, orders } = await startWithSubscription(TRIAL)
  expect(await read()).toMatchObject({ status: 'trialing' })
  await emulator.changePlan(id, UNKNOWN)
  expect(await read()).toMatchObject({ status: 'active', product_id: UNKNOWN })
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + HOUR)
  expect((await orders())[0]).toMatchObject({ status: 'paid', total_amount: 2999 })
})

test('the API can schedule a plan change, but not of a cancelled subscription', async () => {
  const { polar, id, read } = await startWithSubscription()
  await polar.subscriptions.update(id, { product_id: UNKNOWN, proration_behavior: 'next_period' })
  expect(await read()).toMatchObject({ product_id: MONTHLY, pending_update: { product_id: UNKNOWN } })
  await polar.subscriptions.update(id, { cancel_at_period_end: true })
  await expect(polar.subscriptions.update(id, { product_id: UNKNOWN })).rejects.toThrow()
})

test('a scheduled plan change can be removed once, without an order', async () => {
  const { emulator, polar, id, read, orders, period } = await startWithSubscription()
  await polar.subscriptions.update(id, { product_id: UNKNOWN, proration_behavior: 'next_period' })
  await polar.subscriptions.update(id, { pending_update: null })
  expect(await read()).toMatchObject({ product_id: MONTHLY, pending_update: null })
  await expect(polar.subscriptions.update(id, { pending_update: null })).rejects.toMatchObject({ statusCode: 422 })
  expect(await orders()).toHaveLength(1)
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + HOUR)
  expect((await orders())[0]).toMatchObject({ billing_reason: 'subscription_cycle', total_amount: 999 })
})

test('a change that is charged at once is refused if the charge fails', async () => {
  const { emulator, polar, id, read, orders } = await startWithSubscription()
  await emulator.declineCharges((await read()).customer_id)
  const change = { product_id: UNKNOWN, proration_behavior: 'invoice' } as const
  await expect(polar.subscriptions.update(id, change)).rejects.toMatchObject({
    statusCode: 402,
    error: { error: 'PaymentFailed' },
  })
  expect(await read()).toMatchObject({ product_id: MONTHLY, status: 'active' })
  expect(await orders()).toHaveLength(1)
  await polar.subscriptions.update(id, { ...change, proration_behavior: 'prorate' })
  expect(await read()).toMatchObject({ product_id: UNKNOWN })
})

test('if the charge fails after a change has ended the trial, the subscription is past due', async () => {
  const { emulator, id, read } = await startWithSubscription(TRIAL)
  await emulator.declineCharges((await read()).customer_id)
  await emulator.changePlan(id, UNKNOWN)
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + HOUR)
  expect(await read()).toMatchObject({ status: 'past_due', product_id: UNKNOWN })
})

test('a change to the same product is an order of 0', async () => {
  const { polar, id, orders } = await startWithSubscription()
  await polar.subscriptions.update(id, { product_id: MONTHLY, proration_behavior: 'invoice' })
  expect((await orders())[0]).toMatchObject({ billing_reason: 'subscription_update', total_amount: 0, status: 'paid' })
})
