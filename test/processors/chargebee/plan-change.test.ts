import { expect, test } from 'vitest'
import type { CheckoutOrder, PlanChange, PlanChangePreview } from '../../../lib/processors/processor.ts'
import { planChange } from '../orders.ts'
import { advanceQuarterPeriod, crashAfter, DAY, HOUR, otherPrice, PAYWALL } from '../plan-changes-fixture.ts'
import { press } from './emulator/fixture.ts'
import { CHECKOUT_ID, startAdapter } from './selling.ts'

// Changes of plan by the adapter, at the Chargebee emulator.

const TEAM = {
  processorPrice: 'team-USD-monthly',
  currency: 'USD',
  amount: 2999,
  quantity: 1,
  interval: 'month',
  intervalCount: 1,
} as const
const BASIC = { ...TEAM, processorPrice: 'basic-USD-monthly', amount: 499 }
const YEAR = { ...TEAM, processorPrice: 'year-USD', amount: 9900, interval: 'year' } as const

const CHANGED = { outcome: 'changed' }

/** A subscription of 9.99 a month, after a quarter of its period. */
async function startChange(more: Partial<CheckoutOrder> = {}, terms = {}) {
  const started = await startAdapter()
  const { emulator, chargebee, adapter, sell } = started
  await emulator.setTerms(PAYWALL, terms)
  await emulator.setOtherPrices(
    PAYWALL,
    [TEAM, BASIC, YEAR].map(({ processorPrice: id, ...price }) => otherPrice(id, price)),
  )
  await sell(more)
  const read = async () => (await chargebee.subscription.retrieve(CHECKOUT_ID)).subscription
  const { current_term_start: start = 0, current_term_end: end = 0, customer_id: customer } = await read()
  await advanceQuarterPeriod(emulator, [start, end])
  const pricedAt = new Date(emulator.currentTime(PAYWALL) * 1000)
  const order = (change: Partial<PlanChange> = {}) =>
    planChange({ subscriptionId: CHECKOUT_ID, to: TEAM, pricedAt, ...change })
  const preview = async (change?: Partial<PlanChange>) =>
    (await adapter.previewPlanChange?.(order(change))) as PlanChangePreview
  const change = (given?: Partial<PlanChange>) => adapter.changePlan?.(order(given), null)
  /** The amounts of all payments, oldest first. */
  const charges = () =>
    [...emulator.records.payments.values()].filter(({ status }) => status === 'paid').map(({ amount }) => amount)
  const state = async () => {
    const {
      status,
      subscription_items: items,
      has_scheduled_changes: isScheduled,
      due_invoices_count: due,
    } = await read()
    expect(emulator.records.subscriptions.size).toBe(1)
    return { price: items?.[0]?.item_price_id, status, isScheduled, due }
  }
  const scheduled = async () => {
    const { subscription } = await chargebee.subscription.retrieveWithScheduledChanges(CHECKOUT_ID)
    return subscription.subscription_items?.[0]?.item_price_id
  }
  const decline = (declines = true) => emulator.declineCharges(customer, declines)
  const refuseDeclined = () => emulator.setDeclinedChange(PAYWALL, 'refused')
  return { ...started, pricedAt, end, preview, change, charges, state, scheduled, decline, refuseDeclined }
}

const date = (seconds: number) => new Date(seconds * 1000)

const getUrl = (result: unknown) => ({ url: (result as { url: string }).url })

test('an upgrade is charged at once, as previewed', async () => {
  const { preview, change, charges, state, purchase, end, pricedAt, emulator } = await startChange()
  expect(await preview()).toEqual({
    currency: 'USD',
    dueNow: 1500, // three quarters of 29.99 less those of 9.99
    credit: 749,
    effectiveAt: pricedAt,
    next: { amount: 2999, at: date(end) },
    isEstimate: true,
  })
  expect(charges()).toEqual([999])
  expect(await change()).toEqual(CHANGED)
  expect(await state()).toEqual({ price: 'team-USD-monthly', status: 'active', isScheduled: false, due: 0 })
  expect(charges()).toEqual([999, 1500])
  expect(await purchase()).toMatchObject({ status: 'active', priceCovered: true, changedInPeriod: true })
  await emulator.moveTo(PAYWALL, end)
  expect(charges()).toEqual([999, 1500, 2999])
})

