import { expect, test } from 'vitest'
import type { OrderReduction, PlanChange } from '../../../lib/processors/processor.ts'
import { crashAfter, DAY } from '../plan-changes-fixture.ts'
import { BASIC, MONTH, startChange, TEAM, YEAR } from './subscription-fixture.ts'

// Offers at Mollie, which has no discounts: less is charged, for some periods or for ever.

const half = (periods: OrderReduction['periods']) => ({ reduction: { takenOff: 500, periods } })

/** The share of an amount for three quarters of a period. */
const rest = (amount: number) => Math.round(amount * 0.75)

test.each<[OrderReduction['periods'], number[]]>([
  [1, [499, 999, 999, 999, 999]],
  [2, [499, 499, 999, 999, 999]],
  [4, [499, 499, 499, 499, 999]],
  ['forever', [499, 499, 499, 499, 499]],
])('an offer for %s periods is charged for as long as that', async (periods, expected) => {
  const { charges, renew, read } = await startChange(half(periods))
  for (let renewal = 0; renewal < 4; renewal++) {
    await renew()
    const { found, payments, todo } = await read()
    expect(found?.purchase).toMatchObject({ unitAmount: 999, priceCovered: true, charged: 499, status: 'active' })
    expect(payments?.map(({ amount, discount }) => [amount, discount])).toEqual(
      charges().map((amount) => [amount, 999 - amount]),
    )
    expect(todo).toBeNull()
  }
  expect(charges()).toEqual(expected)
})

test('an offer for ever begins after a trial', async () => {
  const { charges, renew, snapshot } = await startChange({ ...half('forever'), trialDays: 7 })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, status: 'trialing', priceCovered: true, charged: 0 })
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual([0, 499, 499])
})

test.each<[number, number[]]>([
  [1, [0, 499, 999, 999]],
  [2, [0, 499, 499, 999]],
])('an offer for %i periods begins after a trial', async (periods, expected) => {
  const { charges, renew, read } = await startChange({ ...half(periods), trialDays: 7 })
  for (const _ of [1, 2, 3]) {
    await renew()
    const { found, payments, todo } = await read()
    expect(found?.purchase).toMatchObject({ unitAmount: 999, priceCovered: true, status: 'active' })
    expect(payments?.map(({ amount, discount }) => [amount, discount])).toEqual(
      charges().flatMap((amount) => (amount > 0 ? [[amount, 999 - amount]] : [])),
    )
    expect(todo).toBeNull()
  }
  expect(charges()).toEqual(expected)
})

test('a period whose charge fails counts', async () => {
  const { charges, renew, decline, snapshot } = await startChange(half(3))
  await decline()
  await renew()
  expect(await snapshot()).toMatchObject({ unitAmount: 999, status: 'past_due' })
  await decline(false)
  await renew()
  await renew()
  expect(charges()).toEqual([499, 499, 999])
})

test('while the service is down an offer lasts longer, and not for ever', async () => {
  const { charges, renew, moveTo, subscription } = await startChange(half(2))
  await moveTo(new Date(subscription().periodEnd * 1000 + DAY * 1000))
  await moveTo(new Date(subscription().periodEnd * 1000 + DAY * 1000))
  expect(charges()).toEqual([499, 499, 499])
  await renew()
  await renew()
  expect(charges()).toEqual([499, 499, 499, 999, 999])
})

test.each([0, 1, 2, 3, 4, 5])('crashed at call %i, the end of an offer is retried', async (calls) => {
  for (const isExecuted of [true, false]) {
    const { charges, renew, emulator, read, snapshot } = await startChange(half(2))
    await renew(true)
    crashAfter(emulator, calls, isExecuted)
    await read().catch(() => {})
    emulator.onCall = undefined
    await renew()
    expect(charges()).toEqual([499, 499, 999])
    expect(await snapshot()).toMatchObject({ unitAmount: 999, priceCovered: true })
  }
})

