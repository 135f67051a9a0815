import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { advanceQuarterPeriod, DAY, HOUR, otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { buy, getId, press, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

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

test('another quantity is prorated as another price is: the old one is credited, the new one charged', async () => {
  const { emulator, id, read, period } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  await emulator.changeQuantity(id, 3)
  const changed = await read()
  expect(changed.items.data[0]).toMatchObject({ price: { unit_amount: 999 }, quantity: 3 })
  expect(changed.latest_invoice).toMatchObject({
    billing_reason: 'subscription_update',
    amount_paid: 1499,
    lines: {
      data: [
        { amount: -749, quantity: 1 },
        { amount: 2248, quantity: 3, description: expect.stringContaining('3 × ') },
      ],
    },
  })
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + HOUR)
  expect((await read()).latest_invoice).toMatchObject({ billing_reason: 'subscription_cycle', amount_paid: 2997 })
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

/** The change to a price through the API, as the caller of `pending_if_incomplete` makes it. */
async function startChange(price = 'price_team') {
  const started = await startWithSubscription()
  const { stripe, id, read, emulator, period } = started
  await advanceQuarterPeriod(emulator, period)
  const item = (await read()).items.data[0]?.id ?? ''
  const items = [{ id: item, price }]
  const [from = 0, to = 0] = period
  const at = from + (to - from) / 8
  const preview = (subscription_details: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails) =>
    stripe.invoices.createPreview({ subscription: id, subscription_details: { items, ...subscription_details } })
  const change = (more: Stripe.SubscriptionUpdateParams = {}) =>
    stripe.subscriptions.update(id, {
      items,
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
      expand: ['latest_invoice'],
      ...more,
    })
  return { ...started, item, items, at, preview, change }
}

test('the invoice of a change is its preview at the same proration date', async () => {
  const { preview, change, at, read } = await startChange()
  const expected = await preview({ proration_behavior: 'always_invoice', proration_date: at })
  expect(expected).toMatchObject({ billing_reason: 'upcoming', status: 'draft', total: 1750, amount_due: 1750 })
  expect(await read()).toMatchObject({ latest_invoice: { billing_reason: 'subscription_create' } })
  const changed = await change({ proration_date: at })
  expect(changed).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: 'price_team' } }] },
    latest_invoice: { billing_reason: 'subscription_update', status: 'paid', total: 1750, amount_paid: 1750 },
  })
  const lines = ({ lines: { data } }: Stripe.Invoice) => data.map(({ amount, period }) => ({ amount, period }))
  expect(lines(changed.latest_invoice as Stripe.Invoice)).toEqual(lines(expected))
})

test('the preview of the next invoice is its price from the end of the period', async () => {
  const { preview, stripe, id, period } = await startChange()
  expect(await preview({ proration_behavior: 'none' })).toMatchObject({
    amount_due: 2999,
    lines: { data: [{ amount: 2999, period: { start: period[1] } }] },
  })
  expect(await preview({})).toMatchObject({ lines: { data: [{}, {}, { amount: 2999 }] } })
  expect(await stripe.invoices.createPreview({ subscription: id })).toMatchObject({ amount_due: 999 })
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await expect(stripe.invoices.createPreview({ subscription: id })).rejects.toMatchObject({
    statusCode: 404,
    code: 'invoice_upcoming_none',
  })
  expect(await preview({ proration_behavior: 'none', cancel_at_period_end: false })).toMatchObject({ amount_due: 2999 })
})

test('a change of interval is charged in full at once, whatever the behaviour', async () => {
  const { preview, change, at, emulator } = await startChange('price_year')
  expect(await preview({ proration_behavior: 'none' })).toMatchObject({ amount_due: 9900 })
  expect(await preview({ proration_date: at })).toMatchObject({
    amount_due: 9900 - 874,
    lines: {
      data: [
        { parent: { subscription_item_details: { proration: true } } },
        { amount: 9900, parent: { subscription_item_details: { proration: false } } },
      ],
    },
  })
  const { items, latest_invoice: invoice } = await change({ proration_date: at })
  expect(invoice).toMatchObject({ amount_paid: 9900 - 874 })
  expect(items.data[0]?.current_period_start).toBeCloseTo(emulator.currentTime(PAYWALL), -1)
})

test('an update whose charge is declined waits for the payment of its invoice', async () => {
  const { change, read, emulator, types, period, stripe, id } = await startChange()
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await emulator.declineCharges(getId((await read()).customer))
  const { status, items, pending_update: pending, latest_invoice } = await change({ cancel_at_period_end: false })
  const invoice = latest_invoice as Stripe.Invoice
  expect([status, items.data[0]?.price.id, invoice.status]).toEqual(['active', 'price_month', 'open'])
  expect(pending).toMatchObject({ cancel_at_period_end: false, subscription_items: [{ price: { id: 'price_team' } }] })
  expect(pending?.expires_at).toBeCloseTo(emulator.currentTime(PAYWALL) + 23 * HOUR, -1)
  expect(types().slice(-4)).toEqual(expect.arrayContaining(['invoice.payment_failed', 'customer.subscription.updated']))
  const page = { url: invoice.hosted_invoice_url ?? '' }
  await press(page, 'decline')
  expect(await read()).toMatchObject({
    cancel_at_period_end: true,
    pending_update: { expires_at: pending?.expires_at },
  })
  await press(page, 'pay')
  expect(await read()).toMatchObject({
    pending_update: null,
    cancel_at_period_end: false,
    items: { data: [{ price: { id: 'price_team' }, current_period_end: period[1] }] },
    latest_invoice: { id: invoice.id, status: 'paid' },
  })
  expect(types()).toContain('customer.subscription.pending_update_applied')
  expect((await press(page, 'pay')).status).toBe(409)
})

