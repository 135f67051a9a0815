import { expect, test } from 'vitest'
import { advanceQuarterPeriod, DAY, otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { press, startChargebee, startReceiver, subscribe } from './fixture.ts'

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

/** The parameters of a change to the team plan. */
const toTeam = {
  replace_items_list: true,
  subscription_items: [{ item_price_id: 'team-USD-monthly', quantity: 1 }],
}

test('an estimate is what the update then charges, and changes nothing', async () => {
  const { emulator, chargebee, id, read, period } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  const subscription = { id }
  const { estimate } = await chargebee.estimate.updateSubscriptionForItems({ subscription, ...toTeam })
  expect(estimate).toMatchObject({
    subscription_estimate: { id, status: 'active', next_billing_at: period[1] },
    invoice_estimate: { total: 2249, credits_applied: 749, amount_due: 1500 },
    credit_note_estimates: [{ type: 'refundable', total: 749, amount_allocated: 749, amount_available: 0 }],
  })
  expect(estimate.next_invoice_estimate).toBeUndefined()
  const later = await chargebee.estimate.updateSubscriptionForItems({ subscription, ...toTeam, end_of_term: true })
  expect(later.estimate.next_invoice_estimate).toMatchObject({ total: 2999, amount_due: 2999 })
  expect(later.estimate.invoice_estimate).toBeUndefined()
  expect(await read()).toMatchObject({ subscription_items: [{ unit_price: 999 }] })
  const updated = await chargebee.subscription.updateForItems(id, toTeam)
  expect(updated.subscription).toMatchObject({
    subscription_items: [{ unit_price: 2999 }],
    current_term_end: period[1],
  })
  expect(updated.invoice).toMatchObject({ status: 'paid', total: 2249, credits_applied: 749, amount_paid: 1500 })
})

test('an update sends the events of the change and its payment', async () => {
  const { chargebee, id, types, emulator } = await startWithSubscription()
  await chargebee.subscription.updateForItems(id, toTeam)
  expect(types().slice(2)).toEqual(['invoice_generated', 'payment_succeeded', 'subscription_changed'])
  const generated = emulator.events.find(({ event_type: type }) => type === 'invoice_generated')
  expect(generated?.content).toMatchObject({ invoice: { subscription_id: id }, subscription: { id } })
})

test('a declined charge leaves an invoice that is due and is charged again, or the update is refused', async () => {
  const { emulator, chargebee, id, read, period, types } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  const { customer_id: customer } = await read()
  await emulator.declineCharges(customer)
  await emulator.setDeclinedChange(PAYWALL, 'refused')
  const refused = chargebee.subscription.updateForItems(id, toTeam)
  await expect(refused).rejects.toMatchObject({
    http_status_code: 400,
    type: 'payment',
    api_error_code: 'payment_processing_failed',
  })
  expect(await read()).toMatchObject({ due_invoices_count: 0, subscription_items: [{ unit_price: 999 }] })
  await emulator.setDeclinedChange(PAYWALL, 'made')
  const { subscription, invoice } = await chargebee.subscription.updateForItems(id, toTeam)
  expect(subscription).toMatchObject({ status: 'active', due_invoices_count: 1, total_dues: 1500 })
  expect(invoice).toMatchObject({ status: 'payment_due', amount_due: 1500, dunning_status: 'in_progress' })
  expect(types().slice(2)).toEqual(['invoice_generated', 'payment_failed', 'subscription_changed'])
  await emulator.declineCharges(customer, false)
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 3 * DAY)
  expect(await read()).toMatchObject({ due_invoices_count: 0 })
})

test('a page collects what is due, and leads back', async () => {
  const { emulator, chargebee, id, read, period } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  const customer = { id: (await read()).customer_id }
  const collect = () => chargebee.hostedPage.collectNow({ customer, redirect_url: 'https://shop.example/thanks' })
  await expect(collect()).rejects.toMatchObject({ api_error_code: 'invalid_state_for_request' })
  await emulator.declineCharges(customer.id)
  await chargebee.subscription.updateForItems(id, toTeam)
  const { hosted_page: page } = await collect()
  expect(await (await fetch(page.url ?? '')).text()).toContain('15.00')
  expect((await press(page, 'decline')).status).toBe(402)
  const paid = await press(page, 'pay')
  expect(paid.headers.get('location')).toBe(`https://shop.example/thanks?id=${page.id}&state=succeeded`)
  expect(await read()).toMatchObject({ due_invoices_count: 0 })
  expect((await press(page, 'pay')).status).toBe(409)
  expect((await chargebee.hostedPage.retrieve(page.id ?? '')).hosted_page).toMatchObject({
    type: 'collect_now',
    state: 'succeeded',
  })
})

test('a page changes a subscription once it is paid, and can be left or expire', async () => {
  const { emulator, chargebee, id, read, period } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  const open = () =>
    chargebee.hostedPage.checkoutExistingForItems({
      subscription: { id },
      ...toTeam,
      redirect_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/sorry',
    })
  const { hosted_page: left } = await open()
  const { hosted_page: late } = await open()
  expect((await press(left, 'cancel')).headers.get('location')).toBe(
    `https://shop.example/sorry?id=${left.id}&state=cancelled`,
  )
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 3 * 3600)
  expect((await press(late, 'pay')).status).toBe(409)
  const { hosted_page: page } = await open()
  expect((await press(page, 'pay')).headers.get('location')).toContain('state=succeeded')
  expect(await read()).toMatchObject({ subscription_items: [{ item_price_id: 'team-USD-monthly' }] })
  expect(emulator.subscriptions).toHaveLength(1)
})

test('a scheduled change is shown with its plan, and the end of the subscription prevents one', async () => {
  const { chargebee, id, read } = await startWithSubscription()
  const withChanges = () => chargebee.subscription.retrieveWithScheduledChanges(id)
  await expect(withChanges()).rejects.toMatchObject({ http_status_code: 400 })
  await chargebee.subscription.updateForItems(id, { ...toTeam, end_of_term: true })
  expect((await withChanges()).subscription).toMatchObject({
    has_scheduled_changes: true,
    subscription_items: [{ item_price_id: 'team-USD-monthly' }],
  })
  expect(await read()).toMatchObject({ has_scheduled_changes: true, subscription_items: [{ unit_price: 999 }] })
  await chargebee.subscription.removeScheduledChanges(id)
  await expect(chargebee.subscription.removeScheduledChanges(id)).rejects.toMatchObject({ http_status_code: 400 })
  await chargebee.subscription.cancelForItems(id, { cancel_option: 'end_of_term' })
  const refused = chargebee.subscription.updateForItems(id, { ...toTeam, end_of_term: true })
  await expect(refused).rejects.toMatchObject({ api_error_code: 'invalid_state_for_request' })
  const { subscription } = await chargebee.subscription.updateForItems(id, toTeam)
  expect(subscription).toMatchObject({ status: 'non_renewing', subscription_items: [{ unit_price: 2999 }] })
})

test('with unbilled charges a change is invoiced with the next term', async () => {
  const { emulator, chargebee, id, period } = await startWithSubscription()
  await advanceQuarterPeriod(emulator, period)
  const { invoice } = await chargebee.subscription.updateForItems(id, { ...toTeam, invoice_immediately: false })
  expect(invoice).toBeUndefined()
  const { list } = await chargebee.unbilledCharge.list({ subscription_id: { is: id } })
  expect(list).toMatchObject([{ unbilled_charge: { amount: 2249, entity_id: 'team-USD-monthly' } }])
})
