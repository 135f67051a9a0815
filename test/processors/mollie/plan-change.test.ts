import { expect, test } from 'vitest'
import { paymentOwn } from '../../../dev/emulators/mollie/own.ts'
import { crashAfter, DAY } from '../plan-changes-fixture.ts'
import { BASIC, CHECKOUT_ID, MONTH, postButton, startChange, TEAM, YEAR } from './subscription-fixture.ts'

// Changes of plan by the adapter, at the Mollie emulator.

/** The share of an amount for three quarters of a period. */
const rest = (amount: number) => Math.round(amount * 0.75)

const later = (date: Date, days: number) => new Date(date.getTime() + days * DAY * 1000)

test.each([0, 2])(
  'after %i charges an upgrade is charged at once, as previewed, and renews at the new price',
  async (renewals) => {
    const { preview, change, charges, snapshot, subscription, end, now, moveTo, facts } = await startChange({
      renewals,
    })
    const pricedAt = now()
    const shown = await preview({ pricedAt })
    const due = rest(2999) - rest(999)
    expect(shown).toEqual({
      currency: 'EUR',
      dueNow: due,
      credit: rest(999),
      effectiveAt: pricedAt,
      next: { amount: 2999, at: end },
      isEstimate: false,
    })
    const before = charges()
    expect(await change({}, due)).toEqual({ outcome: 'changed' })
    expect(charges()).toEqual([...before, due])
    expect(subscription().price).toMatchObject({ amount: 2999, label: `Team ${CHECKOUT_ID.slice(0, 8)}` })
    expect(await snapshot()).toMatchObject({
      unitAmount: 2999,
      currentPeriodEnd: end,
      priceCovered: true,
      changedInPeriod: true,
      charged: 999,
      status: 'active',
    })
    expect((await facts())?.at(-1)).toEqual(['succeeded', due, undefined])
    await moveTo(later(end, 1))
    expect(charges()).toEqual([...before, due, 2999])
    expect(await snapshot()).toMatchObject({ unitAmount: 2999, priceCovered: true, changedInPeriod: false })
  },
)

test.each([0, 2])(
  'after %i charges a change to a year makes the current period one, less the rest of the month',
  async (renewals) => {
    const { preview, change, snapshot, start, end, charges, moveTo, now, adapter, id } = await startChange({ renewals })
    const shown = await preview({ to: YEAR })
    const yearEnd = shown.next.at
    expect(yearEnd.getTime() - start.getTime()).toBeGreaterThan(364 * DAY * 1000)
    expect(yearEnd.getTime() - start.getTime()).toBeLessThan(368 * DAY * 1000)
    const share = (yearEnd.getTime() - now().getTime()) / (yearEnd.getTime() - start.getTime())
    expect(shown).toMatchObject({ credit: rest(999), dueNow: Math.round(9900 * share) - rest(999) })
    expect(await change({ to: YEAR }, shown.dueNow)).toEqual({ outcome: 'changed' })
    const changed = { unitAmount: 9900, interval: 'year', currentPeriodStart: start, currentPeriodEnd: yearEnd }
    expect(await snapshot()).toMatchObject({ ...changed, priceCovered: true })
    await moveTo(later(end, 2))
    expect(charges()).toHaveLength(renewals + 2)
    // Mollie shows no next date of a subscription that is cancelled.
    await adapter.cancelAtPeriodEnd(id, '')
    expect(await snapshot()).toMatchObject({ ...changed, cancelAt: yearEnd })
  },
)

test('a year that an earlier month was changed to is charged again after a year', async () => {
  const { preview, change, charges, moveTo, snapshot } = await startChange({ renewals: 1 })
  const { next } = await preview({ to: YEAR })
  await change({ to: YEAR })
  await moveTo(later(next.at, 1))
  expect(charges().slice(3)).toEqual([9900])
  expect(await snapshot()).toMatchObject({ currentPeriodStart: next.at, interval: 'year', priceCovered: true })
})

test('nothing is returned: a change at once that would leave credit is refused, and changes nothing', async () => {
  const { preview, change, charges, subscription } = await startChange()
  expect(await preview({ to: BASIC })).toBeNull()
  expect(await change({ to: BASIC })).toBeNull()
  expect(charges()).toEqual([999])
  expect(subscription().price.amount).toBe(999)
})

