import { describe, expect, test } from 'vitest'
import * as chargebee from '../processors/chargebee/emulator/fixture.ts'
import * as freemius from '../processors/freemius/emulator/fixture.ts'
import * as mollie from '../processors/mollie/emulator/fixture.ts'
import { advanceQuarterPeriod, otherPrice, PAYWALL } from './plan-changes-fixture.ts'

describe('at Chargebee', () => {
  async function startWithSubscription() {
    const { url: serviceUrl } = await chargebee.startReceiver()
    const { emulator, chargebee: sdk } = await chargebee.startChargebee({ serviceUrl })
    await emulator.setOtherPrices(PAYWALL, [otherPrice('team-USD-monthly', { currency: 'USD' })])
    const { subscription } = await chargebee.subscribe(sdk)
    const id = subscription?.id ?? ''
    const read = async () => (await sdk.subscription.retrieve(id)).subscription
    const { current_term_start: from = 0, current_term_end: to = 0 } = await read()
    return { emulator, sdk, id, read, period: [from, to], types: () => emulator.events.map((each) => each.event_type) }
  }

  test('a plan change in the portal creates an invoice that is partly paid by credits', async () => {
    const { emulator, sdk, id, read, period, types } = await startWithSubscription()
    await advanceQuarterPeriod(emulator, period)
    await emulator.changePlan(id)
    expect(await read()).toMatchObject({
      subscription_items: [{ item_price_id: 'team-USD-monthly', unit_price: 2999 }],
    })
    const { list } = await sdk.invoice.list({ subscription_id: { is: id }, 'sort_by[asc]': 'date' } as never)
    expect(list.at(-1)?.invoice).toMatchObject({ total: 2249, credits_applied: 749, amount_paid: 1500, status: 'paid' })
    expect(types()).toContain('subscription_changed')
  })

  test('a plan change at the end of the term is scheduled, and can be cancelled', async () => {
    const { emulator, id, read, period, types } = await startWithSubscription()
    await emulator.schedulePlan(id)
    expect(await read()).toMatchObject({ has_scheduled_changes: true, subscription_items: [{ unit_price: 999 }] })
    await emulator.unschedulePlan(id)
    expect(await read()).toMatchObject({ has_scheduled_changes: false })
    await emulator.schedulePlan(id)
    await emulator.moveTo(PAYWALL, period[1] ?? 0)
    expect(await read()).toMatchObject({ has_scheduled_changes: false, subscription_items: [{ unit_price: 2999 }] })
    expect(types().slice(2)).toEqual([
      'subscription_changes_scheduled',
      'subscription_scheduled_changes_removed',
      'subscription_changes_scheduled',
      'subscription_renewed',
      'subscription_changed',
      'payment_succeeded',
    ])
  })
})

test('a plan change at Freemius gives the licence another plan and a new subscription', async () => {
  const { url: serviceUrl } = await freemius.startReceiver()
  const { emulator, freemius: sdk } = await freemius.startFreemius({ serviceUrl })
  await emulator.setOtherPrices(PAYWALL, [otherPrice('503:605', { currency: 'USD' })])
  const { license } = await freemius.buy(sdk, emulator)
  const [old] = emulator.subscriptions
  const before = emulator.events.length
  await emulator.changePlan(String(old?.id), '503:605')
  expect(await sdk.api.license.retrieve(license)).toMatchObject({ plan_id: '503', pricing_id: '605' })
  const subscription = await sdk.api.license.retrieveSubscription(license)
  expect(subscription).toMatchObject({ plan_id: '503', amount_per_cycle: 29.99, initial_amount: 20 })
  expect(subscription?.id).not.toBe(old?.id)
  const types = emulator.events.slice(before).map(({ type }) => type)
  expect(types).toEqual([
    'license.plan.changed',
    'license.updated',
    'subscription.created',
    'subscription.cancelled',
    'payment.created',
    'license.extended',
  ])
  expect(emulator.events[before]?.data).toMatchObject({ from_plan_id: '501', to_plan_id: '503' })
})

test("the seller can change a Mollie subscription's amount and interval from the next charge on", async () => {
  const { emulator, mollie: sdk } = await mollie.startMollie()
  const { subscription, customerId, fetched } = await mollie.subscribe(sdk)
  await sdk.subscriptions.update({
    customerId,
    subscriptionId: subscription.id,
    requestBody: { amount: { currency: 'EUR', value: '29.99' }, interval: '12 months' },
  })
  expect(await fetched()).toMatchObject({ amount: { value: '29.99' }, interval: '12 months' })
  expect(await emulator.renew(subscription.id)).toMatchObject({ amount: { value: '29.99' } })
})
