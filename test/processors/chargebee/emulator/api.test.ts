import { describe, expect, test } from 'vitest'
import { DroppedCall } from '../../../../dev/emulators/core/calls.ts'
import { ACME, buyOnce, oneTimeOrder, press, sdk, startChargebee, subscribe, subscriptionOrder } from './fixture.ts'

const DAY = 24 * 3600

test("sells a subscription with the seller's id, to a customer with a generated id", async () => {
  const { chargebee } = await startChargebee()
  const { hosted_page: page } = await chargebee.hostedPage.checkoutNewForItems(
    subscriptionOrder({ subscription: { id: 'chosen' }, pass_thru_content: '{"a":1}' }),
  )
  expect(page).toMatchObject({ type: 'checkout_new', state: 'created', pass_thru_content: '{"a":1}' })
  expect((page.expires_at ?? 0) - (page.created_at ?? 0)).toBe(3 * 3600)

  const paid = await press(page, 'pay')
  expect(paid.headers.get('location')).toBe(`https://shop.example/thanks?session=1&id=${page.id}&state=succeeded`)
  const { subscription, customer } = await chargebee.subscription.retrieve('chosen')
  expect(subscription).toMatchObject({ status: 'active', due_invoices_count: 0, currency_code: 'USD' })
  expect(subscription.subscription_items).toMatchObject([{ item_price_id: 'pro-USD-monthly', unit_price: 999 }])
  expect(customer).toMatchObject({ email: 'ada@example.com' })
  expect(customer.id).not.toBe('user-1')
  const retrieved = (await chargebee.hostedPage.retrieve(page.id ?? '')).hosted_page
  expect(retrieved).toMatchObject({ state: 'succeeded', content: { subscription: { id: 'chosen' } } })
})

test('a known customer who buys again stays the same customer', async () => {
  const { chargebee } = await startChargebee()
  const { customer } = await subscribe(chargebee)
  const again = await subscribe(chargebee, { customer: { id: customer.id, email: 'other@example.com' } })
  expect(again.customer).toMatchObject({ id: customer.id, email: 'ada@example.com' })
  expect((await chargebee.customer.retrieve(customer.id)).customer.id).toBe(customer.id)
})

test("a trial ends at the seller's trial_end, and costs nothing until then", async () => {
  const { emulator, chargebee } = await startChargebee()
  const trialEnd = emulator.currentTime(ACME.paywallId) + 7 * DAY
  const { subscription, invoice } = await subscribe(chargebee, { subscription: { trial_end: trialEnd } })
  expect(invoice).toBeUndefined()
  expect(subscription).toMatchObject({ status: 'in_trial', trial_end: trialEnd, current_term_end: trialEnd })
  expect((await subscribe(chargebee, { subscription: { trial_end: 0 } })).subscription.status).toBe('active')
})

test('sells a one-time charge with an invoice', async () => {
  const { chargebee } = await startChargebee()
  const { page, invoice } = await buyOnce(chargebee, { invoice: { po_number: 'order-1' }, currency_code: 'EUR' })
  expect(page.type).toBe('checkout_one_time')
  const read = await chargebee.invoice.retrieve(invoice.id)
  expect(read.invoice).toMatchObject({ status: 'paid', po_number: 'order-1', total: 4900, recurring: false })
  const [payment] = read.invoice.linked_payments ?? []
  const { transaction } = await chargebee.transaction.retrieve(payment?.txn_id ?? '')
  expect(transaction).toMatchObject({ type: 'payment', status: 'success', amount: 4900, currency_code: 'EUR' })
})

