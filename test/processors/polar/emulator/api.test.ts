import { createPolar } from '@polar-sh/sdk/2026-10'
import { expect, test } from 'vitest'
import { ACME, buy, LIFETIME, MONTHLY, monthlyOrder, press, sdk, startPolar, TRIAL, UNKNOWN } from './fixture.ts'

test('opens a checkout, and shows it until it is paid', async () => {
  const { emulator, polar } = await startPolar()
  const checkout = await polar.checkouts.create(monthlyOrder({ currency: 'inr' }))
  expect(checkout).toMatchObject({
    status: 'open',
    currency: 'inr',
    amount: 39900,
    product_id: MONTHLY,
    customer_id: null,
    trial_end: null,
    external_customer_id: 'user-ada',
    customer_email: 'ada@buyers.dev',
    metadata: { paywall_id: '1001' },
  })
  expect(checkout.url).toBe(`${emulator.url}/checkout/polar_c_${checkout.id}`)
  const page = await fetch(checkout.url)
  expect((await page.text()).replaceAll('\u00a0', ' ')).toContain('₹399.00')

  const paid = await press(checkout, 'pay')
  const token = 'customer_session_token=polar_cst_'
  expect(paid.headers.get('location')).toContain(`https://shop.example/thanks?checkout=${checkout.id}&${token}`)
  expect(await polar.checkouts.get(checkout.id)).toMatchObject({
    status: 'succeeded',
    customer_email: 'ada@buyers.dev',
  })
})

test('sells a subscription: it has the metadata, names its checkout, and has an order', async () => {
  const { polar } = await startPolar()
  const { checkout, order, id } = await buy(polar)
  const subscription = await polar.subscriptions.get(id)
  expect(subscription).toMatchObject({
    status: 'active',
    amount: 999,
    currency: 'usd',
    recurring_interval: 'month',
    recurring_interval_count: 1,
    checkout_id: checkout.id,
    metadata: { paywall_id: '1001' },
    cancel_at_period_end: false,
    trial_end: null,
    customer: { external_id: 'user-ada', email: 'ada@buyers.dev' },
  })
  expect(order).toMatchObject({
    status: 'paid',
    paid: true,
    billing_reason: 'subscription_create',
    total_amount: 999,
    subscription_id: id,
    checkout_id: checkout.id,
    metadata: { paywall_id: '1001' },
    next_payment_attempt_at: null,
  })
})

test('sells a trial, and none if the checkout forbids it', async () => {
  const { polar } = await startPolar()
  const trial = await polar.subscriptions.get((await buy(polar, monthlyOrder(TRIAL))).id)
  expect(trial.status).toBe('trialing')
  expect(trial.current_period_end).toBe(trial.trial_end)
  const { id } = await buy(polar, monthlyOrder({ ...TRIAL, allow_trial: false }))
  expect(await polar.subscriptions.get(id)).toMatchObject({ status: 'active', trial_start: null })
})

test('sells a one-time purchase: an order without a subscription', async () => {
  const { polar } = await startPolar()
  const { order } = await buy(polar, monthlyOrder({ products: [LIFETIME] }))
  expect(await polar.orders.get(order.id)).toMatchObject({
    billing_reason: 'purchase',
    subscription_id: null,
    product_id: LIFETIME,
    total_amount: 4900,
    status: 'paid',
    customer: { external_id: 'user-ada' },
  })
})

test('makes the receipt of a paid order when it is first requested', async () => {
  const { emulator, polar } = await startPolar()
  const { order } = await buy(polar)
  const headers = { authorization: `Bearer ${ACME.accessToken}`, 'polar-version': '2026-10' }
  const first = await fetch(`${emulator.url}/v1/orders/${order.id}/receipt`, { headers })
  expect([first.status, await first.text()]).toEqual([202, ''])
  const { url } = await polar.orders.receipt(order.id)
  expect(await (await fetch(url)).text()).toContain('$9.99')
  await expect(polar.orders.receipt(UNKNOWN)).rejects.toMatchObject({ statusCode: 404 })
})

test('a declined card leaves the checkout open, and Cancel goes back to the seller', async () => {
  const { polar } = await startPolar()
  const checkout = await polar.checkouts.create(monthlyOrder())
  await press(checkout, 'decline')
  expect((await press(checkout, 'cancel')).headers.get('location')).toBe('https://shop.example/sorry')
  expect(await polar.checkouts.get(checkout.id)).toMatchObject({ status: 'open' })
  expect((await polar.orders.list({ checkout_id: checkout.id })).items).toEqual([])
})

