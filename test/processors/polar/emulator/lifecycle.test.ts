import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ACME, buy, LIFETIME, monthlyOrder, press, startPolar, TRIAL, UNKNOWN } from './fixture.ts'

const DAY_SECONDS = 24 * 3600
const statusCode = (code: number, error: string) => ({ statusCode: code, error: { error } })

test('schedules a cancellation once, and undoes it once', async () => {
  const { polar } = await startPolar()
  const { id } = await buy(polar)
  const why = { customer_cancellation_reason: 'other', customer_cancellation_comment: 'Too dear' } as const
  const cancelled = await polar.subscriptions.update(id, { cancel_at_period_end: true, ...why })
  expect(cancelled).toMatchObject({ ...why, status: 'active', cancel_at_period_end: true })
  expect(cancelled.ends_at).toBe(cancelled.current_period_end)
  const again = polar.subscriptions.update(id, { cancel_at_period_end: true })
  await expect(again).rejects.toMatchObject(statusCode(403, 'AlreadyCanceledSubscription'))

  const kept = await polar.subscriptions.update(id, { cancel_at_period_end: false })
  expect(kept).toMatchObject({ cancel_at_period_end: false, ends_at: null, customer_cancellation_comment: null })
  const undone = polar.subscriptions.update(id, { cancel_at_period_end: false })
  await expect(undone).rejects.toMatchObject(statusCode(409, 'SubscriptionNotScheduledToCancel'))
})

test('revokes a subscription at once, and rejects a second revocation', async () => {
  const { polar } = await startPolar()
  const { id } = await buy(polar)
  const revoked = await polar.subscriptions.update(id, { revoke: true })
  expect(revoked).toMatchObject({ status: 'canceled', ended_at: expect.any(String) })
  const again = polar.subscriptions.update(id, { revoke: true })
  await expect(again).rejects.toMatchObject(statusCode(403, 'AlreadyCanceledSubscription'))
})

test('charges each period a minute after it has begun, and retries a failed charge', async () => {
  const { emulator, polar } = await startPolar()
  const { id, order } = await buy(polar)
  const end = (await polar.subscriptions.get(id)).current_period_end
  const at = Date.parse(end) / 1000
  await emulator.moveTo(ACME.paywallId, at)
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'active', current_period_start: end })
  expect(await latestOrder()).toMatchObject({ id: order.id, billing_reason: 'subscription_create' })
  await emulator.moveTo(ACME.paywallId, at + 60)
  expect(await latestOrder()).toMatchObject({
    created_at: new Date((at + 60) * 1000).toISOString(),
    status: 'paid',
    billing_reason: 'subscription_cycle',
    checkout_id: null,
    metadata: { paywall_id: '1001' },
  })

  await emulator.declineCharges(order.customer_id)
  const next = Date.parse((await polar.subscriptions.get(id)).current_period_end) / 1000
  await emulator.moveTo(ACME.paywallId, next + 60)
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'past_due' })
  for (const days of [2, 7, 14, 21]) {
    const retry = next + 60 + days * DAY_SECONDS
    const next_payment_attempt_at = new Date(retry * 1000).toISOString()
    expect(await latestOrder()).toMatchObject({ status: 'pending', next_payment_attempt_at })
    expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'past_due' })
    await emulator.moveTo(ACME.paywallId, retry)
  }
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'canceled', ended_at: expect.any(String) })

  async function latestOrder() {
    return (await polar.orders.list({ subscription_id: id, limit: 1 })).items[0]
  }
})

test('dates the order of a period that begins ahead of the clock at the start of the period', async () => {
  const { emulator, polar } = await startPolar()
  const { id } = await buy(polar)
  await emulator.renew(id, { fail: true })
  const { current_period_start: start } = await polar.subscriptions.get(id)
  const [pending] = (await polar.orders.list({ subscription_id: id })).items
  expect(pending).toMatchObject({ status: 'pending', created_at: start, modified_at: null })
  await emulator.renew(id)
  const [paid] = (await polar.orders.list({ subscription_id: id })).items
  expect(paid).toMatchObject({ id: pending?.id, status: 'paid', created_at: start })
  expect(Date.parse(paid?.modified_at ?? '')).toBeGreaterThan(Date.parse(start))
})

test('a trial becomes a paid period', async () => {
  const { emulator, polar } = await startPolar()
  const { id } = await buy(polar, monthlyOrder(TRIAL))
  await emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 3 * DAY_SECONDS + 120)
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'active', trial_end: expect.any(String) })
  const orders = (await polar.orders.list({ subscription_id: id })).items
  expect(orders.map(({ total_amount: amount, status }) => [amount, status])).toEqual([
    [999, 'paid'],
    [0, 'paid'],
  ])
})

test('a refund that fails changes its order, although no event says so', async () => {
  const { emulator, polar } = await startPolar()
  const { order } = await buy(polar)
  const refundAll = () => polar.refunds.create({ order_id: order.id, reason: 'other', amount: order.refundable_amount })
  const modified = async () => Date.parse((await polar.orders.get(order.id)).modified_at ?? '')
  const first = await refundAll()
  const refundedAt = await modified()
  await emulator.resolveRefund(first.id, { fail: true })
  await refundAll()
  expect(await modified()).toBeGreaterThan(refundedAt + 1)
})