test('another amount than the quoted one is not charged', async () => {
  const { preview, change, charges, subscription } = await startChange()
  const { dueNow } = await preview()
  expect(await change({}, dueNow + 1)).toEqual({ outcome: 'other_amount' })
  expect(await change({ to: BASIC, when: 'period_end' }, 1)).toEqual({ outcome: 'other_amount' })
  expect(charges()).toEqual([999])
  expect(subscription().price.amount).toBe(999)
})

test('a currency without decimals is charged in whole units', async () => {
  const { change, payments, preview } = await startChange({ currency: 'JPY', amount: 980 })
  const to = { ...TEAM, currency: 'JPY', amount: 2980 }
  expect(await preview({ to })).toMatchObject({ dueNow: rest(2980) - rest(980) })
  expect(await change({ to })).toEqual({ outcome: 'changed' })
  expect(payments().at(-1)).toMatchObject({ currency: 'JPY', amount: 1500 })
})

test.each([BASIC, TEAM, YEAR])(
  'a change to $processorPrice at the end of the period is shown until then',
  async (to) => {
    const { preview, change, charges, snapshot, end, moveTo } = await startChange({ renewals: 1 })
    expect(await preview({ to, when: 'period_end' })).toEqual({
      currency: 'EUR',
      dueNow: 0,
      credit: 0,
      effectiveAt: end,
      next: { amount: to.amount, at: end },
      isEstimate: false,
    })
    for (const _ of [1, 2]) expect(await change({ to, when: 'period_end' }, 0)).toEqual({ outcome: 'changed' })
    const charge = { unitAmount: to.amount, currency: 'EUR', interval: to.interval, intervalCount: 1 }
    expect(await snapshot()).toMatchObject({
      unitAmount: 999,
      interval: 'month',
      currentPeriodEnd: end,
      priceCovered: true,
      scheduledChange: { processorPrice: null, at: end, charge },
    })
    await moveTo(later(end, 1))
    expect(charges()).toEqual([999, 999, to.amount])
    const after = await snapshot()
    expect(after).toMatchObject({ ...charge, currentPeriodStart: end, scheduledChange: null, priceCovered: true })
    await moveTo(later(after.currentPeriodEnd!, -1))
    expect(charges()).toHaveLength(3)
    await moveTo(later(after.currentPeriodEnd!, 1))
    expect(charges()).toEqual([999, 999, to.amount, to.amount])
  },
)

test('a year that ends with a change to a month is charged monthly from then on', async () => {
  const year = { amount: 9900, recurring: { interval: 'year', intervalCount: 1 } as const }
  const { change, charges, snapshot, end, moveTo, read } = await startChange(year)
  expect(await change({ to: MONTH, when: 'period_end' })).toEqual({ outcome: 'changed' })
  expect(await snapshot()).toMatchObject({ interval: 'year', unitAmount: 9900 })
  await moveTo(later(end, 1))
  await read()
  await moveTo(later(end, 33))
  expect(charges()).toEqual([9900, 999, 999])
  expect(await snapshot()).toMatchObject({ interval: 'month', unitAmount: 999 })
})

test('a scheduled change is undone, and replaced by another one', async () => {
  const { change, charges, snapshot, subscription, end, moveTo } = await startChange()
  await change({ to: BASIC, when: 'period_end' })
  await change({ to: YEAR, when: 'period_end' })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, scheduledChange: { charge: { unitAmount: 9900 } } })
  expect(await change({ to: MONTH, when: 'period_end' }, 0)).toEqual({ outcome: 'changed' })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, interval: 'month', scheduledChange: null })
  expect(subscription().price.label).toMatch(/^Acme Pro /)
  await moveTo(later(end, 1))
  expect(charges()).toEqual([999, 999])
})

test('a change at once replaces a scheduled one', async () => {
  const { change, snapshot, charges } = await startChange()
  await change({ to: YEAR, when: 'period_end' })
  expect(await change({ key: 'change_2' })).toEqual({ outcome: 'changed' })
  expect(await snapshot()).toMatchObject({ unitAmount: 2999, interval: 'month', scheduledChange: null })
  expect(charges()).toEqual([999, rest(2999) - rest(999)])
})

test('a cancelled subscription has no scheduled change, and keeps its plan to the end', async () => {
  const { change, adapter, id, snapshot, end } = await startChange({ renewals: 1 })
  await change({ to: YEAR, when: 'period_end' })
  await adapter.cancelAtPeriodEnd(id, '')
  const kept = { unitAmount: 999, interval: 'month', scheduledChange: null, currentPeriodEnd: end, cancelAt: end }
  expect(await snapshot()).toMatchObject(kept)
  expect(await change()).toEqual({ outcome: 'cancelled' })
  expect(await change({ to: BASIC, when: 'period_end' })).toEqual({ outcome: 'cancelled' })
})

