import { expect, test } from 'vitest'
import { advanceQuarterPeriod, DAY, HOUR, otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { buy, getId, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

async function startWithSubscription() {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl })
  await emulator.setOtherPrices(PAYWALL, [
    otherPrice('price_team'),
    otherPrice('price_year', { interval: 'year', amount: 9900 }),
  ])
  const session = await buy(stripe, subscriptionOrder())
  const id = getId(session.subscription)
  const read = () => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice', 'customer'] })
  const item = (await read()).items.data[0]
  const types = () => emulator.events.map(({ type }) => type)
  return { emulator, stripe, id, read, types, period: [item?.current_period_start ?? 0, item?.current_period_end ?? 0] }
}

test('a plan change in the portal is charged at once, minus the unused part of the old price', async () => {
  const { emulator, id, read, period, types } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  await emulator.changePlan(id, 'price_team')
  const changed = await read()
  expect(changed.items.data[0]).toMatchObject({
    price: { id: 'price_team', unit_amount: 2999 },
    current_period_end: period[1],
  })
  expect(changed.latest_invoice).toMatchObject({
    billing_reason: 'subscription_update',
    status: 'paid',
    total: 1500,
    amount_paid: 1500,
    lines: { data: [{ amount: -749 }, { amount: 2249, parent: { subscription_item_details: { proration: true } } }] },
  })
  expect(types()).toEqual(expect.arrayContaining(['customer.subscription.updated', 'invoice.paid']))
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + HOUR)
  expect((await read()).latest_invoice).toMatchObject({ billing_reason: 'subscription_cycle', amount_paid: 2999 })
})

test('a change of interval starts a new period, and a downgrade credits the customer balance', async () => {
  const { emulator, id, read, period } = await startWithSubscription()
  await emulator.changePlan(id, 'price_year')
  const yearly = await read()
  expect(yearly.latest_invoice).toMatchObject({ total: 9900 - 999, amount_paid: 8901 })
  expect(yearly.items.data[0]?.current_period_end).toBeGreaterThan((period[0] ?? 0) + 364 * DAY)
  await emulator.changePlan(id, 'price_month')
  const monthly = await read()
  expect(monthly.latest_invoice).toMatchObject({ total: 999 - 9900, amount_due: 0, status: 'paid' })
  expect(monthly.customer).toMatchObject({ balance: 999 - 9900 })
  await emulator.moveTo(PAYWALL, (monthly.items.data[0]?.current_period_end ?? 0) + HOUR)
  expect((await read()).latest_invoice).toMatchObject({
    total: 999,
    starting_balance: -999,
    amount_due: 0,
    status: 'paid',
  })
})

test('a plan change whose payment is declined is not made', async () => {
  const { emulator, id, read } = await startWithSubscription()
  await emulator.declineCharges(getId((await read()).customer))
  await expect(emulator.changePlan(id, 'price_team')).rejects.toThrow(/declined/)
  expect((await read()).items.data[0]).toMatchObject({ price: { id: 'price_month' } })
})

test('a subscription managed by a schedule cannot be cancelled at period end until the schedule is released', async () => {
  const { emulator, stripe, id, read, period, types } = await startWithSubscription()
  await emulator.schedulePlan(id, 'price_team')
  const scheduled = await read()
  expect(scheduled.items.data[0]).toMatchObject({ price: { id: 'price_month' } })
  const schedule = getId(scheduled.schedule)
  await expect(stripe.subscriptions.update(id, { cancel_at_period_end: true })).rejects.toThrow(
    `The subscription is managed by the subscription schedule \`${schedule}\``,
  )
  expect(await stripe.subscriptionSchedules.retrieve(schedule)).toMatchObject({
    status: 'active',
    subscription: id,
    phases: [{ end_date: period[1] }, { start_date: period[1], items: [{ price: 'price_team' }] }],
  })
  expect(await stripe.subscriptionSchedules.release(schedule)).toMatchObject({
    status: 'released',
    released_subscription: id,
    subscription: null,
  })
  await expect(stripe.subscriptionSchedules.release(schedule)).rejects.toThrow(/released/)
  const cancelled = await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  expect(cancelled).toMatchObject({ cancel_at: period[1], schedule: null })
  expect(types()).toEqual(expect.arrayContaining(['subscription_schedule.created', 'subscription_schedule.released']))
})

test('a scheduled price takes effect with the next period', async () => {
  const { emulator, id, read, period } = await startWithSubscription()
  await emulator.schedulePlan(id, 'price_team')
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + HOUR)
  const renewed = await read()
  expect(renewed.items.data[0]).toMatchObject({ price: { id: 'price_team' } })
  expect(renewed).toMatchObject({
    status: 'active',
    schedule: expect.stringMatching(/^sub_sched_/),
    latest_invoice: { amount_paid: 2999 },
  })
})

test('the portal has a button for each other price', async () => {
  const { stripe, read } = await startWithSubscription()
  const customer = getId((await read()).customer)
  const { url } = await stripe.billingPortal.sessions.create({ customer })
  expect(await (await fetch(url)).text()).toContain('Change to Team, $29.99 per month')
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'change', price: 'price_team' }) })
  expect((await read()).items.data[0]).toMatchObject({ price: { id: 'price_team' } })
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'schedule', price: 'price_month' }) })
  expect(await read()).toMatchObject({ schedule: expect.stringMatching(/^sub_sched_/) })
})