test('refunds in parts, at once or later, and no more than was paid', async () => {
  const { emulator, polar } = await startPolar()
  const { order } = await buy(polar, monthlyOrder({ products: [LIFETIME] }))
  const refund = { order_id: order.id, reason: 'customer_request' } as const
  const first = await polar.refunds.create({ ...refund, amount: 900 })
  expect(first).toMatchObject({ status: 'succeeded', amount: 900, subscription_id: null, dispute: null })
  expect(await polar.orders.get(order.id)).toMatchObject({ status: 'partially_refunded', refunded_amount: 900 })
  await expect(polar.refunds.create({ ...refund, amount: 4001 })).rejects.toMatchObject({ statusCode: 422 })

  emulator.slowRefunds = true
  const slow = await polar.refunds.create({ ...refund, amount: 4000 })
  expect(slow.status).toBe('pending')
  expect(await emulator.resolveRefund(slow.id, { fail: true })).toMatchObject({ status: 'failed' })
  emulator.slowRefunds = false
  await polar.refunds.create({ ...refund, amount: 4000 })
  expect(await polar.orders.get(order.id)).toMatchObject({ status: 'refunded', refundable_amount: 0 })
  const more = polar.refunds.create({ ...refund, amount: 1 })
  await expect(more).rejects.toMatchObject(statusCode(403, 'RefundedAlready'))
  await expect(polar.refunds.create({ ...refund, order_id: UNKNOWN, amount: 1 })).rejects.toBeDefined()
})

test('pauses and resumes', async () => {
  const { emulator, polar } = await startPolar()
  const { id } = await buy(polar)
  await emulator.pause(id)
  expect((await polar.subscriptions.get(id)).status).toBe('paused')
  expect(await polar.subscriptions.update(id, { resume: true })).toMatchObject({ status: 'active' })
})

test('opens a portal by customer id or external id', async () => {
  const { polar } = await startPolar()
  const { id, order } = await buy(polar)
  const session = await polar.customerSessions.create({
    customer_id: order.customer_id,
    return_url: 'https://shop.example/account',
  })
  const page = await (await fetch(session.customer_portal_url)).text()
  expect(page).toContain('https://shop.example/account')
  const body = new URLSearchParams({ action: 'cancel', subscription: id })
  await fetch(session.customer_portal_url, { method: 'POST', body, redirect: 'manual' })
  expect(await polar.subscriptions.get(id)).toMatchObject({ cancel_at_period_end: true })

  const same = await polar.customerSessions.create({ external_customer_id: 'user-ada' })
  expect(same.customer_id).toBe(order.customer_id)
  const missing = polar.customerSessions.create({ external_customer_id: 'user-eve' })
  await expect(missing).rejects.toMatchObject({ statusCode: 404 })
})

test('has one customer for each e-mail address: a second buyer with it is the same customer', async () => {
  const { polar } = await startPolar()
  const first = await buy(polar)
  const other = await polar.checkouts.create(monthlyOrder({ external_customer_id: 'user-b' }))
  expect(other.customer_id).toBeNull()
  const second = await buy(polar, monthlyOrder({ external_customer_id: 'user-b', customer_email: 'ADA@buyers.dev' }))
  expect(second.order.customer_id).toBe(first.order.customer_id)
  expect(second.order.customer.external_id).toBe('user-ada')
  const taken = polar.customers.create({ email: 'ada@buyers.dev' })
  await expect(taken).rejects.toMatchObject({ statusCode: 422 })
})

test('refuses a payment if the external customer id meanwhile belongs to another e-mail address', async () => {
  const { polar } = await startPolar()
  const checkout = await polar.checkouts.create(monthlyOrder({ customer_email: null }))
  await polar.customers.create({ email: 'ada@elsewhere.example', external_id: 'user-ada' })
  const paid = await press(checkout, 'pay', { email: 'ada@buyers.dev' })
  expect([paid.status, await paid.text()]).toEqual([422, expect.stringContaining('different email address')])
})

test('an organisation can limit customers to one subscription', async () => {
  const { emulator, polar } = await startPolar()
  await emulator.allowMultipleSubscriptions(ACME.paywallId, false)
  const { id } = await buy(polar)
  const second = await polar.checkouts.create(monthlyOrder())
  expect((await press(second, 'pay')).status).toBe(403)
  await emulator.end(id)
  expect((await press(second, 'pay')).status).toBe(303)
})

test('a restart keeps subscriptions and orders', async () => {
  const statePath = join(await mkdtemp(join(tmpdir(), 'polar-')), 'state.json')
  const first = await startPolar({ statePath })
  const { id, order } = await buy(first.polar)
  await first.emulator.close()
  const { polar } = await startPolar({ statePath })
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'active', metadata: { paywall_id: '1001' } })
  expect((await polar.orders.get(order.id)).customer.external_id).toBe('user-ada')
})

test('a dispute can be listed by order, and revokes the subscription when it is lost', async () => {
  const { emulator, polar } = await startPolar()
  const { order, id } = await buy(polar)
  const dispute = await emulator.dispute(order.id)
  const listed = async () => (await polar.disputes.list({ order_id: order.id })).items
  expect(await listed()).toMatchObject([{ id: dispute.id, status: 'needs_response', resolved: false }])
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'active' })
  await emulator.closeDispute(dispute.id)
  expect(await listed()).toMatchObject([
    { status: 'lost', resolved: true, closed: true, customer: { id: order.customer_id } },
  ])
  expect(await polar.disputes.get(dispute.id)).toMatchObject({ status: 'lost' })
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'canceled' })
})

test('a disputed payment cannot be refunded, unless the dispute is won', async () => {
  const { emulator, polar } = await startPolar()
  const { order } = await buy(polar)
  const dispute = await emulator.dispute(order.id)
  const refund = () => polar.refunds.create({ order_id: order.id, reason: 'other', amount: order.refundable_amount })
  await expect(refund()).rejects.toThrow('RefundDisputedPayment')
  await emulator.closeDispute(dispute.id, { won: true })
  expect(await refund()).toMatchObject({ status: 'succeeded' })
})