test('a preview has taxes, discounts and the credits that are left after the change', async () => {
  const { preview, change, charges, end, emulator } = await startChange({}, { taxPercent: 20, percentOff: 10 })
  const shown = await preview()
  expect(shown).toMatchObject({ dueNow: 1620, credit: 809, next: { amount: 3239 } })
  expect(await change()).toEqual(CHANGED)
  expect(charges()).toEqual([1079, 1620])
  const less = await preview({ to: BASIC })
  expect(less).toMatchObject({ dueNow: 0, credit: 2429 })
  expect(less.next).toEqual({ amount: 0, at: date(end) })
  expect(await change({ to: BASIC, key: 'change_2' })).toEqual(CHANGED)
  await emulator.moveTo(PAYWALL, end)
  expect(charges()).toEqual([1079, 1620])
})

test('another interval begins a term now', async () => {
  const { preview, change, charges, pricedAt, purchase } = await startChange()
  const shown = await preview({ to: YEAR })
  const at = new Date(pricedAt)
  at.setUTCFullYear(at.getUTCFullYear() + 1)
  expect(shown).toMatchObject({ dueNow: 9900 - 749, credit: 749, next: { amount: 9900, at } })
  expect(await change({ to: YEAR })).toEqual(CHANGED)
  expect(charges()).toEqual([999, 9151])
  expect(await purchase()).toMatchObject({ interval: 'year', currentPeriodEnd: at, priceCovered: true })
})

test('a downgrade is scheduled for the end of the term, in place of another change', async () => {
  const { preview, change, charges, state, scheduled, end, emulator } = await startChange()
  expect(await preview({ to: BASIC, when: 'period_end' })).toEqual({
    currency: 'USD',
    dueNow: 0,
    credit: 0,
    effectiveAt: date(end),
    next: { amount: 499, at: date(end) },
    isEstimate: false,
  })
  expect(await change({ to: YEAR, when: 'period_end' })).toEqual(CHANGED)
  expect(await scheduled()).toBe('year-USD')
  expect(await change({ to: BASIC, when: 'period_end', key: 'change_2' })).toEqual(CHANGED)
  expect(await change({ to: BASIC, when: 'period_end', key: 'change_3' })).toEqual(CHANGED)
  expect(await scheduled()).toBe('basic-USD-monthly')
  expect(await state()).toMatchObject({ price: 'pro-USD-monthly', isScheduled: true })
  await emulator.moveTo(PAYWALL, end + HOUR)
  expect(await state()).toMatchObject({ price: 'basic-USD-monthly', isScheduled: false })
  expect(charges()).toEqual([999, 499])
})

test('a change to the current price discards a scheduled one', async () => {
  const { change, state } = await startChange()
  await change({ to: BASIC, when: 'period_end' })
  expect(await change({ to: { ...TEAM, processorPrice: 'pro-USD-monthly' }, key: 'change_2' })).toEqual(CHANGED)
  expect(await state()).toMatchObject({ price: 'pro-USD-monthly', isScheduled: false })
})

test('a change in a trial is free, and the trial continues', async () => {
  const { preview, change, charges, state, end, emulator } = await startChange({ trialDays: 8 })
  expect(await preview()).toMatchObject({ dueNow: 0, credit: 0, next: { amount: 2999, at: date(end) } })
  expect(await preview({ to: YEAR })).toMatchObject({ dueNow: 0, next: { amount: 9900, at: date(end) } })
  expect(await change()).toEqual(CHANGED)
  expect(await state()).toMatchObject({ price: 'team-USD-monthly', status: 'in_trial' })
  expect(await change({ to: BASIC, when: 'period_end', key: 'change_2' })).toEqual(CHANGED)
  expect(await state()).toMatchObject({ price: 'team-USD-monthly', status: 'in_trial' })
  await emulator.moveTo(PAYWALL, end + HOUR)
  expect(charges()).toEqual([499])
})

