import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { ACME, buy, getId, paymentOrder, press, startStripe, subscriptionOrder } from './fixture.ts'

const DAY = 24 * 3600
const show = async (session: { url: string | null }) => (await fetch(session.url ?? '')).text()

/** A trial of a week without a payment method. */
const TRIAL: Stripe.Checkout.SessionCreateParams = {
  payment_method_collection: 'if_required',
  subscription_data: {
    trial_period_days: 7,
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
  },
}

async function startTrial() {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(subscriptionOrder(TRIAL))
  const page = await show(session)
  await press(session, 'pay')
  const { subscription, customer } = await stripe.checkout.sessions.retrieve(session.id)
  const passTrial = () => emulator.moveTo(ACME.paywallId, emulator.currentTime(ACME.paywallId) + 8 * DAY)
  const types = () => emulator.events.map(({ type }) => type)
  return { emulator, stripe, page, id: getId(subscription), customer: getId(customer), passTrial, types }
}

test('shows none of the options unless they are requested', async () => {
  const { stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(paymentOrder())
  expect(session).toMatchObject({
    allow_promotion_codes: null,
    automatic_tax: { enabled: false, status: null },
    consent_collection: null,
    invoice_creation: null,
    locale: null,
  })
  expect(session.tax_id_collection).toBeUndefined()
  expect(await show(session)).not.toMatch(/Promotion code|Tax ID|terms of service/)
})

test('sells only to buyers who accept the terms of service', async () => {
  const { stripe } = await startStripe()
  const consent_collection = { terms_of_service: 'required' } as const
  const session = await stripe.checkout.sessions.create(subscriptionOrder({ consent_collection }))
  expect(session).toMatchObject({ consent_collection, consent: { terms_of_service: null } })
  for (const action of ['pay', 'later']) expect((await press(session, action)).status).toBe(422)
  expect((await press(session, 'pay', { consent: 'on' })).status).toBe(303)
  const paid = await stripe.checkout.sessions.retrieve(session.id)
  expect(paid).toMatchObject({ status: 'complete', consent: { terms_of_service: 'accepted' } })
})

test('takes a tax id, and leaves it out if there is none', async () => {
  const { stripe } = await startStripe()
  const order = subscriptionOrder({ tax_id_collection: { enabled: true } })
  const session = await stripe.checkout.sessions.create(order)
  await press(session, 'pay', { tax_id: 'DE123456789' })
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    tax_id_collection: { enabled: true },
    customer_details: { tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }] },
  })
  expect(await buy(stripe, order)).toMatchObject({ customer_details: { tax_ids: [] } })
})

test('takes a promotion code off every charge, and refuses an unknown one', async () => {
  const { emulator, stripe } = await startStripe()
  await emulator.setPromotionCodes(ACME.paywallId, { SAVE20: 20 })
  const session = await stripe.checkout.sessions.create(subscriptionOrder({ allow_promotion_codes: true }))
  expect((await press(session, 'pay', { promotion_code: 'NONE' })).status).toBe(422)
  await press(session, 'pay', { promotion_code: 'save20' })
  const paid = await stripe.checkout.sessions.retrieve(session.id)
  expect(paid).toMatchObject({
    amount_subtotal: 999,
    amount_total: 799,
    discounts: [{ promotion_code: expect.stringMatching(/^promo_/) }],
  })
  await emulator.renew(getId(paid.subscription))
  const { latest_invoice } = await stripe.subscriptions.retrieve(getId(paid.subscription), {
    expand: ['latest_invoice'],
  })
  expect(latest_invoice).toMatchObject({ billing_reason: 'subscription_cycle', amount_paid: 799 })

  const without = await stripe.checkout.sessions.create(subscriptionOrder())
  await press(without, 'pay', { promotion_code: 'SAVE20' })
  expect(await stripe.checkout.sessions.retrieve(without.id)).toMatchObject({ amount_total: 999 })
})

test('charges taxes if the session says so', async () => {
  const { emulator, stripe } = await startStripe()
  await emulator.setTerms(ACME.paywallId, { taxPercent: 20, percentOff: 0 })
  const taxed = await buy(stripe, subscriptionOrder({ automatic_tax: { enabled: true } }))
  expect(taxed).toMatchObject({ automatic_tax: { enabled: true, status: 'complete' }, amount_total: 1199 })
  expect(await buy(stripe, subscriptionOrder())).toMatchObject({ amount_total: 999 })
})

test('keeps the language of the page', async () => {
  const { stripe } = await startStripe()
  expect(await stripe.checkout.sessions.create(subscriptionOrder({ locale: 'pt-BR' }))).toMatchObject({
    locale: 'pt-BR',
  })
})