test('a pending update is replaced by the next one, and expires after 23 hours', async () => {
  const { change, read, emulator, types } = await startChange()
  await emulator.declineCharges(getId((await read()).customer))
  const first = (await change()).latest_invoice as Stripe.Invoice
  const second = (await change()).latest_invoice as Stripe.Invoice
  expect(second.id).not.toBe(first.id)
  const updated = () => types().filter((type) => type === 'customer.subscription.updated').length
  const before = updated()
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 24 * HOUR)
  expect(await read()).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: 'price_month' } }] },
    latest_invoice: { id: second.id, status: 'void', attempt_count: 1 },
  })
  expect(types().filter((type) => type === 'customer.subscription.pending_update_expired')).toHaveLength(2)
  expect(updated()).toBe(before)
})

test('a pending update ends with its period, and its subscription renews at the old price', async () => {
  const { change, read, emulator, period } = await startChange()
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) - HOUR)
  await emulator.declineCharges(getId((await read()).customer))
  expect(await change()).toMatchObject({ pending_update: { expires_at: period[1] } })
  await emulator.declineCharges(getId((await read()).customer), false)
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + 2 * HOUR)
  expect(await read()).toMatchObject({
    status: 'active',
    pending_update: null,
    latest_invoice: { billing_reason: 'subscription_cycle', status: 'paid', amount_paid: 999 },
  })
})

test('refuses what Stripe refuses', async () => {
  const { change, preview, item, stripe, id, period } = await startChange()
  const refusals: [Promise<unknown>, object][] = [
    [change({ cancel_at: '' }), { message: expect.stringContaining('you can only pass supported params') }],
    [change({ items: [{ id: 'si_other', price: 'price_team' }] }), { code: 'resource_missing', param: 'items[0][id]' }],
    [change({ items: [{ id: item, price: 'price_no' }] }), { code: 'resource_missing', param: 'items[0][price]' }],
    [change({ items: [{ id: item, price: 'price_once' }] }), { message: expect.stringContaining('type=recurring') }],
    [
      change({ items: [{ id: item, price: 'price_quarter' }] }),
      { message: expect.stringContaining('only supports `jpy`') },
    ],
    [
      preview({ proration_behavior: 'always_invoice', proration_date: (period[0] ?? 0) - 1 }),
      { param: 'subscription_details[proration_date]', message: expect.stringContaining('outside of current') },
    ],
  ]
  for (const [call, error] of refusals) await expect(call).rejects.toMatchObject({ statusCode: 400, ...error })
  await stripe.subscriptions.cancel(id)
  await expect(change()).rejects.toThrow('A canceled subscription can only update')
})

test('a schedule from a subscription is given a phase with the next price', async () => {
  const { stripe, id, read, period, types, emulator } = await startWithSubscription()
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  const made = await stripe.subscriptionSchedules.create({ from_subscription: id })
  expect(made).toMatchObject({
    status: 'active',
    end_behavior: 'cancel',
    phases: [{ start_date: period[0], end_date: period[1], items: [{ price: 'price_month', quantity: 1 }] }],
  })
  expect(await read()).toMatchObject({ schedule: made.id, cancel_at: period[1] })
  await expect(stripe.subscriptionSchedules.create({ from_subscription: id })).rejects.toThrow(/already attached to a/)
  const [current] = made.phases
  const update = (start_date: number) =>
    stripe.subscriptionSchedules.update(made.id, {
      end_behavior: 'release',
      proration_behavior: 'none',
      phases: [
        { items: [{ price: 'price_month', quantity: 1 }], start_date, end_date: current?.end_date ?? 0 },
        { items: [{ price: 'price_team', quantity: 1 }], duration: { interval: 'month', interval_count: 1 } },
      ],
    })
  await expect(update((current?.start_date ?? 0) + 1)).rejects.toMatchObject({ param: 'phases[0][start_date]' })
  expect(await update(current?.start_date ?? 0)).toMatchObject({
    end_behavior: 'release',
    phases: [{ end_date: period[1] }, { start_date: period[1], items: [{ price: 'price_team' }] }],
  })
  expect(await read()).toMatchObject({ cancel_at: null, cancel_at_period_end: false })
  expect(types()).toContain('subscription_schedule.updated')
  await emulator.moveTo(PAYWALL, (period[1] ?? 0) + 2 * HOUR)
  expect(await read()).toMatchObject({
    schedule: made.id,
    items: { data: [{ price: { id: 'price_team' } }] },
    latest_invoice: { billing_reason: 'subscription_cycle', amount_paid: 2999 },
  })
})