test('the end of an offer does not undo a change that was scheduled meanwhile', async () => {
  const { adapter, change, charges, renew, now, id } = await startChange(half(2))
  await renew(true)
  const { todo } = adapter.decide((await adapter.observe({ kind: 'subscription', id }))!, now())
  expect(todo).toMatchObject({ do: 'end the reduction' })
  await change({ to: BASIC, when: 'period_end' })
  await adapter.act(todo!)
  await renew()
  expect(charges()).toEqual([499, 499, 499])
})

/** Changes of plan, five hours after the last reduced charge, and what is charged from then on. */
const CHANGES: { given: Pick<PlanChange, 'to' | 'when'>; later: number[] }[] = [
  { given: { to: TEAM, when: 'now' }, later: [2483, 2999, 2999] },
  { given: { to: YEAR, when: 'now' }, later: [9398] },
  { given: { to: { ...MONTH, quantity: 2 }, when: 'now' }, later: [1489, 1998, 1998] },
  { given: { to: BASIC, when: 'period_end' }, later: [499, 499] },
  { given: { to: TEAM, when: 'period_end' }, later: [2999, 2999] },
  { given: { to: YEAR, when: 'period_end' }, later: [9900] },
]

/** A read ends an offer for two periods: another caller changes the plan after its GET, and before its PATCH. */
async function changeWhileEnding(given: Pick<PlanChange, 'to' | 'when'>) {
  const started = await startChange(half(2))
  const { emulator, change, renew, read } = started
  await renew(true)
  const results: unknown[] = []
  emulator.onCall = async ({ method }, run) => {
    if (method !== 'PATCH') return run()
    emulator.onCall = undefined
    results.push(await change(given))
    return run()
  }
  await read(1)
  expect(results).toEqual([{ outcome: 'changed' }])
  return started
}

test.each(CHANGES)(
  'the end of an offer keeps a change to $given.to.processorPrice at the same time, $given.when',
  async ({ given, later }) => {
    const { charges, renew, snapshot } = await changeWhileEnding(given)
    const { amount: unitAmount, quantity, interval } = given.to
    const expected =
      given.when === 'period_end'
        ? { unitAmount: 999, quantity: 1, scheduledChange: { charge: { unitAmount } } }
        : { unitAmount, quantity, priceCovered: true, changedInPeriod: true }
    expect(await snapshot()).toMatchObject(expected)
    while (charges().length < later.length + 2) await renew()
    expect(charges()).toEqual([499, 499, ...later])
    expect(await snapshot()).toMatchObject({ unitAmount, quantity, scheduledChange: null, interval })
  },
)

test.each([0, 1, 2, 3, 4, 5])(
  'crashed at call %i, what the end of an offer has overwritten is restored',
  async (calls) => {
    for (const isExecuted of [true, false]) {
      for (const { given, later } of [CHANGES[0]!, CHANGES[3]!]) {
        const { emulator, charges, renew, read } = await changeWhileEnding(given)
        crashAfter(emulator, calls, isExecuted)
        await read().catch(() => {})
        emulator.onCall = undefined
        while (charges().length < later.length + 2) await renew()
        expect(charges()).toEqual([499, 499, ...later])
      }
    }
  },
)

test.each([
  [0, 700],
  [1, 999],
])('%i charges after the change that ended an offer, the owner’s amount of %i counts', async (renewals, amount) => {
  const { emulator, renew, change, charges, subscription, snapshot } = await startChange(half(2))
  await renew()
  await change({ to: TEAM, when: 'period_end' })
  for (let renewal = 0; renewal < renewals; renewal++) await renew()
  await emulator.update(subscription().id, { amount: { currency: 'EUR', value: (amount / 100).toFixed(2) } })
  await renew()
  expect(await snapshot()).toMatchObject({ unitAmount: amount, scheduledChange: null })
  expect(charges().slice(renewals)).toEqual([...[499, 499, 2999].slice(renewals, 2 + renewals), amount])
})