describe('refuses', () => {
  const refused: [string, Parameters<typeof subscriptionOrder>[0], object][] = [
    ['an unknown item price', { subscription_items: [{ item_price_id: 'no' }] }, { http_status_code: 404 }],
    ['a charge as a plan', { subscription_items: [{ item_price_id: 'lifetime-EUR' }] }, { http_status_code: 400 }],
    [
      'a redirect URL of 251 characters',
      { redirect_url: `https://a.example/${'x'.repeat(233)}` },
      { param: 'redirect_url' },
    ],
    ['a subscription id of 51 characters', { subscription: { id: 'x'.repeat(51) } }, { param: 'subscription[id]' }],
    ['a trial end in the past', { subscription: { trial_end: 1 } }, { param: 'subscription[trial_end]' }],
    ['an invalid e-mail address', { customer: { email: 'ada' } }, { param: 'customer[email]' }],
    [
      'an e-mail address that is too long',
      { customer: { email: `${'a'.repeat(60)}@example.com` } },
      { param: 'customer[email]' },
    ],
    ['2,049 characters of pass_thru_content', { pass_thru_content: 'x'.repeat(2049) }, { param: 'pass_thru_content' }],
  ]
  test.each(refused)('%s', async (_, order, error) => {
    const { chargebee } = await startChargebee()
    await expect(chargebee.hostedPage.checkoutNewForItems(subscriptionOrder(order))).rejects.toMatchObject(error)
  })

  test('a plan as a one-time charge, and a currency that the item price does not have', async () => {
    const { chargebee } = await startChargebee()
    const plan = oneTimeOrder({ item_prices: [{ item_price_id: 'pro-USD-monthly' }] })
    await expect(chargebee.hostedPage.checkoutOneTimeForItems(plan)).rejects.toMatchObject({
      param: 'item_prices[item_price_id][0]',
    })
    const other = chargebee.hostedPage.checkoutOneTimeForItems(oneTimeOrder({ currency_code: 'USD' }))
    await expect(other).rejects.toMatchObject({ param: 'currency_code', api_error_code: 'param_wrong_value' })
  })

  test('a wrong key, and the objects of another site', async () => {
    const other = { ...ACME, paywallId: '2001', apiKey: 'test_other' }
    const { emulator, chargebee } = await startChargebee({ accounts: [ACME, other] })
    const { subscription, customer } = await subscribe(chargebee)
    await expect(sdk(emulator, 'test_wrong').subscription.retrieve('x')).rejects.toMatchObject({
      http_status_code: 401,
      api_error_code: 'api_authentication_failed',
    })
    const theirs = sdk(emulator, other.apiKey)
    await expect(theirs.subscription.retrieve(subscription.id)).rejects.toMatchObject({ http_status_code: 404 })
    await expect(theirs.customer.retrieve(customer.id)).rejects.toMatchObject({ http_status_code: 404 })
    await expect(theirs.portalSession.create({ customer: { id: customer.id } })).rejects.toMatchObject({
      api_error_code: 'resource_not_found',
    })
  })

  test('a subscription id that exists already, when the page is opened and when it is paid', async () => {
    const { chargebee } = await startChargebee()
    const order = subscriptionOrder({ subscription: { id: 'mine' } })
    const { hosted_page: second } = await chargebee.hostedPage.checkoutNewForItems(order)
    await subscribe(chargebee, { subscription: { id: 'mine' } })
    expect((await press(second, 'pay')).status).toBe(409)
    await expect(chargebee.hostedPage.checkoutNewForItems(order)).rejects.toMatchObject({
      api_error_code: 'duplicate_entry',
    })
  })
})

test('cancels at the end of the term, rejects a second cancellation, and can undo it', async () => {
  const { chargebee } = await startChargebee()
  const { id } = (await subscribe(chargebee)).subscription
  const cancel = () => chargebee.subscription.cancelForItems(id, { cancel_option: 'end_of_term' })
  const { subscription } = await cancel()
  expect(subscription).toMatchObject({ status: 'non_renewing', cancelled_at: subscription.current_term_end })
  expect(subscription.cancel_schedule_created_at).toBeGreaterThan(0)
  await expect(cancel()).rejects.toMatchObject({ api_error_code: 'invalid_state_for_request' })
  const kept = await chargebee.subscription.removeScheduledCancellation(id)
  expect(kept.subscription).toMatchObject({ status: 'active', next_billing_at: subscription.current_term_end })
  await expect(chargebee.subscription.cancelForItems(id, { cancel_reason_code: 'Bored' })).rejects.toMatchObject({
    param: 'cancel_reason_code',
  })
  const ended = await chargebee.subscription.cancelForItems(id)
  expect(ended.subscription.status).toBe('cancelled')
})

test('stores comments, lists invoices, and returns item prices and events', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { subscription } = await subscribe(chargebee)
  const about = { entity_type: 'subscription', entity_id: subscription.id } as const
  await chargebee.comment.create({ ...about, notes: 'Too expensive' })
  const { list } = await chargebee.comment.list(about)
  expect(list).toMatchObject([{ comment: { notes: 'Too expensive' } }])
  const invoices = await chargebee.invoice.list({
    subscription_id: { is: subscription.id },
    limit: 1,
    'sort_by[asc]': 'date',
  })
  expect(invoices.list).toMatchObject([{ invoice: { status: 'paid', total: 999 } }])
  const { item_price: price } = await chargebee.itemPrice.retrieve('pro-JPY-quarterly')
  expect(price).toMatchObject({ price: 2400, currency_code: 'JPY', period: 3, period_unit: 'month', item_type: 'plan' })
  const { event } = await chargebee.event.retrieve(emulator.events[0]?.id ?? '')
  expect(event).toMatchObject({ object: 'event', api_version: 'v2' })
})

test('has invoice ids with slashes, dots and hashes, and returns 404 for an encoded slash', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { id } = (await buyOnce(chargebee)).invoice
  expect(id).toMatch(/^ACME\/2026\.#/)
  expect((await chargebee.invoice.retrieve(id)).invoice).toMatchObject({ id, status: 'paid' })
  const { download } = await chargebee.invoice.pdf(id)
  expect(download).toMatchObject({ mime_type: 'application/pdf', valid_till: expect.any(Number) })
  expect(await (await fetch(download.download_url)).text()).toContain('€49.00')
  expect((await chargebee.invoice.refund(id)).invoice.id).toBe(id)
  const headers = { authorization: `Basic ${btoa(`${ACME.apiKey}:`)}` }
  const getStatus = async (path: string) => (await fetch(`${emulator.url}/api/v2/invoices/${path}`, { headers })).status
  const encoded = encodeURIComponent(id)
  expect([await getStatus(encoded.replace('%2F', '/')), await getStatus(encoded)]).toEqual([200, 404])
  expect(await getStatus('%')).toBe(404)
})

