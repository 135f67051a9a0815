import { expect, test } from 'vitest'
import { ACME, sdk, startChargebee, startReceiver, subscribe } from './fixture.ts'

const DAY = 24 * 3600
const { paywallId } = ACME

async function startWithSubscription(order: Parameters<typeof subscribe>[1] = {}) {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, chargebee } = await startChargebee({ serviceUrl })
  const { subscription: first, customer } = await subscribe(chargebee, order)
  const read = async () => (await chargebee.subscription.retrieve(first.id)).subscription
  const termEnd = async () => (await read()).current_term_end ?? 0
  const types = (since = 0) => emulator.events.slice(since).map(({ event_type: type }) => type)
  return { emulator, chargebee, id: first.id, customer, read, termEnd, types }
}

test('a monthly subscription has thirteen payments in a year, each when its term begins', async () => {
  const { emulator, chargebee, id, read, termEnd, types } = await startWithSubscription()
  for (let term = 0; term < 12; term += 1) await emulator.moveTo(paywallId, await termEnd())
  expect(types().filter((type) => type === 'payment_succeeded')).toHaveLength(13)
  expect(types().filter((type) => type === 'subscription_renewed')).toHaveLength(12)
  expect(await read()).toMatchObject({ status: 'active', due_invoices_count: 0 })
  await chargebee.subscription.cancelForItems(id, { cancel_option: 'end_of_term' })
  const end = await termEnd()
  await emulator.moveTo(paywallId, end)
  expect(await read()).toMatchObject({ status: 'cancelled', cancelled_at: end })
  expect(types().at(-1)).toBe('subscription_cancelled')
  expect(emulator.nextDue(paywallId)).toBeNull()
})

test('sends a reminder three days before a trial ends, and charges at its end', async () => {
  const trialEnd = Math.floor(Date.now() / 1000) + 7 * DAY
  const { emulator, read, types } = await startWithSubscription({ subscription: { trial_end: trialEnd } })
  await emulator.moveTo(paywallId, trialEnd - 3 * DAY)
  expect(types()).toEqual(['subscription_created', 'subscription_trial_end_reminder'])
  await emulator.moveTo(paywallId, trialEnd)
  expect(types(2)).toEqual(['subscription_activated', 'payment_succeeded'])
  expect(await read()).toMatchObject({ status: 'active', activated_at: trialEnd, current_term_start: trialEnd })
})

test('a cancelled trial continues to its end', async () => {
  const trialEnd = Math.floor(Date.now() / 1000) + 7 * DAY
  const { emulator, chargebee, id, read, types } = await startWithSubscription({
    subscription: { trial_end: trialEnd },
  })
  await chargebee.subscription.cancelForItems(id, { cancel_option: 'end_of_term' })
  expect(await read()).toMatchObject({ status: 'in_trial', cancelled_at: trialEnd })
  await emulator.moveTo(paywallId, trialEnd)
  expect(await read()).toMatchObject({ status: 'cancelled' })
  expect(types()).toEqual(['subscription_created', 'subscription_cancellation_scheduled', 'subscription_cancelled'])
})

test('a subscription with an unpaid invoice stays active, and recovers or is cancelled after the last retry', async () => {
  const { emulator, customer, read, termEnd, types } = await startWithSubscription()
  await emulator.declineCharges(customer.id)
  const before = emulator.events.length
  await emulator.moveTo(paywallId, await termEnd())
  expect(types(before)).toEqual(['subscription_renewed', 'payment_failed'])
  expect(await read()).toMatchObject({ status: 'active', due_invoices_count: 1, total_dues: 999 })
  await emulator.declineCharges(customer.id, false)
  await emulator.moveTo(paywallId, emulator.currentTime(paywallId) + 2 * DAY)
  expect(await read()).toMatchObject({ status: 'active', due_invoices_count: 0 })
  await emulator.declineCharges(customer.id)
  const owedSince = await termEnd()
  for (const days of [0, 2, 7, 14]) {
    const failures = () => types().filter((type) => type === 'payment_failed').length
    const tried = failures()
    await emulator.moveTo(paywallId, owedSince + days * DAY - 1)
    expect([failures(), (await read()).status]).toEqual([tried, 'active'])
    await emulator.moveTo(paywallId, owedSince + days * DAY)
    expect(failures()).toBe(tried + 1)
  }
  expect(await read()).toMatchObject({ status: 'cancelled', cancel_reason: 'not_paid', due_invoices_count: 1 })
  expect(types().filter((type) => type === 'payment_failed')).toHaveLength(5)
})

test('a site can keep a subscription after the last retry: it continues, and its invoice stays unpaid', async () => {
  const { emulator, chargebee, id, customer, read, termEnd } = await startWithSubscription()
  await emulator.setDunning(paywallId, { retryDays: [1, 3], finally: 'keep' })
  await emulator.declineCharges(customer.id)
  await emulator.moveTo(paywallId, (await termEnd()) + 4 * DAY)
  expect(await read()).toMatchObject({ status: 'active', due_invoices_count: 1 })
  await emulator.declineCharges(customer.id, false)
  await emulator.moveTo(paywallId, await termEnd())
  expect(await read()).toMatchObject({ status: 'active', due_invoices_count: 1 })
  const { list } = await chargebee.invoice.list({ subscription_id: { is: id }, 'sort_by[asc]': 'date' } as never)
  expect(list.map(({ invoice }) => invoice.status)).toEqual(['paid', 'not_paid', 'paid'])
})

test('pause, resume, renew, portalCancel, portalUndo and end change the subscription', async () => {
  const { emulator, id, read } = await startWithSubscription()
  await emulator.pause(id)
  expect(await read()).toMatchObject({ status: 'paused' })
  await emulator.resume(id)
  await emulator.renew(id, { fail: true })
  expect(await read()).toMatchObject({ status: 'active', due_invoices_count: 1 })
  await emulator.renew(id)
  expect(await read()).toMatchObject({ due_invoices_count: 0 })
  await emulator.portalCancel(id)
  expect(await read()).toMatchObject({ status: 'non_renewing' })
  await emulator.portalUndo(id)
  await emulator.end(id)
  expect(await read()).toMatchObject({ status: 'cancelled' })
})

test('a bank debit leaves the first invoice due until it is paid', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { subscription } = await subscribe(chargebee)
  const { hosted_page: page } = await chargebee.hostedPage.checkoutNewForItems({
    customer: { email: 'bob@example.com' },
    subscription_items: [{ item_price_id: 'pro-USD-monthly' }],
  })
  await emulator.payLater(page.id ?? '')
  const late = (await chargebee.hostedPage.retrieve(page.id ?? '')).hosted_page.content.subscription
  expect(late).toMatchObject({ status: 'active', due_invoices_count: 1 })
  await emulator.renew(late.id)
  expect((await chargebee.subscription.retrieve(late.id)).subscription.due_invoices_count).toBe(0)
  expect(late.id).not.toBe(subscription.id)
})

test('moving the clock of one site does not affect another site', async () => {
  const other = { ...ACME, paywallId: '2002', apiKey: 'test_other' }
  const { emulator, chargebee } = await startChargebee({ accounts: [ACME, other] })
  await subscribe(chargebee)
  const theirs = sdk(emulator, other.apiKey)
  const { subscription } = await subscribe(theirs)
  await emulator.moveTo(paywallId, emulator.currentTime(paywallId) + 40 * DAY)
  expect((await theirs.subscription.retrieve(subscription.id)).subscription).toEqual(subscription)
})
