import { expect, test } from 'vitest'
import { crashAfter } from '../plan-changes-fixture.ts'
import { PRICES } from './emulator/fixture.ts'
import { startAdapter } from './fixture.ts'

// Offers to stay at Freemius: the cancellation coupon of the product.

const HALF = { discount: 50, isToStay: true }
const FIFTH = { discount: 20, isToStay: true, has_renewals_discount: true }
const SALE = { discount: 10, has_renewals_discount: true }

/** A subscription; `stay` gives it a coupon, and `charges` are its payments. */
async function startStay(more: object = {}) {
  const started = await startAdapter()
  const { emulator, adapter, checkout, readSnapshot } = started
  await emulator.setCoupons('1001', { HALF, FIFTH, SALE })
  const { page } = await checkout(PRICES.monthly, 'pay', more)
  const { processorId: subscriptionId } = (await readSnapshot(page))!
  const stay = (discount = 'HALF') =>
    adapter.discountSubscription?.({ subscriptionId, discount, amount: 999, use: 'stay' })
  const charges = () => [...emulator.records.payments.values()].map(({ amount }) => amount)
  return { ...started, subscriptionId, stay, charges }
}

test.each([
  ['HALF', [999, 499, 999]],
  ['FIFTH', [999, 799, 799]],
])('the coupon %s reduces the renewals', async (coupon, expected) => {
  const { stay, charges, pass, adapter, subscriptionId: id, now } = await startStay()
  expect(await stay(coupon)).toBe('discounted')
  for (const _ of [1, 2]) await pass(31.1)
  expect(charges()).toEqual(expected)
  const observed = await adapter.observe({ kind: 'subscription', id })
  const { found, payments = [] } = adapter.decide(observed!, now())
  expect(found?.purchase).toMatchObject({ unitAmount: 999, priceCovered: true, status: 'active' })
  expect(payments.map(({ discount }) => discount)).toEqual(expected.map((amount) => 999 - amount))
})

test.each([0, 1, 2, 3, 4, 5])('crashed at call %i, a retry gives it once', async (calls) => {
  for (const isExecuted of [true, false]) {
    const { stay, charges, pass, emulator } = await startStay()
    crashAfter(emulator, calls, isExecuted)
    await stay()?.catch(() => {})
    emulator.onCall = undefined
    expect(await stay()).toBe('discounted')
    for (const _ of [1, 2]) await pass(31.1)
    expect(charges()).toEqual([999, 499, 999])
  }
})

test('a licence gets one cancellation coupon, ever, also if it has another subscription by then', async () => {
  const { stay, emulator, pass, charges } = await startStay()
  expect(await stay()).toBe('discounted')
  expect(await stay('FIFTH')).toBeNull()
  const [{ id } = { id: '' }] = emulator.records.subscriptions.values()
  await emulator.replaceSubscription(id)
  expect(await stay('FIFTH')).toBeNull()
  await pass(31.1)
  expect(charges()).toEqual([999, 499])
})

test('a coupon that the licence got in an earlier period is not given again', async () => {
  const { stay, pass, charges } = await startStay()
  expect(await stay()).toBe('discounted')
  for (const _ of [1, 2]) await pass(31.1)
  expect(await stay()).toBeNull()
  await pass(31.1)
  expect(charges()).toEqual([999, 499, 999, 999])
})

test('a subscription whose renewals are reduced, that is paid by PayPal or is cancelled gets none', async () => {
  const { stay } = await startStay({ discount: 'SALE' })
  expect(await stay()).toBeNull()
  const other = await startStay()
  await other.emulator.setValues('1001', { gateway: 'paypal' })
  expect(await other.stay()).toBeNull()
  await other.emulator.setValues('1001', {})
  await other.adapter.cancelAtPeriodEnd(other.subscriptionId, 'too expensive')
  expect(await other.stay()).toBeNull()
})

test('a coupon for other buyers is refused', async () => {
  const { stay } = await startStay()
  await expect(stay('SALE')).rejects.toMatchObject({ kind: 'rejected', answered: true })
})
