import { expect, test } from 'vitest'
import type { CheckoutOrder, PlanChange, PlanChangePreview } from '../../../lib/processors/processor.ts'
import { planChange } from '../orders.ts'
import { advanceQuarterPeriod, crashAfter, DAY, HOUR, otherPrice, PAYWALL } from '../plan-changes-fixture.ts'
import { press } from './emulator/fixture.ts'
import { startAdapter } from './selling.ts'

// Changes of plan by the adapter, at the Stripe emulator.

const BASIC = {
  processorPrice: 'price_basic',
  currency: 'USD',
  amount: 499,
  quantity: 1,
  interval: 'month',
  intervalCount: 1,
} as const
const TEAM = { ...BASIC, processorPrice: 'price_team', amount: 2999 }
const YEAR = { ...BASIC, processorPrice: 'price_year', amount: 9900, interval: 'year' } as const

/** A subscription of 9.99 a month, after a quarter of its period, priced at an eighth of it. */
async function startChange(more: Partial<CheckoutOrder> = {}, terms = {}) {
  const started = await startAdapter()
  const { emulator, stripe, adapter, subscribe } = started
  await emulator.setOtherPrices(PAYWALL, [
    otherPrice('price_basic', { amount: 499 }),
    otherPrice('price_team'),
    otherPrice('price_year', { interval: 'year', amount: 9900 }),
  ])
  await emulator.setTerms(PAYWALL, terms)
  const id = await subscribe(more)
  const read = () => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  const [item] = (await read()).items.data
  const [start, end] = [item!.current_period_start, item!.current_period_end]
  await advanceQuarterPeriod(emulator, [start, end])
  const pricedAt = new Date((start + (end - start) / 8) * 1000)
  const order = (change: Partial<PlanChange> = {}) => planChange({ subscriptionId: id, to: TEAM, pricedAt, ...change })
  const preview = async (change?: Partial<PlanChange>) =>
    (await adapter.previewPlanChange?.(order(change))) as PlanChangePreview
  const change = (given?: Partial<PlanChange>, quoted: number | null = null) =>
    adapter.changePlan?.(order(given), quoted)
  /** The amounts of all payments, oldest first. */
  const charges = () =>
    [...emulator.records.payments.values()].filter(({ status }) => status === 'paid').map(({ amount }) => amount)
  const state = async () => {
    const { items, cancel_at, schedule, status, pending_update: pending } = await read()
    expect(emulator.records.subscriptions.size).toBe(1)
    return { price: items.data[0]?.price.id, ends: cancel_at !== null, schedule, status, isPending: pending !== null }
  }
  const decline = async (declines = true) => emulator.declineCharges(String((await read()).customer), declines)
  const snapshot = () => started.readSnapshot({ kind: 'subscription', id })
  return { ...started, id, start, end, pricedAt, read, order, preview, change, charges, state, decline, snapshot }
}

const date = (seconds: number) => new Date(seconds * 1000)

test('an upgrade is charged at once, as previewed', async () => {
  const { preview, change, charges, state, end, pricedAt, passDays, emulator } = await startChange()
  const expected = await preview()
  expect(expected).toEqual({
    currency: 'USD',
    dueNow: 1750,
    credit: 874,
    effectiveAt: pricedAt,
    next: { amount: 2999, at: date(end) },
    isEstimate: false,
  })
  expect(charges()).toEqual([999])
  expect(await change({}, expected.dueNow)).toEqual({ outcome: 'changed' })
  expect(await state()).toEqual({
    price: 'price_team',
    ends: false,
    schedule: null,
    status: 'active',
    isPending: false,
  })
  expect(charges()).toEqual([999, 1750])
  await emulator.moveTo(PAYWALL, end - DAY)
  await passDays(2)
  expect(charges()).toEqual([999, 1750, 2999])
})