test('opens the portal of a customer, unless it is disabled', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { customer, subscription } = await subscribe(chargebee)
  const open = () => chargebee.portalSession.create({ customer, redirect_url: 'https://shop.example/account' })
  const { portal_session: session } = await chargebee.portalSession.create({
    customer: { id: customer.id },
    redirect_url: 'https://shop.example/account',
  })
  expect(await (await fetch(session.access_url)).text()).toContain('https://shop.example/account')
  const portal = { url: session.access_url }
  expect((await press(portal, 'cancel', { subscription: subscription.id })).status).toBe(303)
  expect((await chargebee.subscription.retrieve(subscription.id)).subscription.status).toBe('non_renewing')
  expect((await press(portal, 'undo')).status).toBe(303)
  await emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 3600)
  expect((await fetch(session.access_url)).status).toBe(404)
  await emulator.enablePortal(ACME.paywallId, false)
  await expect(open()).rejects.toMatchObject({ http_status_code: 400 })
})

describe('idempotency keys', () => {
  const key = { 'chargebee-idempotency-key': 'k' }

  test('replay a call for half an hour', async () => {
    const { emulator, chargebee } = await startChargebee()
    const create = () => chargebee.hostedPage.checkoutNewForItems(subscriptionOrder(), key)
    const first = await create()
    const again = await create()
    expect(again.hosted_page.id).toBe(first.hosted_page.id)
    expect([first.isIdempotencyReplayed, again.isIdempotencyReplayed]).toEqual([false, 'true'])
    await emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 1800)
    expect((await create()).hosted_page.id).not.toBe(first.hosted_page.id)
  })

  test('refuse a different call, and have at most 100 characters', async () => {
    const { chargebee } = await startChargebee()
    await chargebee.hostedPage.checkoutNewForItems(subscriptionOrder(), key)
    const other = chargebee.hostedPage.checkoutNewForItems(subscriptionOrder({ pass_thru_content: 'x' }), key)
    await expect(other).rejects.toMatchObject({ http_status_code: 400 })
    const long = { 'chargebee-idempotency-key': 'k'.repeat(101) }
    await expect(chargebee.hostedPage.checkoutNewForItems(subscriptionOrder(), long)).rejects.toMatchObject({
      http_status_code: 400,
    })
  })

  test('replay a call whose reply was lost', async () => {
    const { emulator, chargebee } = await startChargebee()
    const create = () => chargebee.hostedPage.checkoutNewForItems(subscriptionOrder(), key)
    emulator.onCall = async (_, run) => {
      await run()
      throw new DroppedCall()
    }
    await expect(create()).rejects.toThrow()
    emulator.onCall = undefined
    expect((await create()).isIdempotencyReplayed).toBe('true')
    expect(emulator.hostedPages).toHaveLength(1)
  })
})

test('a hosted page can be declined, cancelled, paid or expire', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { hosted_page: page } = await chargebee.hostedPage.checkoutNewForItems(subscriptionOrder({ customer: {} }))
  const state = async () => (await chargebee.hostedPage.retrieve(page.id ?? '')).hosted_page.state
  expect((await press(page, 'decline')).status).toBe(303)
  expect(await state()).toBe('created')
  const left = await press(page, 'cancel')
  expect(left.headers.get('location')).toBe(`https://shop.example/sorry?id=${page.id}&state=cancelled`)
  expect(await state()).toBe('cancelled')
  expect((await press(page, 'pay')).status).toBe(422)
  expect((await press(page, 'pay', { email: 'bob@example.com' })).status).toBe(303)
  expect(await state()).toBe('succeeded')
  const { hosted_page: late } = await chargebee.hostedPage.checkoutNewForItems(subscriptionOrder())
  await emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 3 * 3600)
  expect((await press(late, 'pay')).status).toBe(409)
})

test('`resource_version` increases with each change', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { subscription } = await subscribe(chargebee)
  const id = subscription?.id ?? ''
  const version = async () => (await chargebee.subscription.retrieve(id)).subscription.resource_version ?? 0
  const versions = [await version(), await version()]
  await chargebee.subscription.cancelForItems(id, { cancel_option: 'end_of_term' })
  versions.push(await version())
  await emulator.portalUndo(id)
  versions.push(await version())
  const [one = 0, same = 0, two = 0, three = 0] = versions
  expect(same).toBe(one)
  expect([two > one, three > two]).toEqual([true, true])
})

test('a refund that has succeeded fails days later', async () => {
  const { emulator, chargebee } = await startChargebee()
  const { invoice } = await subscribe(chargebee)
  const refund = await chargebee.invoice.refund(invoice?.id ?? '')
  expect(await emulator.resolveRefund(refund.transaction.id ?? '', { fail: true })).toMatchObject({
    status: 'failure',
  })
})
