import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { close, listen } from '../../../../dev/emulators/core/listen.ts'
import { ACME, buy, getId, paymentOrder, press, sdk, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const { paywallId } = ACME

async function startWithSubscription(order: Stripe.Checkout.SessionCreateParams = {}) {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl })
  const session = await buy(stripe, subscriptionOrder(order))
  await emulator.drainWebhooks()
  const id = getId(session.subscription)
  const subscription = () => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  const pass = (seconds: number) => emulator.moveTo(paywallId, emulator.currentTime(paywallId) + seconds)
  const types = (since = 0) => emulator.events.slice(since).map(({ type }) => type)
  return { emulator, stripe, id, customer: getId(session.customer), subscription, pass, types }
}

const getPeriodEnd = ({ items }: Stripe.Subscription) => items.data[0]?.current_period_end ?? 0

test('a monthly subscription renews twelve times in a year, and each renewal is paid an hour after its period begins', async () => {
  const { emulator, stripe, id, subscription, types } = await startWithSubscription()
  const first = await subscription()
  const yearLater = new Date(first.created * 1000)
  yearLater.setUTCFullYear(yearLater.getUTCFullYear() + 1)
  const before = emulator.events.length
  await emulator.moveTo(paywallId, yearLater.getTime() / 1000 + 2 * HOUR)
  expect(types(before).filter((type) => type === 'invoice.paid')).toHaveLength(12)
  const paid = emulator.events.slice(before).filter(({ type }) => type === 'invoice.paid')
  for (const { created, data } of paid) expect(created - Number(data.object.created)).toBe(HOUR)
  const times = emulator.events.map(({ created }) => created)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  const now = await subscription()
  expect(now).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
  expect(getPeriodEnd(now)).toBeGreaterThan(emulator.currentTime(paywallId))
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await emulator.moveTo(paywallId, getPeriodEnd(now))
  expect(await subscription()).toMatchObject({ status: 'canceled', ended_at: getPeriodEnd(now) })
  expect(emulator.nextDue(paywallId)).toBeNull()
})

test('sends trial_will_end three days before a trial ends, and charges within an hour after its end', async () => {
  const { emulator, subscription, types } = await startWithSubscription({
    subscription_data: { trial_period_days: 7 },
  })
  const { trial_end: end } = await subscription()
  const before = emulator.events.length
  expect(emulator.nextDue(paywallId)).toBe((end ?? 0) - 3 * DAY)
  await emulator.moveTo(paywallId, (end ?? 0) - 3 * DAY)
  expect(types(before)).toEqual(['customer.subscription.trial_will_end'])
  await emulator.moveTo(paywallId, (end ?? 0) + HOUR)
  expect(types(before).at(-1)).toBe('invoice.paid')
  expect(await subscription()).toMatchObject({ status: 'active', latest_invoice: { amount_paid: 999 } })
})

test('retries a failed charge eight times in two weeks; the subscription recovers, or is cancelled after the last retry', async () => {
  const { emulator, customer, subscription, pass, types } = await startWithSubscription()
  const end = getPeriodEnd(await subscription())
  await emulator.declineCharges(customer)
  await emulator.moveTo(paywallId, end + HOUR)
  expect(await subscription()).toMatchObject({ status: 'past_due', latest_invoice: { attempt_count: 1 } })
  await pass(12 * DAY)
  const late = await subscription()
  expect(late).toMatchObject({ status: 'past_due', latest_invoice: { attempt_count: 8 } })
  expect(late.latest_invoice).toMatchObject({ next_payment_attempt: end + HOUR + 14 * DAY })
  await emulator.declineCharges(customer, false)
  await pass(2 * DAY)
  const recovered = await subscription()
  expect(recovered).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', attempt_count: 9 } })

  await emulator.declineCharges(customer)
  const before = emulator.events.length
  await emulator.moveTo(paywallId, getPeriodEnd(recovered) + HOUR + 14 * DAY)
  const cancelled = { status: 'canceled', cancellation_details: { reason: 'payment_failed' } }
  expect(await subscription()).toMatchObject({ ...cancelled, latest_invoice: { status: 'open', attempt_count: 9 } })
  expect(types(before).filter((type) => type === 'invoice.payment_failed')).toHaveLength(9)
  expect(types(before).at(-1)).toBe('customer.subscription.deleted')
})