test('makes an invoice of a one-time payment, which belongs to no subscription', async () => {
  const { emulator, stripe } = await startStripe()
  const paid = await buy(stripe, paymentOrder({ invoice_creation: { enabled: true } }))
  const invoice = await stripe.invoices.retrieve(getId(paid.invoice))
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: 4900, parent: null, billing_reason: 'manual' })
  expect(invoice.lines.data).toMatchObject([{ amount: 4900, pricing: { price_details: { price: 'price_once' } } }])
  const payment = { type: 'payment_intent', payment_intent: getId(paid.payment_intent) } as const
  const { data } = await stripe.invoicePayments.list({ payment })
  expect(data).toMatchObject([{ invoice: invoice.id, amount_paid: 4900 }])
  const events = emulator.events.map(({ type }) => type)
  expect(events.slice(-2)).toEqual(['checkout.session.completed', 'invoice.paid'])
  expect((await buy(stripe, paymentOrder())).invoice).toBeNull()
})

test('makes the invoice of a delayed payment once it has arrived', async () => {
  const { emulator, stripe } = await startStripe()
  const session = await stripe.checkout.sessions.create(paymentOrder({ invoice_creation: { enabled: true } }))
  await press(session, 'later')
  const waiting = await stripe.checkout.sessions.retrieve(session.id)
  expect(waiting.invoice).toBeNull()
  await emulator.resolvePayment(getId(waiting.payment_intent))
  expect((await stripe.checkout.sessions.retrieve(session.id)).invoice).toMatch(/^in_/)
  expect(emulator.events.at(-1)).toMatchObject({ type: 'invoice.paid' })
})

test('starts a trial without a payment method, and cancels it at its end', async () => {
  const { stripe, page, id, passTrial, types } = await startTrial()
  expect(page).toContain('Start trial')
  expect(page).not.toContain('value="decline"')
  const trial = await stripe.subscriptions.retrieve(id)
  expect(trial).toMatchObject({
    status: 'trialing',
    cancel_at: null,
    trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
  })
  await passTrial()
  const ended = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  expect(ended).toMatchObject({ status: 'canceled', ended_at: trial.trial_end, latest_invoice: { amount_paid: 0 } })
  expect(types().slice(-2)).toEqual(['customer.subscription.trial_will_end', 'customer.subscription.deleted'])
})

test('continues a trial whose buyer has added a card in the portal', async () => {
  const { stripe, id, customer, passTrial } = await startTrial()
  const portal = await stripe.billingPortal.sessions.create({ customer })
  expect(await show(portal)).toContain('Add a card')
  await press(portal, 'addCard')
  expect(await show(portal)).not.toContain('Add a card')
  await passTrial()
  expect(await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })).toMatchObject({
    status: 'active',
    latest_invoice: { amount_paid: 999 },
  })
})

test.each<[string, Partial<Stripe.Checkout.SessionCreateParams>, 'subscription' | 'payment', string]>([
  ['an invoice of a subscription', { invoice_creation: { enabled: true } }, 'subscription', 'enable invoice creation'],
  [
    'a page for one payment that needs no card',
    { payment_method_collection: 'if_required' },
    'payment',
    'only set `payment_method_collection` in `subscription` mode',
  ],
  ['an update of no customer', { customer_update: { name: 'auto' } }, 'payment', 'can only be used with `customer`'],
  ['an unknown language', { locale: 'xx' }, 'payment', 'Invalid locale'],
])('refuses %s', async (_, more, mode, message) => {
  const { stripe } = await startStripe()
  const order = mode === 'payment' ? paymentOrder(more) : subscriptionOrder(more)
  await expect(stripe.checkout.sessions.create(order)).rejects.toThrow(message)
})

test('demands updates of a known customer for taxes and tax ids', async () => {
  const { stripe } = await startStripe()
  const customer = getId((await buy(stripe, subscriptionOrder())).customer)
  const { customer_email: _, ...order } = subscriptionOrder({ customer })
  const create = (more: Partial<Stripe.Checkout.SessionCreateParams>) =>
    stripe.checkout.sessions.create({ ...order, ...more })
  const tax = { automatic_tax: { enabled: true } }
  const taxIds = { tax_id_collection: { enabled: true } }
  await expect(create(tax)).rejects.toMatchObject({ code: 'customer_tax_location_invalid' })
  await expect(create(taxIds)).rejects.toThrow('set `customer_update[name]` to `auto`')
  expect(await create({ ...tax, ...taxIds, customer_update: { name: 'auto', address: 'auto' } })).toBeTruthy()
})

test('refuses taxes and consent that the account is not set up for', async () => {
  const { emulator, stripe } = await startStripe()
  await emulator.setStripeTax(ACME.paywallId, false)
  await emulator.setTermsOfService(ACME.paywallId, null)
  const create = (more: Partial<Stripe.Checkout.SessionCreateParams>) =>
    stripe.checkout.sessions.create(paymentOrder(more))
  await expect(create({ automatic_tax: { enabled: true } })).rejects.toThrow('valid head office address')
  await expect(create({ consent_collection: { terms_of_service: 'required' } })).rejects.toThrow(
    'unless a URL is set in the Stripe Dashboard',
  )
})