test('a plan that the owner changes at Mollie replaces a scheduled change', async () => {
  const { change, emulator, subscription, snapshot } = await startChange()
  await change({ to: BASIC, when: 'period_end' })
  await emulator.update(subscription().id, { amount: { currency: 'EUR', value: '19.99' } })
  expect(await snapshot()).toMatchObject({ unitAmount: 1999, scheduledChange: null, priceCovered: false })
})

test.each([TEAM, YEAR])('a change to $processorPrice on trial is free, and the trial stays as it is', async (to) => {
  const { preview, change, charges, snapshot, end, moveTo } = await startChange({ trialDays: 14 })
  const shown = await preview({ to })
  expect(shown).toMatchObject({ dueNow: 0, credit: 0, next: { amount: to.amount, at: end } })
  expect(await change({ to }, 0)).toEqual({ outcome: 'changed' })
  const { unitAmount, interval, status, trialEnd, currentPeriodEnd } = await snapshot()
  expect({ unitAmount, interval, status, currentPeriodEnd }).toEqual({
    unitAmount: to.amount,
    interval: to.interval,
    status: 'trialing',
    currentPeriodEnd: end,
  })
  await moveTo(later(trialEnd!, 2))
  expect(charges()).toEqual([0, to.amount])
})

test('a pending difference changes the plan once it is paid, and no other change begins until then', async () => {
  const { change, emulator, snapshot, charges, payments, facts } = await startChange()
  emulator.slowCharges = true
  expect(await change()).toEqual({ outcome: 'pending' })
  expect(await change({ key: 'change_2' })).toEqual({ outcome: 'pending' })
  expect(await change({ key: 'change_3', to: YEAR })).toEqual({ outcome: 'in_progress' })
  expect(await change({ key: 'change_4', to: BASIC, when: 'period_end' })).toEqual({ outcome: 'in_progress' })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, scheduledChange: null, changedInPeriod: false })
  expect(await facts()).toEqual([['succeeded', 999, undefined]])
  await emulator.resolvePayment(payments().at(-1)!.id)
  expect(await snapshot()).toMatchObject({ unitAmount: 2999, priceCovered: true, changedInPeriod: true })
  expect(charges()).toEqual([999, rest(2999) - rest(999)])
  expect(await change()).toEqual({ outcome: 'changed' })
  expect(charges()).toHaveLength(2)
})

test('a pending difference that fails changes nothing, and the next attempt is charged', async () => {
  const { change, emulator, snapshot, charges, payments } = await startChange()
  emulator.slowCharges = true
  await change()
  await emulator.resolvePayment(payments().at(-1)!.id, { fail: true })
  expect(await snapshot()).toMatchObject({ unitAmount: 999, status: 'active' })
  emulator.slowCharges = false
  expect(await change({ key: 'change_2' })).toEqual({ outcome: 'changed' })
  expect(charges()).toEqual([999, rest(2999) - rest(999)])
})

test('a declined difference is paid on a page, whose card is charged from then on', async () => {
  const { change, decline, snapshot, charges, subscription } = await startChange()
  const before = subscription().mandate
  await decline()
  const result = await change()
  expect(result).toMatchObject({ outcome: 'payment_required' })
  expect(await snapshot()).toMatchObject({ unitAmount: 999 })
  const { headers } = await postButton(result?.outcome === 'payment_required' ? result.url : '', 'pay')
  expect(headers.get('location')).toBe('https://pay.example/success')
  expect(await snapshot()).toMatchObject({ unitAmount: 2999, priceCovered: true, changedInPeriod: true, charged: 999 })
  expect(charges()).toEqual([999, rest(2999) - rest(999)])
  expect(subscription().mandate).not.toBe(before)
})

test('that page is in the language that the paywall names', async () => {
  const { change, decline, payments } = await startChange()
  await decline()
  await change({ options: { locale: 'fr-BE' } })
  expect(paymentOwn(payments().at(-1)!)).toMatchObject({ sequenceType: 'first', locale: 'fr_BE' })
})

test('for a caller of before that sends no options, Mollie chooses the language', async () => {
  const { change, decline, payments } = await startChange()
  await decline()
  expect(await change({ options: undefined })).toMatchObject({ outcome: 'payment_required' })
  expect(paymentOwn(payments().at(-1)!)).toMatchObject({ sequenceType: 'first', locale: null })
})