test.each([0, 8])('a scheduled cancellation is undone by a change at once (trial of %d days)', async (trialDays) => {
  const { adapter, preview, change, state, purchase, end } = await startChange({ trialDays })
  await adapter.cancelAtPeriodEnd(CHECKOUT_ID, '')
  expect(await preview()).toMatchObject({ next: { amount: 2999, at: date(end) } })
  expect(await change()).toEqual(CHANGED)
  expect(await state()).toMatchObject({ price: 'team-USD-monthly', status: trialDays === 0 ? 'active' : 'in_trial' })
  expect(await purchase()).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null })
})

test('if Chargebee refuses to schedule a change of a cancelled subscription, it stays cancelled', async () => {
  const { adapter, preview, change, state, purchase, end } = await startChange()
  await adapter.cancelAtPeriodEnd(CHECKOUT_ID, '')
  const later = { to: BASIC, when: 'period_end' } as const
  expect(await preview(later)).toMatchObject({ dueNow: 0, next: { amount: 499, at: date(end) } })
  expect(await change(later)).toEqual({ outcome: 'cancelled' })
  expect(await state()).toMatchObject({ price: 'pro-USD-monthly', status: 'non_renewing', isScheduled: false })
  expect(await purchase()).toMatchObject({ cancelAtPeriodEnd: true })
})

