import { expect, test } from 'vitest'
import { advanceQuarterPeriod, otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { startChargebee, startReceiver, subscribe } from './fixture.ts'

async function startWithSubscription() {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, chargebee } = await startChargebee({ serviceUrl })
  await emulator.setOtherPrices(PAYWALL, [otherPrice('team-USD-monthly', { currency: 'USD' })])
  const { subscription } = await subscribe(chargebee)
  const id = subscription?.id ?? ''
  const read = async () => (await chargebee.subscription.retrieve(id)).subscription
  const { current_term_start: from = 0, current_term_end: to = 0 } = await read()
  return {
    emulator,
    chargebee,
    id,
    read,
    period: [from, to],
    types: () => emulator.events.map((each) => each.event_type),
  }
}

test('a plan change in the portal creates an invoice that is partly paid by credits', async () => {
  const { emulator, chargebee, id, read, period, types } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  await emulator.changePlan(id)
  expect(await read()).toMatchObject({
    subscription_items: [{ item_price_id: 'team-USD-monthly', unit_price: 2999 }],
  })
  const { list } = await chargebee.invoice.list({ subscription_id: { is: id }, 'sort_by[asc]': 'date' } as never)
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
