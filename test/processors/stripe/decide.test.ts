import { describe, expect, test } from 'vitest'
import { getOrder, ONE_TIME, startSelling } from './selling.ts'

// The adapter's decisions on replies of the Stripe emulator.

const subscription = (id: string) => ({ kind: 'subscription', id }) as const

test('a subscription has its price, its start, and the amount of the first payment', async () => {
  const { subscribe, look, emulator, stripe } = await startSelling()
  const id = await subscribe()
  const { start_date: start } = await stripe.subscriptions.retrieve(id)
  const sold = { processorPrice: 'price_month', startedAt: new Date(start * 1000), priceCovered: true, versions: {} }
  expect(await look(subscription(id))).toMatchObject({ ...sold, charged: 999 })
  await emulator.renew(id)
  expect(await look(subscription(id))).toMatchObject({ ...sold, charged: null })
})

test('a page shows what was paid on it, also after renewals', async () => {
  const { sell, look, emulator } = await startSelling()
  const { id, subscription: bought } = await sell()
  await emulator.renew(String(bought))
  expect(await look({ kind: 'page', id })).toMatchObject({ processorId: bought, charged: 999 })
})

test('a trial costs nothing', async () => {
  const { sell, look } = await startSelling()
  const { id, subscription: bought } = await sell({ trialDays: 7 })
  expect(await look({ kind: 'page', id })).toMatchObject({ status: 'trialing', charged: 0, priceCovered: true })
  expect(await look(subscription(String(bought)))).toMatchObject({ charged: 0 })
})

test('a one-time purchase does not name its price', async () => {
  const { sell, look, stripe } = await startSelling()
  const { id, payment_intent: payment } = await sell(ONE_TIME)
  const { created } = await stripe.paymentIntents.retrieve(String(payment))
  const sold = { processorPrice: null, charged: 4900, startedAt: new Date(created * 1000), priceCovered: true }
  expect(await look({ kind: 'page', id })).toMatchObject(sold)
  expect(await look({ kind: 'payment', id: String(payment) })).toMatchObject(sold)
})

test('an unpaid purchase has no charged amount yet', async () => {
  const { adapter, look, emulator } = await startSelling()
  const { pageId } = await adapter.openCheckout(getOrder())
  await emulator.payLater(pageId)
  expect(await look({ kind: 'page', id: pageId })).toMatchObject({ status: 'pending', begun: false, charged: null })
})

describe('an end', () => {
  test('set in the portal is at the end of the period, and a later one is not', async () => {
    const { subscribe, look, emulator, stripe, adapter } = await startSelling()
    const id = await subscribe()
    await emulator.portalCancel(id)
    const purchase = await look(subscription(id))
    expect(purchase).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: purchase?.currentPeriodEnd })

    await emulator.portalUndo(id)
    const later = Math.floor(Number(purchase?.currentPeriodEnd) / 1000) + 100 * 24 * 3600
    await stripe.subscriptions.update(id, { cancel_at: later })
    expect(await look(subscription(id))).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: new Date(later * 1000) })

    await adapter.cancelAtPeriodEnd(id, 'too expensive')
    expect(await look(subscription(id))).toMatchObject({
      cancelAtPeriodEnd: true,
      cancelAt: purchase?.currentPeriodEnd,
    })
  })

  test('after the current period is reached through renewals', async () => {
    const { subscribe, look, stripe, passDays } = await startSelling()
    const id = await subscribe()
    const end = Math.floor(Date.now() / 1000) + 75 * 24 * 3600
    await stripe.subscriptions.update(id, { cancel_at: end })
    await passDays(70)
    expect(await look(subscription(id))).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await passDays(6)
    expect(await look(subscription(id))).toMatchObject({ status: 'canceled' })
  })
})

describe('a dispute', () => {
  test.each([
    ['that is open changes nothing', null, 'active'],
    ['that is won changes nothing', true, 'active'],
    ['that is lost ends a one-time purchase', false, 'refunded'],
  ])('%s', async (_, won, status) => {
    const { sell, look, emulator, facts } = await startSelling()
    const { id, payment_intent: payment } = await sell(ONE_TIME)
    const { id: dispute } = await emulator.dispute(String(payment))
    if (won !== null) await emulator.closeDispute(dispute, { won })
    expect(await look({ kind: 'payment', id: String(payment) })).toMatchObject({ status })
    expect(await look({ kind: 'page', id })).toMatchObject({ status })
    const money = { paymentId: payment, amount: 4900, currency: 'EUR' }
    const [, ...reported] = await facts()
    expect(reported).toMatchObject([
      { kind: 'disputed', id: dispute, ...money },
      ...(won === null ? [] : [{ kind: won ? 'dispute_won' : 'dispute_lost', id: dispute, ...money }]),
    ])
  })
})

describe('the facts of one payment share its id', () => {
  test('of a subscription it is the invoice', async () => {
    const { subscribe, emulator, facts, stripe } = await startSelling()
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

  test('of a one-time purchase it is the payment intent, also of a refund that fails later', async () => {
    const { sell, emulator, facts } = await startSelling()
    const { payment_intent: payment } = await sell(ONE_TIME)
    const { id } = await emulator.refund(String(payment))
    await emulator.resolveRefund(id, { fail: true })
    const refund = { id, paymentId: payment, amount: 4900 }
    const reported = await facts()
    expect(new Set(reported.map(({ kind, id }) => `${kind} ${id}`)).size).toBe(3)
    expect(reported).toMatchObject([
      { kind: 'succeeded', id: payment },
      { kind: 'refunded', ...refund },
      { kind: 'refund_failed', ...refund },
      // Stripe sends two events of a failure.
      { kind: 'refund_failed', ...refund },
    ])
  })
})

test('a first payment that fails for good is reported, and nothing was bought', async () => {
  const { adapter, look, emulator, facts, stripe } = await startSelling()
  const { pageId: id } = await adapter.openCheckout(getOrder())
  await emulator.payLater(id)
  const { subscription: bought, invoice } = await stripe.checkout.sessions.retrieve(id)
  await emulator.end(String(bought))
  expect(await facts()).toMatchObject([{ kind: 'failed', id: `${invoice}:1`, paymentId: invoice, amount: 999 }])
  expect(await look({ kind: 'page', id })).toMatchObject({ status: 'canceled', begun: false, periodCovered: false })
})

test('the end of a trial is reported, unless the trial is cancelled', async () => {
  const { subscribe, emulator, received } = await startSelling()
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