test('once an offer has ended, the owner can undo a scheduled change by its price', async () => {
  const { emulator, renew, change, charges, subscription, snapshot } = await startChange({ ...half(2), renewals: 2 })
  await change({ to: TEAM, when: 'period_end' })
  await emulator.update(subscription().id, { amount: { currency: 'EUR', value: '9.99' } })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, scheduledChange: null })
  await renew()
  expect(charges()).toEqual([499, 499, 999, 999])
})

test('an amount that the owner sets at Mollie replaces the offer', async () => {
  const { emulator, charges, renew, subscription, snapshot } = await startChange(half(3))
  await emulator.update(subscription().id, { amount: { currency: 'EUR', value: '7.00' } })
  expect(await snapshot()).toMatchObject({ unitAmount: 700, priceCovered: false })
  for (const _ of [1, 2, 3]) await renew()
  expect(charges()).toEqual([499, 700, 700, 700])
})

test.each([0, 1])('after %i charges a change at once credits what was paid, and ends the offer', async (renewals) => {
  const { preview, change, charges, snapshot, renew } = await startChange({ ...half('forever'), renewals })
  const dueNow = rest(2999) - rest(499)
  expect(await preview()).toMatchObject({ dueNow, credit: rest(499), next: { amount: 2999 } })
  expect(await change({}, dueNow)).toEqual({ outcome: 'changed' })
  expect(await snapshot()).toMatchObject({ unitAmount: 2999, priceCovered: true, changedInPeriod: true })
  for (const _ of [1, 2]) await renew()
  expect(charges().slice(renewals + 1)).toEqual([dueNow, 2999, 2999])
})

test('a period at the whole price is credited with it', async () => {
  const { preview } = await startChange({ ...half(1), renewals: 1 })
  expect(await preview()).toMatchObject({ credit: rest(999) })
})

test.each([BASIC, YEAR])('a change to $processorPrice at the end of the period ends the offer then', async (to) => {
  const { change, charges, snapshot, renew } = await startChange(half('forever'))
  expect(await change({ to, when: 'period_end' }, 0)).toEqual({ outcome: 'changed' })
  const scheduledChange = { charge: { unitAmount: to.amount } }
  expect(await snapshot()).toMatchObject({ unitAmount: 999, priceCovered: true, scheduledChange })
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual([499, to.amount, to.amount])
  expect(await snapshot()).toMatchObject({ unitAmount: to.amount, interval: to.interval, priceCovered: true })
})

test('a change to a price that costs what the offer has left is not taken for the offer', async () => {
  const { change, charges, snapshot, renew } = await startChange(half('forever'))
  await change({ to: BASIC, when: 'period_end' }, 0)
  for (const _ of [1, 2]) await renew()
  expect(await snapshot()).toMatchObject({ unitAmount: 499 })
  await change({ key: 'change_2', to: TEAM, when: 'period_end' }, 0)
  await change({ key: 'change_3', to: BASIC, when: 'period_end' }, 0)
  await renew()
  expect(await snapshot()).toMatchObject({ unitAmount: 499, scheduledChange: null })
  expect(charges()).toEqual([499, 499, 499, 499])
})

test.each([
  [3, [499, 499, 499, 999]],
  [1, [499, 999, 999, 999]],
] as const)('an offer for %i periods goes on when a scheduled change is undone', async (periods, expected) => {
  const { change, charges, snapshot, renew } = await startChange(half(periods))
  await change({ to: BASIC, when: 'period_end' }, 0)
  expect(await change({ key: 'change_2', to: MONTH, when: 'period_end' }, 0)).toEqual({ outcome: 'changed' })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, scheduledChange: null })
  for (const _ of [1, 2, 3]) await renew()
  expect(charges()).toEqual(expected)
})