test('a page that nobody pays changes nothing and blocks nothing', async () => {
  const { change, decline, snapshot, charges } = await startChange()
  await decline()
  expect(await change()).toMatchObject({ outcome: 'payment_required' })
  await decline(false)
  expect(await change({ key: 'change_2', to: YEAR })).toEqual({ outcome: 'changed' })
  expect(await snapshot()).toMatchObject({ unitAmount: 9900 })
  expect(charges()).toHaveLength(2)
})

test('of two pages that are paid, the second payment is returned', async () => {
  const { change, decline, snapshot, facts, charges } = await startChange()
  await decline()
  const pages = [await change(), await change({ key: 'change_2' })]
  for (const page of pages) await postButton(page?.outcome === 'payment_required' ? page.url : '', 'pay')
  const due = rest(2999) - rest(999)
  expect(charges()).toEqual([999, due, due])
  expect(await snapshot()).toMatchObject({ unitAmount: 2999, priceCovered: true })
  expect((await facts())?.filter(([, , broughtNothing]) => broughtNothing)).toEqual([
    ['succeeded', due, true],
    ['refunded', due, true],
  ])
})

test.each(['cancelled', 'renewed'])(
  'a difference that is paid after the subscription was %s is returned',
  async (what) => {
    const { change, emulator, adapter, id, snapshot, payments, facts, moveTo, end } = await startChange()
    emulator.slowCharges = true
    await change()
    const difference = payments().at(-1)!
    if (what === 'cancelled') await adapter.cancelAtPeriodEnd(id, '')
    else await emulator.renew([...emulator.records.subscriptions.keys()][0]!)
    await emulator.resolvePayment(difference.id)
    if (what === 'renewed') await moveTo(later(end, 1))
    expect(await snapshot()).toMatchObject({ unitAmount: 999, changedInPeriod: false })
    const due = rest(2999) - rest(999)
    expect(await facts()).toEqual(
      expect.arrayContaining([
        ['succeeded', due, true],
        ['refunded', due, true],
      ]),
    )
    expect([...emulator.records.refunds.values()]).toMatchObject([{ payment: difference.id, amount: due }])
  },
)

test('Mollie changes no subscription whose mandate is invalid', async () => {
  const { change, emulator, subscription, charges } = await startChange()
  await emulator.suspend(subscription().id)
  expect(await change()).toEqual({ outcome: 'declined' })
  expect(await change({ to: BASIC, when: 'period_end' })).toEqual({ outcome: 'declined' })
  expect(charges()).toEqual([999])
})

const CALLS = Array.from({ length: 12 }, (_, calls) => calls)

test.each(CALLS.flatMap((calls) => [[calls, 'before'] as const, [calls, 'after'] as const]))(
  'crashed at call %i, %s it is executed, a change is completed by a retry and charged once',
  async (calls, when) => {
    const { change, emulator, snapshot, charges } = await startChange({ renewals: 1 })
    crashAfter(emulator, calls, when === 'after')
    await change()?.catch(() => {})
    emulator.onCall = undefined
    expect(await change()).toEqual({ outcome: 'changed' })
    expect(charges()).toEqual([999, 999, rest(2999) - rest(999)])
    expect(await snapshot()).toMatchObject({ unitAmount: 2999, priceCovered: true, changedInPeriod: true })
  },
)

test.each(CALLS.map((calls) => [calls]))(
  'crashed at call %i and never retried, a change is made for its payment, or nothing is charged',
  async (calls) => {
    const { change, emulator, snapshot, charges } = await startChange()
    crashAfter(emulator, calls, true)
    await change()?.catch(() => {})
    emulator.onCall = undefined
    const { unitAmount } = await snapshot()
    expect(charges()).toEqual(unitAmount === 2999 ? [999, rest(2999) - rest(999)] : [999])
  },
)

test('a retry finds the payment when Mollie has forgotten the idempotency key', async () => {
  const { change, emulator, charges, subscription } = await startChange()
  emulator.onCall = async ({ method }, run) => {
    if (method === 'PATCH') throw new Error('unreachable')
    return run()
  }
  await change()?.catch(() => {})
  emulator.onCall = undefined
  emulator.forgetKeys()
  expect(subscription().price.amount).toBe(999)
  expect(await change()).toEqual({ outcome: 'changed' })
  expect(charges()).toEqual([999, rest(2999) - rest(999)])
})