test('an account can keep a subscription after the last retry: as unpaid, or as past due and charged for later periods', async () => {
  const unpaid = await startWithSubscription()
  const dunning = { retryDays: [3, 5], finally: 'unpaid' as const }
  await unpaid.emulator.setDunning(paywallId, dunning)
  await unpaid.emulator.declineCharges(unpaid.customer)
  const end = getPeriodEnd(await unpaid.subscription())
  await unpaid.emulator.moveTo(paywallId, end + HOUR + 8 * DAY)
  expect(await unpaid.subscription()).toMatchObject({
    status: 'unpaid',
    latest_invoice: { attempt_count: 3, next_payment_attempt: null },
  })
  await unpaid.emulator.moveTo(paywallId, getPeriodEnd(await unpaid.subscription()) + DAY)
  const later = { status: 'unpaid', latest_invoice: { status: 'draft', attempt_count: 0 } }
  expect(await unpaid.subscription()).toMatchObject(later)

  const kept = await startWithSubscription()
  await kept.emulator.setDunning(paywallId, { ...dunning, finally: 'keep' })
  await kept.emulator.declineCharges(kept.customer)
  await kept.emulator.moveTo(paywallId, getPeriodEnd(await kept.subscription()) + HOUR + 8 * DAY)
  const owing = await kept.subscription()
  expect(owing).toMatchObject({ status: 'past_due' })
  await kept.emulator.declineCharges(kept.customer, false)
  await kept.emulator.moveTo(paywallId, getPeriodEnd(owing) + HOUR)
  expect(await kept.subscription()).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
})

test('a bank debit is paid within 20 hours; an unpaid subscription and an open session expire after a day', async () => {
  const { emulator, stripe } = await startStripe()
  const debit = await stripe.checkout.sessions.create(paymentOrder())
  await press(debit, 'later')
  const unpaid = await stripe.checkout.sessions.create(subscriptionOrder())
  await press(unpaid, 'later')
  const open = await stripe.checkout.sessions.create(subscriptionOrder())
  const fetched = ({ id }: { id: string }) => stripe.checkout.sessions.retrieve(id, { expand: ['subscription'] })
  await emulator.moveTo(paywallId, debit.created + 20 * HOUR)
  expect(await fetched(debit)).toMatchObject({ payment_status: 'paid' })
  await emulator.moveTo(paywallId, debit.created + DAY + HOUR)
  expect(await fetched(unpaid)).toMatchObject({ subscription: { status: 'incomplete_expired' } })
  expect(await fetched(open)).toMatchObject({ status: 'expired' })
})

test('moving the clock of one account does not affect another account', async () => {
  const other = { ...ACME, paywallId: '2002', secretKey: 'sk_test_other_0123456789' }
  const { emulator, stripe } = await startStripe({ accounts: [ACME, other] })
  await buy(stripe, subscriptionOrder())
  const foreign = sdk(emulator, other.secretKey)
  const theirs = await foreign.subscriptions.retrieve(getId((await buy(foreign, subscriptionOrder())).subscription))
  await emulator.moveTo(paywallId, emulator.currentTime(paywallId) + 40 * DAY)
  expect(emulator.currentTime('2002')).toBeLessThan(Date.now() / 1000 + 1)
  expect(await foreign.subscriptions.retrieve(theirs.id)).toEqual(theirs)
  expect(() => emulator.currentTime('3003')).toThrow(/No paywall 3003/)
})

test('the clock keeps running while moveTo waits for a slow webhook response', async () => {
  const server = createServer(async (request, response) => {
    request.resume()
    await delay(2_500)
    response.writeHead(200).end()
  })
  const serviceUrl = await listen(server, 0)
  onTestFinished(() => close(server))
  const { emulator, stripe } = await startStripe({ serviceUrl })
  await buy(stripe, subscriptionOrder())
  const [at, began] = [emulator.currentTime(paywallId) + DAY, Date.now()]
  await emulator.moveTo(paywallId, at)
  expect(Date.now() - began).toBeGreaterThan(1_500)
  expect(emulator.currentTime(paywallId)).toBeGreaterThan(at)
})