test('a change that is refused because of its charge waits for a page, which changes the same subscription', async () => {
  const { change, charges, state, purchase, decline, refuseDeclined, chargebee, emulator } = await startChange()
  await refuseDeclined()
  await decline()
  const result = await change()
  expect(result).toEqual({ outcome: 'payment_required', url: expect.stringMatching(/^http.*\/pages\/v3\//) })
  expect(await state()).toEqual({ price: 'pro-USD-monthly', status: 'active', isScheduled: false, due: 0 })
  expect(await purchase()).toMatchObject({ status: 'active', priceCovered: true, changedInPeriod: false })
  expect(await change()).toEqual(result)
  expect((await press(getUrl(result), 'decline')).status).toBe(402)
  expect(charges()).toEqual([999])
  expect((await press(getUrl(result), 'pay')).status).toBe(303)
  expect(await state()).toEqual({ price: 'team-USD-monthly', status: 'active', isScheduled: false, due: 0 })
  expect((await press(getUrl(result), 'pay')).status).toBe(409)
  expect(await change()).toEqual(CHANGED)
  expect(charges()).toEqual([999, 1500])
  const page = emulator.hostedPages.at(-1)!
  const { hosted_page: paid } = await chargebee.hostedPage.retrieve(page.id)
  expect(paid).toMatchObject({ type: 'checkout_existing', state: 'succeeded' })
  expect(paid.content.invoice).toMatchObject({ status: 'paid', amount_paid: 1500 })
})

test('the buyer of a cancelled subscription, whose page might not undo the cancellation, gets none', async () => {
  const { adapter, change, state, decline, refuseDeclined, emulator } = await startChange()
  await refuseDeclined()
  await decline()
  await adapter.cancelAtPeriodEnd(CHECKOUT_ID, '')
  const pages = emulator.hostedPages.length
  expect(await change()).toEqual({ outcome: 'declined' })
  expect(await state()).toMatchObject({ price: 'pro-USD-monthly', status: 'non_renewing' })
  expect(emulator.hostedPages).toHaveLength(pages)
})

test('a change that is made although its charge is declined can be paid on a page', async () => {
  const { change, charges, state, purchase, decline } = await startChange()
  await decline()
  const result = await change()
  expect(result).toEqual({ outcome: 'payment_required', url: expect.stringMatching(/^http.*\/pages\/v3\//) })
  expect(await state()).toEqual({ price: 'team-USD-monthly', status: 'active', isScheduled: false, due: 1 })
  const unpaid = { status: 'past_due', periodCovered: false, priceCovered: false, processorPrice: 'team-USD-monthly' }
  expect(await purchase()).toMatchObject(unpaid)
  expect(await change()).toEqual(result)
  expect(await change({ key: 'change_2' })).toMatchObject({ outcome: 'payment_required' })
  expect(charges()).toEqual([999])
  await press(getUrl(result), 'pay')
  expect(charges()).toEqual([999, 1500])
  expect(await purchase()).toMatchObject({ status: 'active', periodCovered: true, priceCovered: true })
  expect(await change({ key: 'change_3' })).toEqual(CHANGED)
})

test('a cancellation stays while the difference is unpaid', async () => {
  const { adapter, change, state, decline } = await startChange()
  await adapter.cancelAtPeriodEnd(CHECKOUT_ID, '')
  await decline()
  const result = await change()
  expect(await state()).toMatchObject({ price: 'team-USD-monthly', status: 'non_renewing', due: 1 })
  await press(getUrl(result), 'pay')
  expect(await change({ key: 'change_2' })).toEqual(CHANGED)
  expect(await state()).toMatchObject({ status: 'active', due: 0 })
})

test('if the site opens no page, a declined charge is reported as that', async () => {
  const { change, state, decline, refuseDeclined, emulator } = await startChange()
  await refuseDeclined()
  await decline()
  const error = { message: 'no', type: 'invalid_request', api_error_code: 'operation_not_supported' }
  emulator.onCall = async ({ path }, run) =>
    path.includes('/hosted_pages/') ? { status: 400, headers: {}, body: JSON.stringify(error) } : run()
  expect(await change()).toEqual({ outcome: 'declined' })
  emulator.onCall = undefined
  expect(await state()).toMatchObject({ price: 'pro-USD-monthly', status: 'active' })
})

test('a subscription that is paused or has ended is neither changed nor reactivated', async () => {
  const { adapter, preview, change, state, charges, emulator } = await startChange()
  await emulator.pause(CHECKOUT_ID)
  await expect(preview()).rejects.toMatchObject({ kind: 'rejected', answered: true })
  await expect(change()).rejects.toMatchObject({ kind: 'rejected', answered: true })
  await adapter.endNow?.(CHECKOUT_ID)
  await expect(change({ key: 'change_2' })).rejects.toMatchObject({ kind: 'rejected' })
  expect(await state()).toMatchObject({ price: 'pro-USD-monthly', status: 'cancelled' })
  expect(charges()).toEqual([999])
})

test('an item price that Chargebee does not have, or has in another currency, is refused', async () => {
  const { preview, change } = await startChange()
  for (const processorPrice of ['unknown-USD', 'pro-JPY-quarterly']) {
    const to = { ...TEAM, processorPrice }
    await expect(preview({ to })).rejects.toMatchObject({ kind: 'rejected', answered: true })
    await expect(change({ to, key: processorPrice })).rejects.toMatchObject({ kind: 'rejected', answered: true })
  }
})

interface Crash {
  cancelled: boolean
  change: Partial<PlanChange>
  price: string
  charged: number[]
  renewal: number
}

const UPGRADE = { change: {}, price: 'team-USD-monthly', charged: [999, 1500], renewal: 2999 }
const DOWNGRADE = {
  change: { to: BASIC, when: 'period_end' },
  price: 'pro-USD-monthly',
  charged: [999],
  renewal: 499,
} satisfies Partial<Crash>

test.each<[string, boolean, Crash]>(
  [false, true].flatMap((isExecuted): [string, boolean, Crash][] => [
    ['an upgrade', isExecuted, { ...UPGRADE, cancelled: false }],
    ['an upgrade of a cancelled subscription', isExecuted, { ...UPGRADE, cancelled: true }],
    ['a downgrade', isExecuted, { ...DOWNGRADE, cancelled: false }],
  ]),
)('a retry of %s completes what a crash at any call left (executed: %s)', async (...given) => {
  const [, isExecuted, { cancelled, change, price, charged, renewal }] = given
  let isComplete = false
  for (let calls = 0; !isComplete; calls += 1) {
    const started = await startChange()
    const { adapter, state, charges, emulator, end } = started
    if (cancelled) await adapter.cancelAtPeriodEnd(CHECKOUT_ID, '')
    crashAfter(started.emulator, calls, isExecuted)
    const [crashed] = await Promise.allSettled([started.change(change)])
    emulator.onCall = undefined
    isComplete = crashed?.status === 'fulfilled'
    expect(await started.change(change)).toEqual(CHANGED)
    expect(await started.change(change)).toEqual(CHANGED)
    expect(await state()).toMatchObject({ price, status: 'active', due: 0 })
    expect(charges()).toEqual(charged)
    await emulator.moveTo(PAYWALL, end + DAY)
    expect(charges()).toEqual([...charged, renewal])
    expect(calls).toBeLessThan(8)
  }
})
