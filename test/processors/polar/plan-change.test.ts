import { expect, test } from 'vitest'
import type { PlanChange, PlanChangePreview } from '../../../lib/processors/processor.ts'
import { planChange } from '../orders.ts'
import { advanceQuarterPeriod, HOUR, otherPrice, PAYWALL } from '../plan-changes-fixture.ts'
import { MONTHLY, QUARTERLY, UNKNOWN } from './emulator/fixture.ts'
import { openShop } from './shop.ts'

// Changes of plan by the adapter, at the Polar emulator.

const TEAM = {
  processorPrice: UNKNOWN,
  currency: 'USD',
  amount: 2999,
  quantity: 1,
  interval: 'month',
  intervalCount: 1,
} as const
const QUARTER = { ...TEAM, processorPrice: QUARTERLY, amount: 2400, intervalCount: 3 } as const

/** A subscription of 9.99 a month, after a quarter of its period. */
async function startChange(more: Parameters<Awaited<ReturnType<typeof openShop>>['buy']>[0] = {}, terms = {}) {
  const shop = await openShop()
  const { emulator, adapter, polar } = shop
  await emulator.setTerms(PAYWALL, terms)
  await emulator.setOtherPrices(PAYWALL, [
    otherPrice(UNKNOWN),
    otherPrice(QUARTERLY, { amount: 2400, intervalCount: 3 }),
  ])
  const { purchase } = await shop.buy(more)
  const id = purchase.processorId
  const read = () => polar.subscriptions.get(id)
  const { current_period_start: start, current_period_end: end } = await read()
  const period = [start, end].map((at) => Date.parse(String(at)) / 1000)
  await advanceQuarterPeriod(emulator, period)
  const pricedAt = new Date(emulator.currentTime(PAYWALL) * 1000)
  const order = (change: Partial<PlanChange>) => planChange({ subscriptionId: id, to: TEAM, pricedAt, ...change })
  return {
    ...shop,
    id,
    pricedAt,
    end: new Date(period[1]! * 1000),
    read,
    /** The amounts of all orders, newest first. */
    amounts: async () => (await polar.orders.list({ subscription_id: id })).items.map(({ due_amount }) => due_amount),
    preview: async (change: Partial<PlanChange> = {}) =>
      (await adapter.previewPlanChange?.(order(change))) as PlanChangePreview,
    change: (change: Partial<PlanChange> = {}) => adapter.changePlan?.(order(change), null),
  }
}

const CHANGED = { outcome: 'changed' }

test('a preview is what Polar would charge now, with taxes, less the credit', async () => {
  const { preview, change, amounts, pricedAt, end, read } = await startChange({}, { taxPercent: 20 })
  const shown = await preview()
  expect(shown).toEqual({
    currency: 'USD',
    dueNow: 1800, // three quarters of 29.99 less those of 9.99, and 20 % taxes
    credit: 899,
    effectiveAt: pricedAt,
    next: { amount: 3599, at: end },
    isEstimate: true,
  })
  expect(await read()).toMatchObject({ product_id: MONTHLY })
  expect(await change()).toEqual(CHANGED)
  expect((await amounts())[0]).toBe(1800)
})

test('earlier changes that are not charged yet are part of the amount', async () => {
  const { emulator, id, preview, change, amounts } = await startChange()
  await emulator.changePlan(id, UNKNOWN)
  const { dueNow } = await preview({ to: QUARTER })
  expect(dueNow).toBe(2249 - 749 + 2400 - 2249)
  await change({ to: QUARTER })
  expect((await amounts())[0]).toBe(dueNow)
})

test('another interval begins a period now', async () => {
  const { preview, change, pricedAt, read } = await startChange()
  const { next, dueNow } = await preview({ to: QUARTER })
  const at = new Date(pricedAt)
  at.setUTCMonth(at.getUTCMonth() + 3)
  expect(next).toEqual({ amount: 2400, at })
  expect(dueNow).toBe(2400 - 749)
  await change({ to: QUARTER })
  expect(Date.parse(String((await read()).current_period_end)) / 1000).toBeCloseTo(at.getTime() / 1000, -1)
})