test('a preview includes taxes and discounts', async () => {
  const { preview, change, charges } = await startChange(
    { options: { automatic_tax: true } },
    { taxPercent: 20, percentOff: 50 },
  )
  const expected = await preview()
  expect(expected).toMatchObject({ dueNow: 1050, credit: 524, next: { amount: 1799 } })
  expect(await change({}, 1050)).toEqual({ outcome: 'changed' })
  expect(charges()).toEqual([599, 1050])
})

test('a change at the end of the period keeps automatic taxes', async () => {
  const { change, charges, end, emulator } = await startChange(
    { options: { automatic_tax: true } },
    { taxPercent: 20, percentOff: 0 },
  )
  expect(await change({ to: BASIC, when: 'period_end' })).toEqual({ outcome: 'changed' })
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(charges()).toEqual([1199, 599])
})

test.each(['its end', 'a change of its plan'])(
  'a preview succeeds although another call schedules %s meanwhile',
  async (what) => {
    const { preview, change, emulator, stripe, id } = await startChange()
    const expected = await preview({ when: 'period_end' })
    const isEnd = what === 'its end'
    if (!isEnd) await stripe.subscriptions.update(id, { cancel_at_period_end: true })
    let calls = 0
    emulator.onCall = async (_, run) => {
      calls += 1
      if (calls === 2) {
        emulator.onCall = undefined
        if (isEnd) await stripe.subscriptions.update(id, { cancel_at_period_end: true })
        else await change({ to: BASIC, when: 'period_end' })
      }
      return run()
    }
    expect(await preview({ when: 'period_end' })).toEqual(expected)
    expect(emulator.onCall, 'the other call was made').toBeUndefined()
  },
)

test('a change from month to year begins a year, which is charged less the rest of the month', async () => {
  const { preview, change, charges, emulator, read } = await startChange()
  const expected = await preview({ to: YEAR })
  expect(expected).toMatchObject({ dueNow: 9900 - 874, credit: 874, next: { amount: 9900 } })
  expect(await change({ to: YEAR }, expected.dueNow)).toEqual({ outcome: 'changed' })
  expect(charges()).toEqual([999, 9900 - 874])
  const [item] = (await read()).items.data
  expect(item?.current_period_start).toBeCloseTo(emulator.currentTime(PAYWALL), -1)
  expect(expected.next.at.getTime() / 1000).toBeCloseTo(item?.current_period_end ?? 0, -1)
})

test('a downgrade now charges nothing, and the rest of its credit pays the next charge', async () => {
  const { preview, change, charges, end, emulator } = await startChange()
  const credit = 874 - 437
  expect(await preview({ to: BASIC })).toMatchObject({ dueNow: 0, credit: 874, next: { amount: 499 - credit } })
  expect(await change({ to: BASIC }, 0)).toEqual({ outcome: 'changed' })
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(charges()).toEqual([999, 499 - credit])
})

test('a downgrade at the end of the period changes nothing before', async () => {
  const { preview, change, charges, state, end, emulator, snapshot } = await startChange()
  const later = { to: BASIC, when: 'period_end' } as const
  expect(await preview(later)).toEqual({
    currency: 'USD',
    dueNow: 0,
    credit: 0,
    effectiveAt: date(end),
    next: { amount: 499, at: date(end) },
    isEstimate: false,
  })
  expect(await change(later, 0)).toEqual({ outcome: 'changed' })
  expect(await state()).toMatchObject({ price: 'price_month', schedule: expect.stringMatching(/^sub_sched_/) })
  expect(await snapshot()).toMatchObject({
    processorPrice: 'price_month',
    cancelAtPeriodEnd: false,
    priceCovered: true,
  })
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(await state()).toMatchObject({ price: 'price_basic', status: 'active' })
  expect(charges()).toEqual([999, 499])
  expect(await change({ when: 'period_end', key: 'change_2' })).toEqual({ outcome: 'changed' })
  await emulator.moveTo(PAYWALL, end + 32 * DAY)
  expect(charges()).toEqual([999, 499, 2999])
})

