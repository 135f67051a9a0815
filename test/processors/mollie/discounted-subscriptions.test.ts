import { expect, test } from 'vitest'
import type { DiscountedSubscription, OrderReduction } from '../../../lib/processors/processor.ts'
import { crashAfter } from '../plan-changes-fixture.ts'
import { BASIC, MONTH, startChange, TEAM } from './subscription-fixture.ts'

// Offers to stay at Mollie: a subscription that runs is charged less, for some periods or for ever.

const half = (periods: OrderReduction['periods']) => ({ takenOff: 500, periods })

type Sold = NonNullable<Parameters<typeof startChange>[0]>

/** `stay` takes half off the subscription. */
async function startStay(sold: Sold = {}) {
  const started = await startChange(sold)
  const { adapter, id: subscriptionId } = started
  const stay = (given: Partial<DiscountedSubscription> = {}) =>
    adapter.discountSubscription?.({ subscriptionId, amount: 999, reduction: half(2), use: 'stay', ...given })
  return { ...started, stay }
}

test.each<[number, OrderReduction['periods'], number[]]>([
  [0, 1, [999, 499, 999, 999]],
  [0, 2, [999, 499, 499, 999]],
  [2, 2, [999, 999, 999, 499, 499, 999]],
  [1, 'forever', [999, 999, 499, 499, 499]],
])('after %i charges, half is taken off the next %s periods', async (renewals, periods, expected) => {
  const { stay, charges, renew, read } = await startStay({ renewals })
  expect(await stay({ reduction: half(periods) })).toBe('discounted')
  const isWhole = { unitAmount: 999, quantity: 1, priceCovered: true, status: 'active', changedInPeriod: false }
  expect((await read()).found?.purchase).toMatchObject(isWhole)
  while (charges().length < expected.length) {
    await renew()
    const { found, payments, todo } = await read()
    expect(found?.purchase).toMatchObject(isWhole)
    expect(payments?.map(({ amount, discount }) => [amount, discount])).toEqual(
      charges().map((amount) => [amount, 999 - amount]),
    )
    expect(todo).toBeNull()
  }
  expect(charges()).toEqual(expected)
})

test('an offer is taken off once, however often it is requested', async () => {
  const { stay, charges, renew } = await startStay()
  expect(await Promise.all([stay(), stay(), stay()])).toEqual(['discounted', 'discounted', 'discounted'])
  await renew()
  expect(await stay()).toBe('discounted')
  for (const _ of [1, 2]) await renew()
  expect(await stay()).toBe('discounted')
  await renew()
  expect(charges()).toEqual([999, 499, 499, 999, 999])
})

test.each([0, 1, 2, 3, 4])('crashed at call %i, it is taken off by a retry', async (calls) => {
  for (const isExecuted of [true, false]) {
    const { stay, charges, renew, emulator } = await startStay({ renewals: 1 })
    crashAfter(emulator, calls, isExecuted)
    await stay()?.catch(() => {})
    emulator.onCall = undefined
    expect(await stay()).toBe('discounted')
    for (const _ of [1, 2, 3]) await renew()
    expect(charges()).toEqual([999, 999, 499, 499, 999])
  }
})

test.each([0, 1, 2, 3, 4, 5])('crashed at call %i, its end is retried', async (calls) => {
  const { stay, charges, renew, emulator, read } = await startStay()
  await stay({ reduction: half(1) })
  await renew(true)
  crashAfter(emulator, calls, true)
  await read().catch(() => {})
  emulator.onCall = undefined
  await renew()
  expect(charges()).toEqual([999, 499, 999])
})

test('a period whose charge fails counts', async () => {
  const { stay, charges, renew, decline } = await startStay()
  await stay()
  await decline()
  await renew()
  await decline(false)
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual([999, 499, 999])
})

test('after an offer of the checkout has ended, another one begins', async () => {
  const sold = { reduction: half(1) }
  const { stay, charges, renew, snapshot, preview } = await startStay(sold)
  expect(await stay({ reduction: { takenOff: 100, periods: 1 } })).toBe('discounted')
  expect(await snapshot()).toMatchObject({ unitAmount: 999, priceCovered: true, charged: 499 })
  expect(await preview({ to: MONTH, when: 'period_end' })).toMatchObject({ next: { amount: 899 } })
  expect(await preview()).toMatchObject({ credit: Math.round(499 * 0.75) })
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual([499, 899, 999])
})

test('the end of another offer at the same time does not undo it', async () => {
  const { emulator, stay, charges, renew, read } = await startStay({ reduction: half(2) })
  await renew(true)
  emulator.onCall = async ({ method }, run) => {
    if (method !== 'PATCH') return run()
    emulator.onCall = undefined
    await read()
    expect(await stay({ reduction: { takenOff: 100, periods: 1 } })).toBe('discounted')
    return run()
  }
  await read(1)
  for (const _ of [1, 2]) await renew()
  expect(charges()).toEqual([499, 499, 899, 999])
})

test('several units are reduced together', async () => {
  const { stay, charges, renew, snapshot } = await startStay({ quantity: 3 })
  expect(await stay({ amount: 2997, reduction: { takenOff: 300, periods: 1 } })).toBe('discounted')
  await renew()
  expect(await snapshot()).toMatchObject({ unitAmount: 999, quantity: 3, priceCovered: true })
  await renew()
  expect(charges()).toEqual([2997, 2697, 2997])
})

const REFUSED: [string, Sold, Partial<DiscountedSubscription>][] = [
  ['another offer is taken off', { reduction: half(3) }, {}],
  ['the price is another one', {}, { amount: 899 }],
  ['nothing would be left', {}, { reduction: { takenOff: 999, periods: 1 } }],
  ['nothing is taken off', {}, { reduction: undefined as never }],
]

test.each(REFUSED)('a subscription is left unchanged if %s', async (_, sold, given) => {
  const { stay, charges, renew, subscription } = await startStay(sold)
  const before = structuredClone(subscription())
  expect(await stay(given)).toBeNull()
  expect(subscription()).toEqual(before)
  await renew()
  expect(charges()).toHaveLength(2)
})

test('a subscription with a scheduled change gets no offer, and one that is cancelled neither', async () => {
  const { adapter, id, stay, change, charges, renew } = await startStay()
  await change({ to: BASIC, when: 'period_end' })
  expect(await stay()).toBeNull()
  await renew()
  expect(charges()).toEqual([999, 499])
  await adapter.cancelAtPeriodEnd(id, '')
  expect(await stay({ amount: 499, reduction: { takenOff: 100, periods: 1 } })).toBeNull()
})

test('a change of plan between the read and the update is kept', async () => {
  const { emulator, stay, change, charges, renew, snapshot } = await startStay()
  let gets = 0
  emulator.onCall = async ({ method }, run) => {
    gets += 1
    if (method !== 'GET' || gets < 4) return run()
    emulator.onCall = undefined
    await change({ to: TEAM, when: 'period_end' })
    return run()
  }
  await expect(stay()).rejects.toThrow('being changed')
  expect(await snapshot()).toMatchObject({ scheduledChange: { charge: { unitAmount: 2999 } } })
  await renew()
  expect(charges()).toEqual([999, 2999])
})

test('a change of plan ends it', async () => {
  const { stay, change, charges, renew } = await startStay()
  await stay({ reduction: half('forever') })
  await renew()
  await change({ to: TEAM, when: 'period_end' })
  await renew()
  expect(charges()).toEqual([999, 499, 2999])
})
