import { expect, test } from 'vitest'
import { otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { buy, startFreemius, startReceiver } from './fixture.ts'

test('a plan change gives the licence another plan and a new subscription', async () => {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, freemius } = await startFreemius({ serviceUrl })
  await emulator.setOtherPrices(PAYWALL, [otherPrice('503:605', { currency: 'USD' })])
  const { license } = await buy(freemius, emulator)
  const [old] = emulator.subscriptions
  const before = emulator.events.length
  await emulator.changePlan(String(old?.id), '503:605')
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ plan_id: '503', pricing_id: '605' })
  const subscription = await freemius.api.license.retrieveSubscription(license)
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