test('another scheduled change is replaced, and an immediate change removes it', async () => {
  const { change, state, emulator, id, end, charges } = await startChange()
  await emulator.schedulePlan(id, 'price_year')
  expect(await change({ to: BASIC, when: 'period_end' })).toEqual({ outcome: 'changed' })
  expect(emulator.records.subscriptions.get(id)?.scheduled?.price.id).toBe('price_basic')
  expect(await change({ key: 'change_2' })).toEqual({ outcome: 'changed' })
  expect(await state()).toMatchObject({ price: 'price_team', schedule: null })
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(charges()).toEqual([999, 1750, 2999])
})

test('a change that is paid later is not replaced by an earlier scheduled one', async () => {
  const { change, decline, charges, emulator, id, end } = await startChange()
  await emulator.schedulePlan(id, 'price_year')
  await decline()
  const result = await change({}, 1750)
  await press({ url: (result as { url: string }).url }, 'pay')
  await decline(false)
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(charges()).toEqual([999, 1750, 2999])
})

test('an item that is charged by usage is scheduled without a quantity', async () => {
  const { change, emulator } = await startChange()
  const sent: unknown[] = []
  emulator.onCall = async ({ method, path, body }, run) => {
    if (method !== 'POST' || !path.includes('/subscription_schedules')) return run()
    if (!path.endsWith('/subscription_schedules')) {
      sent.push(body)
      return run()
    }
    const reply = await run()
    const schedule = JSON.parse(reply.body)
    schedule.phases[0].items.push({ price: 'price_usage' })
    return { ...reply, body: JSON.stringify(schedule) }
  }
  // The emulator knows no such price, and refuses the call.
  await expect(change({ to: BASIC, when: 'period_end' })).rejects.toThrow()
  const items = [expect.anything(), { price: 'price_usage' }]
  expect(sent).toEqual([
    expect.objectContaining({ phases: [expect.objectContaining({ items }), expect.objectContaining({ items })] }),
  ])
})

test('the current price is kept by removing a scheduled change', async () => {
  const { change, state, emulator, id } = await startChange()
  await emulator.schedulePlan(id, 'price_basic')
  const current = { ...TEAM, processorPrice: 'price_month', amount: 999 }
  expect(await change({ to: current }, 0)).toEqual({ outcome: 'changed' })
  expect(await state()).toMatchObject({ price: 'price_month', schedule: null })
})

/** The ways in which the end of a subscription is scheduled. */
const ENDS = ['flag', 'portal', 'later'] as const

async function scheduleEnd(
  { stripe, emulator, id, end }: Awaited<ReturnType<typeof startChange>>,
  how: (typeof ENDS)[number],
) {
  if (how === 'flag') await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  if (how === 'portal') await emulator.portalCancel(id)
  if (how === 'later') await stripe.subscriptions.update(id, { cancel_at: end + 100 * DAY })
}

test.each(ENDS)('a change undoes a scheduled cancellation (%s), now or at the end of the period', async (how) => {
  const now = await startChange()
  await scheduleEnd(now, how)
  expect(await now.preview()).toMatchObject({ dueNow: 1750, next: { amount: 2999 } })
  expect(await now.change({}, 1750)).toEqual({ outcome: 'changed' })
  expect(await now.state()).toMatchObject({ price: 'price_team', ends: false })

  const later = await startChange()
  await scheduleEnd(later, how)
  expect(await later.change({ to: BASIC, when: 'period_end' })).toEqual({ outcome: 'changed' })
  expect(await later.state()).toMatchObject({ price: 'price_month', ends: false })
  await later.emulator.moveTo(PAYWALL, later.end + 2 * HOUR)
  expect(later.charges()).toEqual([999, 499])
})

