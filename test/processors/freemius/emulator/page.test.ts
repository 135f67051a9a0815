import { expect, test } from 'vitest'
import { ACME, ADA, buy, PRICES, press, readLink, startFreemius } from './fixture.ts'

test('a monthly subscription is sold on the page of its link', async () => {
  const { emulator, freemius } = await startFreemius()
  const address = await readLink(freemius, emulator)
  const page = await (await fetch(address)).text()
  for (const shown of ['Acme Pro', '$9.99', 'per month', ADA, 'readonly', 'Decline the card'])
    expect(page).toContain(shown)

  const { info, license, subscription } = await buy(freemius, emulator)
  expect(info).toMatchObject({ email: ADA, plan_id: '501', pricing_id: '601', action: 'purchase', currency: 'USD' })
  expect(info).toMatchObject({ amount: 9.99, billing_cycle: 'monthly', type: 'subscription', trial: null })
  const sold = await freemius.purchase.retrievePurchase(license)
  expect(sold?.toData()).toMatchObject({ licenseId: license, subscriptionId: subscription, isActive: true, email: ADA })
  expect(sold).toMatchObject({ initialAmount: 9.99, renewalAmount: 9.99, billingCycle: 'monthly', canceled: false })
  expect(sold?.expiration).toEqual(sold?.renewalDate)
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ environment: 1 })
})

test('a lifetime licence has no subscription and does not expire', async () => {
  const { emulator, freemius } = await startFreemius()
  const { info, license } = await buy(freemius, emulator, { price: PRICES.lifetime })
  expect(info).toMatchObject({ type: 'one-off', subscription_id: null, expiration: null, amount: 199 })
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ expiration: null, is_cancelled: false })
  expect(await freemius.api.license.retrieveSubscription(license)).toBeNull()
  expect(await freemius.api.payment.retrieve(info.payment_id ?? '')).toMatchObject({
    gross: 199,
    type: 'payment',
    license_id: license,
    subscription_id: null,
    is_renewal: false,
  })
})

test("a trial charges nothing, and lasts as long as the plan's trial period", async () => {
  const { emulator, freemius } = await startFreemius()
  const { info, license, user } = await buy(freemius, emulator, { price: PRICES.trial })
  expect(info).toMatchObject({ action: 'trial', trial: 'paid', amount: 0 })
  const days = ((info.trial_ends_at?.getTime() ?? 0) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThanOrEqual(7)
  const subscription = await freemius.api.license.retrieveSubscription(license)
  expect(subscription?.next_payment).toBe(subscription?.trial_ends)
  expect(await freemius.api.user.retrievePayments(user)).toEqual([])
})

test('a plan without a trial gives none, even if the link requests one', async () => {
  const { emulator, freemius } = await startFreemius()
  const { info } = await buy(freemius, emulator, { more: { trial: 'paid' } })
  expect(info).toMatchObject({ action: 'purchase', trial: null, amount: 9.99 })
})

test('a declined card creates nothing, and the buyer can cancel or pay afterwards', async () => {
  const { emulator, freemius } = await startFreemius()
  const address = await readLink(freemius, emulator)
  const declined = await press(address, 'decline')
  const again = new URL(declined.headers.get('location') ?? '', emulator.url)
  expect(await (await fetch(again)).text()).toContain('Your card was declined')
  expect((await press(address, 'cancel')).headers.get('location')).toBe('https://shop.example/sorry')
  expect(await freemius.api.user.retrieveByEmail(ADA)).toBeNull()
  expect((await press(again.href, 'pay')).status).toBe(303)
  expect(emulator.licenses).toHaveLength(1)
})

test('an e-mail address in the link cannot be changed; without one the page requires it', async () => {
  const { emulator, freemius } = await startFreemius()
  const fixed = await press(await readLink(freemius, emulator), 'pay', { email: 'eve@example.com' })
  expect(new URL(fixed.headers.get('location') ?? '').searchParams.get('email')).toBe(ADA)
  const open = `${emulator.url}/product/${ACME.productId}/?plan_id=501&pricing_id=601&billing_cycle=monthly`
  expect((await press(open, 'pay')).status).toBe(422)
  const bought = await press(open, 'pay', { email: 'eve@example.com' })
  expect(new URL(bought.headers.get('location') ?? '').searchParams.get('email')).toBe('eve@example.com')
})

test('a user is identified by e-mail address, and may have only one subscription unless manySubscriptions is set', async () => {
  const { emulator, freemius } = await startFreemius()
  const first = await buy(freemius, emulator)
  const again = await readLink(freemius, emulator, { price: PRICES.annual, email: 'Ada@Example.com' })
  expect((await press(again, 'pay')).status).toBe(409)
  emulator.manySubscriptions = true
  const second = await freemius.checkout.processRedirect((await press(again, 'pay')).headers.get('location') ?? '')
  expect(second?.user_id).toBe(first.user)
  expect(second?.license_id).not.toBe(first.license)
})

test('a cancelled subscription does not prevent another', async () => {
  const { emulator, freemius } = await startFreemius()
  const { subscription } = await buy(freemius, emulator)
  await freemius.api.subscription.cancel(subscription)
  await buy(freemius, emulator, { price: PRICES.annual })
  expect(emulator.licenses).toHaveLength(2)
})

test.each([
  ['another plan', { plan_id: '999' }],
  ['another pricing', { pricing_id: '999' }],
  ['a currency that the pricing is not in', { currency: 'gbp' }],
  ['a currency that Freemius does not have', { currency: 'jpy' }],
  ['a billing cycle that it does not have', { billing_cycle: 'weekly' }],
  ['an invalid sandbox token', { sandbox: 'f'.repeat(32) }],
])('a link with %s sells nothing', async (_, more) => {
  const { emulator, freemius } = await startFreemius()
  const address = await readLink(freemius, emulator, { more })
  expect((await fetch(address)).status).toBe(404)
  expect((await press(address, 'pay')).status).toBe(404)
  expect(emulator.licenses).toEqual([])
})

test('an unknown product sells nothing', async () => {
  const { emulator } = await startFreemius()
  expect((await fetch(`${emulator.url}/product/9999/?plan_id=501`)).status).toBe(404)
})

test('a purchase without the sandbox is live', async () => {
  const { emulator, freemius } = await startFreemius()
  const { license } = await buy(freemius, emulator, { sandbox: false })
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ environment: 0 })
})

test('paying later leaves a subscription whose first payment is in the future', async () => {
  const { emulator, freemius } = await startFreemius()
  const answer = await press(await readLink(freemius, emulator), 'later')
  const info = await freemius.checkout.processRedirect(answer.headers.get('location') ?? '')
  const subscription = await freemius.api.subscription.retrieve(info?.subscription_id ?? '')
  expect(subscription).toMatchObject({ canceled_at: null, outstanding_balance: 9.99, total_gross: 0 })
  const wait = Date.parse(`${subscription?.next_payment}Z`) - Date.parse(`${subscription?.created}Z`)
  expect(wait).toBeLessThan(86_400_000)
  expect(await freemius.api.user.retrievePayments(info?.user_id ?? '')).toEqual([])
  await emulator.renew(subscription?.id ?? '')
  expect(await freemius.api.user.retrievePayments(info?.user_id ?? '')).toMatchObject([
    { type: 'payment', gross: 9.99 },
  ])
  const trial = await readLink(freemius, emulator, { price: PRICES.trial })
  expect((await press(trial, 'later')).status).toBe(400)
})
