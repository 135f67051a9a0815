import { expect, test } from 'vitest'
import { ACME, buy, startPolar, startReceiver } from './fixture.ts'

const PAYWALL = ACME.paywallId

test('`modified_at` is null at first, and increases with each change, even in quick succession', async () => {
  const { polar } = await startPolar()
  const { id } = await buy(polar)
  expect(await polar.subscriptions.get(id)).toMatchObject({ modified_at: null })
  const first = await polar.subscriptions.update(id, { cancel_at_period_end: true })
  const second = await polar.subscriptions.update(id, { cancel_at_period_end: false })
  const [one = '', two = ''] = [first.modified_at, second.modified_at].map(String)
  expect(two > one).toBe(true)
  expect((await polar.subscriptions.get(id)).modified_at).toBe(two)
})

test('reads return an older state than webhooks while the replica lags', async () => {
  const { url: serviceUrl, deliveries } = await startReceiver()
  const { emulator, polar } = await startPolar({ serviceUrl })
  const { id, order } = await buy(polar)
  await emulator.setReplicaLag(PAYWALL, 60)
  await emulator.end(id)
  await emulator.drainWebhooks()
  const reported = deliveries.findLast(({ event }) => event.type === 'subscription.revoked')?.event
  expect(reported?.data).toMatchObject({ status: 'canceled', modified_at: expect.any(String) })
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'active', modified_at: null })
  await emulator.refund(order.id)
  expect(await polar.orders.get(order.id)).toMatchObject({ status: 'paid' })
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 61)
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'canceled' })
  expect((await polar.orders.list({ subscription_id: id })).items).toMatchObject([{ status: 'refunded' }])
})