test.each(ENDS)(
  'a declined charge leaves the plan and the scheduled cancellation (%s) until it is paid',
  async (how) => {
    const started = await startChange()
    const { change, state, decline, charges, snapshot } = started
    await scheduleEnd(started, how)
    const before = await snapshot()
    await decline()
    const result = await change({}, 1750)
    expect(result).toEqual({ outcome: 'payment_required', url: expect.stringMatching(/^http/) })
    expect(await state()).toEqual({
      price: 'price_month',
      ends: true,
      schedule: null,
      status: 'active',
      isPending: true,
    })
    expect(await snapshot()).toMatchObject({
      periodCovered: true,
      priceCovered: true,
      changedInPeriod: false,
      scheduledChange: null,
      cancelAt: before?.cancelAt,
    })
    expect(await change({}, 1750)).toEqual(result)
    expect(await change({ key: 'change_2' }, 1750)).toEqual(result)
    expect(charges()).toEqual([999])
    await press({ url: (result as { url: string }).url }, 'pay')
    expect(await state()).toMatchObject({ price: 'price_team', ends: how === 'later', isPending: false })
    expect(await change({}, 1750)).toEqual({ outcome: 'changed' })
    expect(await state()).toMatchObject({ ends: false })
    expect(charges()).toEqual([999, 1750])
  },
)

test('a charge that the buyer must authenticate leaves the plan until that is done on the hosted page', async () => {
  const { change, state, charges, snapshot, emulator, stripe, read } = await startChange()
  await emulator.requireAuthentication(String((await read()).customer))
  const result = await change({}, 1750)
  expect(result).toEqual({ outcome: 'payment_required', url: expect.stringMatching(/^http/) })
  expect(await state()).toMatchObject({ price: 'price_month', status: 'active', isPending: true })
  expect(await snapshot()).toMatchObject({ status: 'active', periodCovered: true, priceCovered: true })
  const intents = [...emulator.records.payments.values()].filter(({ status }) => status !== 'paid')
  expect(intents).toHaveLength(1)
  const intent = await stripe.paymentIntents.retrieve(intents[0]!.id)
  expect(intent).toMatchObject({ status: 'requires_action', latest_charge: null, last_payment_error: null })
  expect(await change({}, 1750)).toEqual(result)
  expect(charges()).toEqual([999])
  await press({ url: (result as { url: string }).url }, 'pay')
  expect(await state()).toMatchObject({ price: 'price_team', status: 'active', isPending: false })
  expect(await change({}, 1750)).toEqual({ outcome: 'changed' })
  expect(charges()).toEqual([999, 1750])
})

test('a change that was not paid in time leaves a paid subscription, and can be made again', async () => {
  const { change, state, decline, charges, snapshot, emulator } = await startChange()
  await decline()
  expect(await change()).toMatchObject({ outcome: 'payment_required' })
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 23 * HOUR + 60)
  expect(await snapshot()).toMatchObject({ status: 'active', periodCovered: true, priceCovered: true })
  expect(await change()).toEqual({ outcome: 'declined' })
  expect(await state()).toMatchObject({ price: 'price_month', isPending: false })
  await decline(false)
  expect(await change({ key: 'change_2' })).toEqual({ outcome: 'changed' })
  expect(charges()).toEqual([999, 1750])
})

test('a subscription whose change waits for its payment ends with its paid period', async () => {
  const { adapter, change, decline, state, id, charges, end, emulator } = await startChange()
  await decline()
  await change()
  await adapter.stopCharging(id)
  expect(await state()).toMatchObject({ status: 'active', ends: true, isPending: false })
  await decline(false)
  await emulator.moveTo(PAYWALL, end + DAY)
  expect(await state()).toMatchObject({ status: 'canceled' })
  expect(charges()).toEqual([999])
})

test('another amount than the quoted one changes nothing', async () => {
  const { change, state, charges, emulator, id, end } = await startChange()
  await emulator.schedulePlan(id, 'price_year')
  const before = await state()
  expect(await change({}, 1749)).toEqual({ outcome: 'other_amount' })
  expect(await change({ to: BASIC, when: 'period_end' }, 1)).toEqual({ outcome: 'other_amount' })
  expect(await state()).toEqual(before)
  await emulator.releaseSchedule(id)
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(await change({}, 1750)).toEqual({ outcome: 'other_amount' })
  expect(charges()).toEqual([999, 999])
})

