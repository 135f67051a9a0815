import { expect, test } from 'vitest'
import type { EnteredPrice } from '../../../dev/emulators/core/paywalls.ts'
import type { PlanChange, PlanChangePreview } from '../../../lib/processors/processor.ts'
import { planChange } from '../orders.ts'
import { otherPrice, PAYWALL } from '../plan-changes-fixture.ts'
import { PRICES, press } from './emulator/fixture.ts'
import { startAdapter } from './fixture.ts'

// Changes of plan by the adapter, at the Freemius emulator.

const TEAM = {
  processorPrice: '503:605',
  currency: 'USD',
  amount: 2999,
  quantity: 1,
  interval: 'month',
  intervalCount: 1,
} as const
const ANNUAL = { ...TEAM, processorPrice: '501:601', amount: 9900, interval: 'year' } as const
const BASIC = { ...TEAM, processorPrice: '504:606', amount: 499 }

/** A subscription of 9.99 a month, after a quarter of its period. */
async function startChange({ price, terms = {} }: { price?: EnteredPrice; terms?: object } = {}) {
  const started = await startAdapter()
  const { adapter, emulator, freemius } = started
  await emulator.setTerms(PAYWALL, terms)
  await emulator.setOtherPrices(PAYWALL, [
    otherPrice('503:605', { currency: 'USD' }),
    otherPrice('504:606', { currency: 'USD', amount: 499 }),
  ])
  const { bought, license } = await started.buy(price)
  const { currentPeriodStart: start, currentPeriodEnd: end, customer } = bought
  await emulator.moveTo(PAYWALL, (start!.getTime() + (end!.getTime() - start!.getTime()) / 4) / 1000)
  const order = (change: Partial<PlanChange> = {}) =>
    planChange({ subscriptionId: license.id, to: TEAM, pricedAt: started.now(), ...change })
  const change = (given?: Partial<PlanChange>) => adapter.changePlan?.(order(given), null)
  return {
    ...started,
    license: license.id,
    preview: async (given?: Partial<PlanChange>) =>
      (await adapter.previewPlanChange?.(order(given))) as PlanChangePreview,
    order,
    change,
    /** Requests the change, and returns the address of its page. */
    async openPage(given?: Partial<PlanChange>) {
      const result = await change(given)
      if (result?.outcome !== 'payment_required') throw new Error(`no page: ${result?.outcome}`)
      return result.url
    },
    /** The amounts of all payments with their taxes, newest first. */
    amounts: async () =>
      (await freemius.api.user.retrievePayments(customer ?? '')).map(({ gross = 0, vat = 0 }) =>
        Math.round((gross + vat) * 100),
      ),
    read: () => started.readSnapshot(license),
  }
}

const monthLater = (date: Date) => {
  const later = new Date(date)
  later.setUTCMonth(later.getUTCMonth() + 1)
  return later
}

test('a preview is an estimate by the published formula, with the taxes of the last payment', async () => {
  const { preview, openPage, amounts, now, read } = await startChange({ terms: { taxPercent: 20 } })
  const pricedAt = now()
  const shown = await preview({ pricedAt })
  expect(shown).toEqual({
    currency: 'USD',
    dueNow: 2700, // 29.99 less three quarters of 9.99, and 20 % taxes
    credit: 899,
    effectiveAt: pricedAt,
    next: { amount: 3599, at: monthLater(pricedAt) },
    isEstimate: true,
  })
  const url = await openPage()
  expect(await read()).toMatchObject({ processorPrice: '501:601' })
  expect((await press(url, 'pay')).status).toBe(303)
  expect(await amounts()).toEqual([2700, 1199])
  expect(await read()).toMatchObject({ processorPrice: '503:605', unitAmount: 2999, cancelAtPeriodEnd: false })
})

test('another interval of the same pricing is another plan', async () => {
  const { preview, openPage, amounts, read } = await startChange()
  expect(await preview({ to: ANNUAL })).toMatchObject({ dueNow: 9900 - 749, next: { amount: 9900 } })
  await press(await openPage({ to: ANNUAL }), 'pay')
  expect(await amounts()).toEqual([9900 - 749, 999])
  expect(await read()).toMatchObject({ processorPrice: '501:601', interval: 'year' })
})