test('a change during a trial ends it and charges the whole price; at the end of the period it does not', async () => {
  const { preview, change, pricedAt, end, emulator, amounts, read } = await startChange({ trialDays: 8 })
  expect(await preview({ when: 'period_end' })).toMatchObject({
    dueNow: 0,
    effectiveAt: end,
    next: { amount: 2999, at: end },
  })
  const next = new Date(pricedAt)
  next.setUTCMonth(next.getUTCMonth() + 1)
  expect(await preview()).toMatchObject({ dueNow: 2999, credit: 0, effectiveAt: pricedAt, next: { at: next } })
  expect(await change({ when: 'period_end' })).toEqual(CHANGED)
  expect(await read()).toMatchObject({ status: 'trialing', product_id: MONTHLY })
  expect(await change()).toEqual(CHANGED)
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + HOUR)
  expect(await read()).toMatchObject({ status: 'active', product_id: UNKNOWN })
  expect(await amounts()).toEqual([2999, 0])
})

test('a declined charge changes nothing', async () => {
  const { emulator, change, amounts, read } = await startChange()
  await emulator.declineCharges((await read()).customer_id)
  expect(await change()).toEqual({ outcome: 'declined' })
  expect(await read()).toMatchObject({ product_id: MONTHLY, status: 'active' })
  expect(await amounts()).toEqual([999])
})

test('a charge that the buyer must authenticate is declined, because Polar has no page for that', async () => {
  const { emulator, change, amounts, read } = await startChange()
  // `PaymentActionRequired` in server/polar/order/service.py; `_create_subscription_update_order` charges in the mode that raises it.
  const detail =
    'Order 7c1f payment requires customer authentication (e.g. 3DS challenge); off-session charge cannot complete.'
  const body = JSON.stringify({ error: 'PaymentActionRequired', detail })
  const headers = { 'Content-Type': 'application/json' }
  emulator.onCall = async ({ body: sent }, run) =>
    JSON.stringify(sent ?? '').includes('product_id') ? { status: 402, headers, body } : run()
  expect(await change()).toEqual({ outcome: 'declined' })
  emulator.onCall = undefined
  expect(await read()).toMatchObject({ product_id: MONTHLY, status: 'active' })
  expect(await amounts()).toEqual([999])
})

test('a repeated change creates no second order, even if Polar reads from a replica that lacks the first', async () => {
  const { emulator, change, polar, id } = await startChange()
  await emulator.setReplicaLag(PAYWALL, 60)
  expect([await change(), await change()]).toEqual([CHANGED, CHANGED])
  await emulator.setReplicaLag(PAYWALL, 0)
  expect((await polar.orders.list({ subscription_id: id })).items).toHaveLength(2)
  expect([
    await change({ when: 'period_end', to: QUARTER }),
    await change({ when: 'period_end', to: QUARTER }),
  ]).toEqual([CHANGED, CHANGED])
  expect((await polar.subscriptions.get(id)).pending_update).toMatchObject({ product_id: QUARTERLY })
})

test('a change to the current price at once discards a scheduled one', async () => {
  const { change, read } = await startChange()
  await change({ when: 'period_end' })
  expect((await read()).pending_update).toMatchObject({ product_id: UNKNOWN })
  await change({ to: { ...TEAM, processorPrice: MONTHLY, amount: 999 } })
  expect(await read()).toMatchObject({ product_id: MONTHLY, pending_update: null })
})

test('a cancelled subscription is refused, and stays cancelled', async () => {
  const { adapter, id, preview, change, read } = await startChange()
  await adapter.cancelAtPeriodEnd(id, 'too expensive')
  await expect(preview()).rejects.toMatchObject({ kind: 'rejected', answered: true })
  expect(await change()).toEqual({ outcome: 'cancelled' })
  expect(await read()).toMatchObject({ product_id: MONTHLY, cancel_at_period_end: true })
})
