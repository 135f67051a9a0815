import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { ACME, buy, getId, press, sdk, startReceiver, startStripe, subscriptionOrder } from './fixture.ts'

const RETURN = 'https://shop.example/account?a=1&b=2'

/** A customer with a subscription, and its portal. */
async function openPortal(stripe: Stripe, order: Stripe.Checkout.SessionCreateParams = {}) {
  const session = await buy(stripe, subscriptionOrder(order))
  const customer = getId(session.customer)
  const portal = await stripe.billingPortal.sessions.create({ customer, return_url: RETURN })
  return { portal, customer, subscription: getId(session.subscription) }
}

const show = async ({ url }: { url: string }) => (await fetch(url)).text()

test('returns a portal session to the official SDK', async () => {
  const { emulator, stripe } = await startStripe()
  const { portal, customer } = await openPortal(stripe)
  expect(portal).toMatchObject({ object: 'billing_portal.session', customer, return_url: RETURN, livemode: false })
  expect(portal.url).toBe(`${emulator.url}/p/session/${portal.id}`)
})

test('refuses an unknown customer, a customer of another account, and invalid parameters', async () => {
  const other = { ...ACME, paywallId: '1002', secretKey: 'sk_test_other_0123456789' }
  const { emulator, stripe } = await startStripe({ accounts: [ACME, other] })
  const { customer } = await openPortal(stripe)
  const open = (parameters: Stripe.BillingPortal.SessionCreateParams, secretKey = ACME.secretKey) =>
    sdk(emulator, secretKey).billingPortal.sessions.create(parameters)
  const missing = { statusCode: 400, code: 'resource_missing', param: 'customer' }
  await expect(open({ customer: 'cus_nobody' })).rejects.toMatchObject(missing)
  await expect(open({ customer }, other.secretKey)).rejects.toMatchObject(missing)
  await expect(open({})).rejects.toMatchObject({ statusCode: 400, code: 'parameter_missing', param: 'customer' })
  await expect(open({ customer, return_url: 'javascript:alert(1)' })).rejects.toMatchObject({ code: 'url_invalid' })
})

test('shows the subscription, its renewal date, its invoices and the return link', async () => {
  const { emulator, stripe } = await startStripe()
  const { portal, subscription } = await openPortal(stripe)
  await emulator.renew(subscription)
  const page = await show(portal)
  const { items } = await stripe.subscriptions.retrieve(subscription)
  const renews = new Date((items.data[0]?.current_period_end ?? 0) * 1000)
  const day = renews.toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
  for (const shown of ['Monthly', '$9.99 per month', 'active', `Renews</dt><dd>${day}`, 'Cancel subscription']) {
    expect(page).toContain(shown)
  }
  expect(page.match(/<td>paid<\/td><td>\$9\.99<\/td>/g)).toHaveLength(2)
  expect(page).toContain('href="https://shop.example/account?a=1&amp;b=2"')
})

test('runs no script and escapes text from outside', async () => {
  const prices = ACME.prices.map((price) => ({ ...price, label: '<script>alert(1)</script>' }))
  const { stripe } = await startStripe({ accounts: [{ ...ACME, prices }] })
  const { portal } = await openPortal(stripe)
  const answer = await fetch(portal.url)
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await answer.text()
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;')
})

test('cancels at the end of the period, undoes that, and reports both', async () => {
  const receiver = await startReceiver()
  const { emulator, stripe } = await startStripe({ serviceUrl: receiver.url })
  const { portal, subscription } = await openPortal(stripe)
  await emulator.drainWebhooks()
  const before = receiver.deliveries.length

  const answer = await press(portal, 'cancel')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/p/session/${portal.id}`])
  const scheduled = await stripe.subscriptions.retrieve(subscription)
  expect(scheduled).toMatchObject({ status: 'active', cancel_at_period_end: false })
  expect(scheduled.cancel_at).toBe(scheduled.items.data[0]?.current_period_end)
  const page = await show(portal)
  expect(page).toContain('Ends</dt>')
  expect(page).toContain('Keep subscription')

  expect((await press(portal, 'undo', { subscription })).status).toBe(303)
  expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({ cancel_at: null, canceled_at: null })
  await emulator.drainWebhooks()
  const types = receiver.deliveries.slice(before).map(({ event }) => event.type)
  expect(types).toEqual(['customer.subscription.updated', 'customer.subscription.updated'])
})

test('undoes a cancellation that was made through the API, too', async () => {
  const { stripe } = await startStripe()
  const { portal, subscription } = await openPortal(stripe)
  await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
  await press(portal, 'undo')
  const kept = await stripe.subscriptions.retrieve(subscription)
  expect(kept).toMatchObject({ cancel_at_period_end: false, cancel_at: null })
})

test('shows an error for an action that is not possible', async () => {
  const { emulator, stripe } = await startStripe()
  const { portal, subscription } = await openPortal(stripe)
  const shown = async (action: string, fields?: Record<string, string>) => {
    const answer = await press(portal, action, fields)
    return `${answer.status} ${/role="alert">([^<]*)/.exec(await answer.text())?.[1]}`
  }
  expect(await shown('undo')).toBe('409 This subscription is not cancelled.')
  expect(await shown('refund')).toBe('400 Choose one of the buttons.')
  expect(await shown('cancel', { subscription: 'sub_nobody' })).toBe('400 Choose a subscription.')
  await press(portal, 'cancel')
  expect(await shown('cancel')).toBe('409 This subscription is already cancelled.')
  await emulator.end(subscription)
  expect(await shown('cancel', { subscription })).toBe('409 This subscription has ended.')
  expect(await show(portal)).not.toContain('<button')
})

test('cancels the named one of several subscriptions', async () => {
  const { stripe } = await startStripe()
  const { portal, customer, subscription } = await openPortal(stripe)
  const { customer_email: _, ...order } = subscriptionOrder()
  const second = getId((await buy(stripe, { ...order, customer })).subscription)
  expect((await press(portal, 'cancel')).status).toBe(400)
  await press(portal, 'cancel', { subscription: second })
  expect((await stripe.subscriptions.retrieve(second)).cancel_at).not.toBeNull()
  expect((await stripe.subscriptions.retrieve(subscription)).cancel_at).toBeNull()
})

test("refuses to cancel another customer's subscription", async () => {
  const { stripe } = await startStripe()
  const [one, other] = [await openPortal(stripe), await openPortal(stripe, { customer_email: 'bob@example.com' })]
  expect((await press(one.portal, 'cancel', { subscription: other.subscription })).status).toBe(400)
  expect((await stripe.subscriptions.retrieve(other.subscription)).cancel_at).toBeNull()
})

test('returns 404 for an unknown or expired portal URL', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stripe-portal-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const statePath = join(folder, 'stripe.json')
  const first = await startStripe({ statePath })
  const { portal, subscription } = await openPortal(first.stripe)
  expect((await fetch(`${first.emulator.url}/p/session/bps_nobody`)).status).toBe(404)
  await first.emulator.close()

  const state = JSON.parse(await readFile(statePath, 'utf8'))
  for (const session of state.portalSessions) session.created -= 3601
  await writeFile(statePath, JSON.stringify(state))
  const { emulator, stripe } = await startStripe({ statePath })
  const late = { url: portal.url.replace(first.emulator.url, emulator.url) }
  expect((await press(late, 'cancel', { subscription })).status).toBe(404)
  expect(await show(late)).toContain('This link has expired')
  expect((await stripe.subscriptions.retrieve(subscription)).cancel_at).toBeNull()
})