test('a downgrade credits no more than the new price, and a change after it nothing', async () => {
  const { preview, openPage, amounts } = await startChange()
  expect(await preview({ to: BASIC })).toMatchObject({ dueNow: 0, credit: 499 })
  await press(await openPage({ to: BASIC }), 'pay')
  expect(await amounts()).toEqual([999])
  expect(await preview()).toMatchObject({ dueNow: 2999, credit: 0 })
  await press(await openPage(), 'pay')
  expect(await amounts()).toEqual([2999, 999])
})

test('the credit is the rest of what was paid last, which may be less than the price', async () => {
  const { preview, openPage, amounts } = await startChange()
  await press(await openPage(), 'pay')
  const [paid = 0] = await amounts()
  const { dueNow } = await preview({ to: ANNUAL })
  expect(Math.abs(dueNow - (9900 - paid))).toBeLessThanOrEqual(1)
})

test('a change on trial costs the whole price, and ends the trial, which is remembered', async () => {
  const { preview, openPage, amounts, read, now } = await startChange({ price: PRICES.trial })
  const { trialStart } = (await read())!
  expect(await preview()).toMatchObject({ dueNow: 2999, credit: 0 })
  await press(await openPage(), 'pay')
  expect(await amounts()).toEqual([2999])
  expect(await read()).toMatchObject({
    status: 'active',
    begun: true,
    periodCovered: true,
    trialStart,
    trialEnd: now(),
  })
})

test('a declined card on the page changes nothing', async () => {
  const { openPage, read, amounts } = await startChange()
  expect((await press(await openPage(), 'decline')).status).toBe(402)
  expect(await read()).toMatchObject({ processorPrice: '501:601', status: 'active' })
  expect(await amounts()).toEqual([999])
})

test('a repeated change gets another page until one is paid', async () => {
  const { openPage, change, amounts, emulator } = await startChange()
  const [url] = [await openPage(), await openPage()]
  await press(url, 'pay')
  expect(await change()).toEqual({ outcome: 'changed' })
  expect(await amounts()).toHaveLength(2)
  expect(emulator.licenses).toHaveLength(1)
})

test('two pages that are both paid charge twice, and leave one licence with one running subscription', async () => {
  const { openPage, amounts, emulator, read } = await startChange()
  const [one, two] = [await openPage(), await openPage()]
  await press(one, 'pay')
  await press(two, 'pay')
  expect(await amounts()).toHaveLength(3)
  expect(emulator.licenses).toHaveLength(1)
  expect(emulator.subscriptions.filter(({ canceled_at }) => canceled_at === null)).toHaveLength(1)
  expect(await read()).toMatchObject({ processorPrice: '503:605', status: 'active' })
})

test.each([
  ['of the browser', {}, 'auto'],
  ['that the paywall names', { locale: 'fr-FR' }, 'fr_FR'],
  ['of the browser, for a caller of before that sends no options', undefined, 'auto'],
])('the page is in the language %s', async (_, options, language) => {
  const { openPage } = await startChange()
  expect(new URL(await openPage({ options })).searchParams.get('language')).toBe(language)
})

test('a cancelled subscription is refused, and stays cancelled', async () => {
  const { adapter, license, change, read } = await startChange()
  await adapter.cancelAtPeriodEnd(license, 'too expensive')
  expect(await change()).toEqual({ outcome: 'cancelled' })
  expect(await read()).toMatchObject({ processorPrice: '501:601', cancelAtPeriodEnd: true })
})

test.each([
  ['a plan that the product does not have', { processorPrice: '999:605' }],
  ['a pricing in another currency', { currency: 'EUR' }],
  ['an interval without a price', { interval: 'year' }],
] as const)('%s is refused', async (_, to) => {
  const { preview, change } = await startChange()
  const refused = { kind: 'rejected', answered: true }
  await expect(preview({ to: { ...TEAM, ...to } })).rejects.toMatchObject(refused)
  await expect(change({ to: { ...TEAM, ...to } })).rejects.toMatchObject(refused)
})

test('a licence of the other mode is refused', async () => {
  const { getAdapter, order } = await startChange()
  await expect(getAdapter(false).changePlan?.(order(), null)).rejects.toMatchObject({ kind: 'rejected' })
})

test('a reply without an authorization is no page, which would sell a second licence', async () => {
  const { getAdapter, order } = await startChange()
  const adapter = getAdapter(true, async (input, init) => {
    const response = await fetch(input, init)
    return String(input).endsWith('/link.json') ? Response.json({ url: 'https://x.example', settings: {} }) : response
  })
  await expect(adapter.changePlan?.(order(), null)).rejects.toMatchObject({ kind: 'unavailable' })
})