test('a change in a trial is free, and the trial continues', async () => {
  const { preview, change, charges, state, end, emulator } = await startChange({ trialDays: 8 })
  expect(await preview()).toMatchObject({ dueNow: 0, credit: 0, next: { amount: 2999, at: date(end) } })
  expect(await preview({ to: YEAR })).toMatchObject({ dueNow: 0, next: { amount: 9900, at: date(end) } })
  expect(await change({}, 0)).toEqual({ outcome: 'changed' })
  expect(await state()).toMatchObject({ price: 'price_team', status: 'trialing' })
  expect(await change({ to: BASIC, when: 'period_end', key: 'change_2' })).toEqual({ outcome: 'changed' })
  expect(await state()).toMatchObject({ price: 'price_team', status: 'trialing' })
  await emulator.moveTo(PAYWALL, end + 2 * HOUR)
  expect(charges()).toEqual([499])
})

interface Crash {
  before: 'a cancellation' | 'another schedule'
  change: Partial<PlanChange>
  price: string
  renewal: number
  charged: number[]
}

const UPGRADE = { change: {}, price: 'price_team', renewal: 2999, charged: [999, 1750] }
const DOWNGRADE = {
  change: { to: BASIC, when: 'period_end' },
  price: 'price_month',
  renewal: 499,
  charged: [999],
} satisfies Partial<Crash>

const CRASHES = ([UPGRADE, DOWNGRADE] satisfies Partial<Crash>[]).flatMap((given) =>
  (['a cancellation', 'another schedule'] as const).flatMap((before) =>
    [false, true].map((isExecuted): [string, string, boolean, Crash] => [
      given.change === DOWNGRADE.change ? 'downgrade' : 'upgrade',
      before,
      isExecuted,
      { ...given, before },
    ]),
  ),
)

test.each(CRASHES)(
  'a retry of the %s that replaces %s completes what a crash at any call left (executed: %s)',
  async (...given) => {
    const [, , isExecuted, { before, change, price, renewal, charged }] = given
    let isComplete = false
    for (let calls = 0; !isComplete; calls += 1) {
      const started = await startChange()
      const { state, charges, emulator, id, end } = started
      await (before === 'a cancellation' ? emulator.portalCancel(id) : emulator.schedulePlan(id, 'price_year'))
      crashAfter(started.emulator, calls, isExecuted)
      const [crashed] = await Promise.allSettled([started.change(change)])
      emulator.onCall = undefined
      isComplete = crashed?.status === 'fulfilled'
      const { price: current, ends } = await state()
      const isScheduled = emulator.records.subscriptions.get(id)?.scheduled?.price.id === 'price_basic'
      // The cancellation is undone once the change is certain.
      if (before === 'a cancellation') expect(ends).toBe(current === 'price_month' && !isScheduled)
      expect(await started.change(change)).toEqual({ outcome: 'changed' })
      expect(await started.change(change)).toEqual({ outcome: 'changed' })
      expect(await state()).toMatchObject({ price, ends: false, status: 'active', isPending: false })
      expect(charges()).toEqual(charged)
      await emulator.moveTo(PAYWALL, end + 2 * HOUR)
      expect(charges()).toEqual([...charged, renewal])
      expect(calls).toBeLessThan(12)
    }
  },
)

test('errors of Stripe are reported as such', async () => {
  const { change, emulator } = await startChange()
  const unknown = { ...TEAM, processorPrice: 'price_unknown' }
  await expect(change({ to: unknown })).rejects.toMatchObject({ kind: 'rejected', answered: true })
  const error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' }
  const declined = { status: 402, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ error }) }
  emulator.onCall = async ({ method }, run) => (method === 'POST' ? declined : run())
  expect(await change({ key: 'change_2' })).toEqual({ outcome: 'declined' })
  emulator.onCall = undefined
})