test('a pending payment confirms the checkout, which fails if the payment does', async () => {
  const { emulator, polar } = await startPolar()
  const once = await polar.checkouts.create(monthlyOrder({ products: [LIFETIME] }))
  await emulator.payLater(once.id)
  expect(await polar.checkouts.get(once.id)).toMatchObject({ status: 'confirmed' })

  const recurring = await polar.checkouts.create(monthlyOrder())
  await emulator.payLater(recurring.id)
  const [subscription] = emulator.subscriptions
  await emulator.end(subscription?.id ?? '')
  expect(await polar.checkouts.get(recurring.id)).toMatchObject({ status: 'failed' })
})

test.each([
  ['an unknown product', { products: [UNKNOWN] }, 'Product does not exist.'],
  ['a currency without a price', { currency: 'eur' }, 'Product is not available in the specified currency.'],
  ['an unknown customer', { customer_id: UNKNOWN }, 'Customer does not exist.'],
  ['half a trial', { trial_interval: 'day' }, 'Both trial_interval and trial_interval_count must be set.'],
  ['a metadata value that is too long', { metadata: { note: 'x'.repeat(501) } }, expect.stringContaining('500')],
  ['no e-mail address', { customer_email: 'ada' }, 'value is not a valid email address'],
  ['an invalid success URL', { success_url: 'ftp://x' }, 'The URL is invalid'],
] as const)('refuses %s', async (_, more, msg) => {
  const { polar } = await startPolar()
  const mistakes = { statusCode: 422, error: { error: 'RequestValidationError', detail: [{ msg }] } }
  await expect(polar.checkouts.create(monthlyOrder(Object(more)))).rejects.toMatchObject(mistakes)
})

test('refuses wrong tokens, missing scopes, unknown objects, and versions that Polar does not have', async () => {
  const { emulator, polar } = await startPolar()
  await expect(sdk(emulator, 'polar_oat_wrong').orders.list()).rejects.toMatchObject({ statusCode: 401 })
  await emulator.withholdScopes(ACME.paywallId, ['orders:read'])
  await expect(polar.orders.list()).rejects.toMatchObject({ statusCode: 403 })
  await expect(polar.checkouts.get(UNKNOWN)).rejects.toMatchObject({
    statusCode: 404,
    error: { error: 'ResourceNotFound', detail: 'Not found' },
  })
  await expect(polar.checkouts.get('cs_test_1')).rejects.toMatchObject({ statusCode: 422 })
  const headers = { Authorization: `Bearer ${ACME.accessToken}`, 'Polar-Version': '2020-01' }
  const unsupported = await fetch(`${emulator.url}/v1/orders/`, { headers })
  expect([unsupported.status, await unsupported.json()]).toEqual([404, { detail: 'Not Found' }])
})

test('has no idempotency keys: a repeat opens a second checkout', async () => {
  const { polar } = await startPolar()
  const [one, other] = [await polar.checkouts.create(monthlyOrder()), await polar.checkouts.create(monthlyOrder())]
  expect(one.id).not.toBe(other.id)
})

test('keeps the objects of two organisations apart', async () => {
  const other = { ...ACME, paywallId: '2001', accessToken: 'polar_oat_other_0123456789' }
  const { emulator, polar } = await startPolar({ accounts: [ACME, other] })
  const { id } = await buy(polar)
  const theirs = createPolar({ accessToken: other.accessToken, baseUrl: emulator.url })
  await expect(theirs.subscriptions.get(id)).rejects.toMatchObject({ statusCode: 404 })
  expect((await theirs.orders.list()).items).toEqual([])
})

test('rejects an undeliverable e-mail address, also one whose domain accepts no mail', async () => {
  const { emulator, polar } = await startPolar()
  for (const customer_email of ['ada@example.com', 'ada@mail.example.org', 'ada@acme.invalid']) {
    await expect(polar.checkouts.create(monthlyOrder({ customer_email }))).rejects.toThrow(/customer_email/)
  }
  const { customer_email: _, ...order } = monthlyOrder()
  const checkout = await polar.checkouts.create(order)
  expect((await press(checkout, 'pay', { email: 'ada@example.com' })).status).toBe(422)
  expect((await press(checkout, 'pay', { email: 'ada@acme.dev' })).status).toBe(303)
  expect(emulator.checkouts).toMatchObject([{ status: 'succeeded', customer_email: 'ada@acme.dev' }])
})

test('setValues makes a field return an unknown enum value', async () => {
  const { emulator, polar } = await startPolar()
  const { order } = await buy(polar)
  await emulator.setValues(ACME.paywallId, { billing_reason: 'subscription_gift' })
  expect(await polar.orders.get(order.id)).toMatchObject({ billing_reason: 'subscription_gift' })
  await emulator.renew(order.subscription_id ?? '')
  expect(emulator.events.findLast(({ type }) => type === 'order.paid')?.data).toMatchObject({
    billing_reason: 'subscription_gift',
  })
  await emulator.setValues(ACME.paywallId, {})
  expect(await polar.orders.get(order.id)).toMatchObject({ billing_reason: 'subscription_create' })
})