test('undoing a scheduled change is previewed with what the offer leaves', async () => {
  const { change, preview, charges, renew, end } = await startChange(half(2))
  await change({ to: BASIC, when: 'period_end' }, 0)
  const undo = { key: 'change_2', to: MONTH, when: 'period_end' } as const
  expect(await preview(undo)).toMatchObject({ dueNow: 0, next: { amount: 499, at: end } })
  await change(undo, 0)
  await renew()
  await change({ key: 'change_3', to: TEAM, when: 'period_end' }, 0)
  expect(await preview({ ...undo, key: 'change_4' })).toMatchObject({ next: { amount: 999 } })
  await change({ ...undo, key: 'change_4' }, 0)
  await renew()
  expect(charges()).toEqual([499, 499, 999])
})

const SEATS = { ...MONTH, quantity: 2 }
const THREE = { quantity: 3, reduction: { takenOff: 300, periods: 2 } } as const

test.each([
  ['another price', half('forever'), BASIC, [499, 499, 499], 500],
  ['one of two units', { quantity: 2, reduction: { takenOff: 999, periods: 'forever' } }, MONTH, [999, 999, 999], 999],
  ['two of three units', THREE, SEATS, [2697, 1998, 1998], 300],
] as const)('after a scheduled change to %s nothing is taken off', async (_, sold, to, expected, discount) => {
  const { change, charges, renew, read } = await startChange(sold)
  await change({ to, when: 'period_end' }, 0)
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual(expected)
  const { payments, found } = await read()
  expect(payments?.map((payment) => payment.discount)).toEqual([discount, 0, 0])
  expect(found?.purchase).toMatchObject({ unitAmount: to.amount, quantity: to.quantity, priceCovered: true })
})

test.each([999, 499])(
  'an offer that a scheduled change has ended does not come back for an amount of %i',
  async (amount) => {
    const { emulator, change, charges, renew, read, subscription } = await startChange(half('forever'))
    await change({ to: TEAM, when: 'period_end' }, 0)
    await renew()
    await emulator.update(subscription().id, { amount: { currency: 'EUR', value: `${amount / 100}` } })
    expect((await read()).found?.purchase).toMatchObject({ unitAmount: amount })
    for (const _ of [1, 2]) await renew()
    expect(charges()).toEqual([499, 2999, amount, amount])
    const { payments, found } = await read()
    expect(payments?.map(({ discount }) => discount)).toEqual([500, 0, 0, 0])
    expect(found?.purchase).toMatchObject({ unitAmount: amount, priceCovered: true })
  },
)

test('an offer goes on when the owner undoes a scheduled change at Mollie', async () => {
  const { emulator, change, charges, renew, read, subscription } = await startChange(half('forever'))
  await change({ to: TEAM, when: 'period_end' }, 0)
  await emulator.update(subscription().id, { amount: { currency: 'EUR', value: '9.99' } })
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual([499, 499, 499])
  const { payments, found } = await read()
  expect(payments?.map(({ discount }) => discount)).toEqual([500, 500, 500])
  expect(found?.purchase).toMatchObject({ unitAmount: 999, priceCovered: true, scheduledChange: null })
})

test('an offer for several units goes on when a scheduled change of their number is undone', async () => {
  const { change, preview, charges, renew, read, snapshot } = await startChange(THREE)
  expect(await snapshot()).toMatchObject({ unitAmount: 999, quantity: 3, charged: 2697, priceCovered: true })
  await change({ to: SEATS, when: 'period_end' }, 0)
  expect(await snapshot()).toMatchObject({ unitAmount: 999, quantity: 3, scheduledChange: { quantity: 2 } })
  const undo = { key: 'change_2', to: { ...MONTH, quantity: 3 }, when: 'period_end' } as const
  expect(await preview(undo)).toMatchObject({ dueNow: 0, next: { amount: 2697 } })
  expect(await change(undo, 0)).toEqual({ outcome: 'changed' })
  for (const _ of [1, 2, 3]) await renew()
  expect(charges()).toEqual([2697, 2697, 2997, 2997])
  const { payments, found } = await read()
  expect(payments?.map(({ discount }) => discount)).toEqual([300, 300, 0, 0])
  expect(found?.purchase).toMatchObject({ unitAmount: 999, quantity: 3, priceCovered: true, scheduledChange: null })
})
