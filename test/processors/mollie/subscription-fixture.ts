import { expect } from 'vitest'
import { mollieAdapter } from '../../../lib/processors/mollie/adapter.ts'
import type { CheckoutOrder, PlanChange, PlanChangePreview } from '../../../lib/processors/processor.ts'
import { monthlyOrder, planChange } from '../orders.ts'
import { HOUR, PAYWALL } from '../plan-changes-fixture.ts'
import { ACME, startMollie } from './emulator/fixture.ts'

// A subscription that the adapter sells at the Mollie emulator.

export const TEAM = {
  processorPrice: 'Team',
  currency: 'EUR',
  amount: 2999,
  quantity: 1,
  interval: 'month',
  intervalCount: 1,
} as const
export const BASIC = { ...TEAM, processorPrice: 'Basic', amount: 499 }
export const YEAR = { ...TEAM, processorPrice: 'A year', amount: 9900, interval: 'year' } as const
export const MONTH = { ...TEAM, processorPrice: 'Acme Pro', amount: 999 }

export const CHECKOUT_ID = '10964006-8267-4c06-a65d-2588c2529d3c'

export const CHECKOUT = monthlyOrder({
  key: 'key_1',
  checkoutId: CHECKOUT_ID,
  processorPrice: 'Acme Pro',
  currency: 'EUR',
  successUrl: 'https://pay.example/success',
  errorUrl: 'https://pay.example/error',
})

export const postButton = (url: string, action: string) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' })

/** A subscription of 9.99 a month. `renewals`: how many charges it has had. A quarter of its period has passed. */
export async function startChange({ renewals = 0, ...more }: Partial<CheckoutOrder> & { renewals?: number } = {}) {
  const { emulator } = await startMollie()
  const now = () => new Date(emulator.currentTime(PAYWALL) * 1000)
  const adapter = mollieAdapter(ACME, { base: emulator.url, isTest: true, fetch, now })
  const { pageId: id, url } = await adapter.openCheckout({ ...CHECKOUT, ...more })
  await postButton(url, 'pay')

  /** Reads the purchase as the service does: until nothing is left to do. */
  async function read(acts = 4) {
    const observed = await adapter.observe({ kind: 'subscription', id })
    const decision = adapter.decide(observed!, now())
    if (decision.todo === null || acts === 0) return decision
    await adapter.act(decision.todo)
    return read(acts - 1)
  }
  const snapshot = async () => (await read()).found!.purchase
  const moveTo = (date: Date | null) => emulator.moveTo(PAYWALL, date!.getTime() / 1000)
  await read()
  /** Moves to the next charge, which the service then reads unless it is down. */
  async function renew(isDown = false) {
    await moveTo(new Date((await snapshot()).currentPeriodEnd!.getTime() + 5 * HOUR * 1000))
    if (!isDown) await read()
  }
  for (let renewal = 0; renewal < renewals; renewal++) await renew()
  const { currentPeriodStart, currentPeriodEnd } = await snapshot()
  const [start, end] = [currentPeriodStart!, currentPeriodEnd!]
  await moveTo(new Date(start.getTime() + (end.getTime() - start.getTime()) / 4))

  const order = (change: Partial<PlanChange> = {}) =>
    planChange({ subscriptionId: id, to: TEAM, pricedAt: now(), ...change })
  const preview = async (change?: Partial<PlanChange>) =>
    (await adapter.previewPlanChange?.(order(change))) as PlanChangePreview
  const change = (given?: Partial<PlanChange>, quoted: number | null = null) =>
    adapter.changePlan?.(order(given), quoted)
  const payments = () => [...emulator.records.payments.values()]
  /** The amounts of all payments, oldest first. */
  const charges = () => payments().flatMap(({ status, amount }) => (status === 'paid' ? [amount] : []))
  const subscription = () => {
    const [only, ...others] = [...emulator.records.subscriptions.values()]
    expect(others).toEqual([])
    return only!
  }
  return {
    emulator,
    adapter,
    now,
    id,
    start,
    end,
    read,
    snapshot,
    moveTo,
    renew,
    preview,
    change,
    payments,
    charges,
    subscription,
    decline: (declines = true) => emulator.declineCharges(subscription().customer, declines),
    facts: async () =>
      (await read()).payments?.map(({ kind, amount, broughtNothing }) => [kind, amount, broughtNothing]),
  }
}
