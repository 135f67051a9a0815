import { expect, test } from 'vitest'
import { getOrder, ONE_TIME, startAdapter } from './selling.ts'

// The adapter's decisions on replies of the Stripe emulator.

const subscription = (id: string) => ({ kind: 'subscription', id }) as const

test('a subscription has its price, its start, and the amount of the first payment', async () => {
  const { subscribe, readSnapshot, emulator, stripe } = await startAdapter()
  const id = await subscribe()
  const { start_date: start } = await stripe.subscriptions.retrieve(id)
  const sold = { processorPrice: 'price_month', startedAt: new Date(start * 1000), priceCovered: true, versions: {} }
  expect(await readSnapshot(subscription(id))).toMatchObject({ ...sold, charged: 999 })
  await emulator.renew(id)
  expect(await readSnapshot(subscription(id))).toMatchObject({ ...sold, charged: null })
})

test('a page shows what was paid on it, also after renewals', async () => {
  const { sell, readSnapshot, emulator } = await startAdapter()
  const { id, subscription: bought } = await sell()
  await emulator.renew(String(bought))
  expect(await readSnapshot({ kind: 'page', id })).toMatchObject({ processorId: bought, charged: 999 })
})

test('a one-time purchase does not name its price', async () => {
  const { sell, readSnapshot, stripe } = await startAdapter()
  const { id, payment_intent: payment } = await sell(ONE_TIME)
  const { created } = await stripe.paymentIntents.retrieve(String(payment))
  const sold = { processorPrice: null, charged: 4900, startedAt: new Date(created * 1000), priceCovered: true }
  expect(await readSnapshot({ kind: 'page', id })).toMatchObject(sold)
  expect(await readSnapshot({ kind: 'payment', id: String(payment) })).toMatchObject(sold)
})

test('an unpaid purchase has no charged amount yet', async () => {
  const { adapter, readSnapshot, emulator } = await startAdapter()
  const { pageId } = await adapter.openCheckout(getOrder())
  await emulator.payLater(pageId)
  expect(await readSnapshot({ kind: 'page', id: pageId })).toMatchObject({
    status: 'pending',
    begun: false,
    charged: null,
  })
})

test('an end after the current period is reached through renewals', async () => {
  const { subscribe, readSnapshot, stripe, passDays } = await startAdapter()
  const id = await subscribe()
  const end = Math.floor(Date.now() / 1000) + 75 * 24 * 3600
  await stripe.subscriptions.update(id, { cancel_at: end })
  await passDays(70)
  expect(await readSnapshot(subscription(id))).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
  await passDays(6)
  expect(await readSnapshot(subscription(id))).toMatchObject({ status: 'canceled' })
})

test('the facts of one payment of a subscription have the id of its invoice', async () => {
  const { subscribe, emulator, facts, stripe } = await startAdapter()
  const id = await subscribe()
  await emulator.renew(id, { fail: true })
  await emulator.renew(id)
  const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(id)
  const payment = [...emulator.records.invoices.values()].find((each) => each.id === invoice)?.payment ?? ''
  const refund = await emulator.refund(payment, 100)
  await emulator.dispute(payment)
  expect((await facts()).slice(1)).toMatchObject([
    { kind: 'failed', id: `${invoice}:1`, paymentId: invoice },
    { kind: 'succeeded', id: invoice },
    { kind: 'refunded', id: refund.id, paymentId: invoice, amount: 100 },
    { kind: 'disputed', paymentId: invoice },
  ])
})

test('the end of a trial is reported, unless the trial is cancelled', async () => {
  const { subscribe, emulator, received } = await startAdapter()
  const id = await subscribe({ trialDays: 7 })
  const announced = async () => {
    await emulator.trialWillEnd(id)
    await emulator.drainWebhooks()
    const announcement = emulator.events.findLast(({ type }) => type === 'customer.subscription.trial_will_end')
    return received.find((event) => event.id === announcement?.id)?.trialEnding
  }
  expect(await announced()).toBe(true)
  await emulator.portalCancel(id)
  expect(await announced()).toBe(false)
})
