import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly, paywallFile, writtenWebhooks, yearly } from '../support/paywall-file.ts'
import { getStripe } from '../support/stripe-purchase.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// `settings.checkout` of the paywall file, at Stripe, which has all of its options.

const world = useTestWorld()

const LIFETIME = { slug: 'lifetime', label: 'For ever', currency: 'USD', amount: 49, processorPrice: 'price_lifetime' }
const SETTINGS = { tokenization_queries: [{ type: 'standard' }] }

/** A paywall with these options, whose events reach the world's receiver. */
async function paywallWith(checkout: Record<string, unknown>): Promise<Tenant> {
  const paywall = { settings: { ...SETTINGS, checkout }, prices: [monthly(), yearly(), LIFETIME] }
  const file = await paywallFile({ webhooks: writtenWebhooks(world.file), paywall })
  await world.apply(file)
  return tenant(file)
}

/** Opens a page, and finds the session that Stripe has for it. */
async function open({ paywall, key }: Tenant, slug = 'monthly', email = newEmail()) {
  const body = { email, priceId: getPriceId(paywall, slug), ignoreActivePurchase: true }
  const { checkoutUrl, userId } = parseOpened(await startCheckout(world, { paywall, key, body }))
  const session = () =>
    world.stripe.checkoutSessions.find(({ url, id }) => url === checkoutUrl || checkoutUrl.endsWith(id))
  return { checkoutUrl, userId, email, session }
}

/** Presses a button after entering `fields`. Resolves to the status of the response. */
async function enter(checkoutUrl: string, fields: Record<string, string>): Promise<number> {
  const body = new URLSearchParams({ action: 'pay', ...fields })
  const response = await fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
  await response.body?.cancel()
  return response.status
}

const show = async (url: string) => (await fetch(url)).text()

/** The amounts of a user's completed checkouts and payments, as the owner hears of them. */
async function paidAmounts(userId: string) {
  await world.stripe.drainWebhooks()
  const events = await ownerEvents(world, userId)
  return events.flatMap(({ type, data }) => {
    if (type === 'checkout.completed') return [`${type} ${data.checkout?.amount}`]
    return type.startsWith('payment.') ? [`${type} ${data.payment?.amount}`] : []
  })
}

const readState = ({ paywall, key }: Tenant, userId: string) => userState(world, userId, { paywallId: paywall.id, key })

test('without options a page asks for nothing else, in the language of the browser, at the price of the file', async () => {
  const { checkoutUrl, session } = await open(world)
  expect(session()).toMatchObject({
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: null,
    automatic_tax: { enabled: false },
    consent_collection: null,
    locale: null,
    payment_method_collection: 'always',
  })
  expect(await show(checkoutUrl)).not.toMatch(/Promotion code|Tax ID|terms of service/)
})

test('terms: a buyer must accept them to pay', async () => {
  const { checkoutUrl, userId, session } = await open(await paywallWith({ terms: true }))
  expect(await enter(checkoutUrl, {})).toBe(422)
  expect(await enter(checkoutUrl, { consent: 'on' })).toBe(303)
  expect(session()).toMatchObject({ consent: { terms_of_service: 'accepted' } })
  expect(await paidAmounts(userId)).toEqual(['checkout.completed 999', 'payment.succeeded 999'])
})

test('promotion_codes: what a code leaves is charged and reported', async () => {
  const shop = await paywallWith({ promotion_codes: true })
  await world.stripe.setPromotionCodes(shop.paywall.id, { SAVE20: 20 })
  const { checkoutUrl, userId } = await open(shop)
  expect(await enter(checkoutUrl, { promotion_code: 'SAVE20' })).toBe(303)
  expect(await paidAmounts(userId)).toEqual(['checkout.completed 799', 'payment.succeeded 799'])
  expect((await readState(shop, userId)).purchases).toMatchObject([{ unit_amount: 999 }])
})

test('automatic_tax and tax_ids: a tax is added, and a known customer can enter a tax id as well', async () => {
  const shop = await paywallWith({ automatic_tax: true, tax_ids: true })
  await world.stripe.setTerms(shop.paywall.id, { taxPercent: 20, percentOff: 0 })
  const first = await open(shop, 'lifetime')
  expect(await enter(first.checkoutUrl, { tax_id: 'DE123456789' })).toBe(303)
  expect(first.session()).toMatchObject({ customer_details: { tax_ids: [{ value: 'DE123456789' }] } })
  expect(await paidAmounts(first.userId)).toEqual(['checkout.completed 5880', 'payment.succeeded 5880'])

  const subscriber = await open(shop)
  await press(subscriber.checkoutUrl, 'pay')
  await world.stripe.drainWebhooks()
  await until('the purchase has a customer', async () => {
    const { rows } = await world.database.query('select from purchases where user_id = $1', [subscriber.userId])
    return rows.length === 1
  })
  const again = await open(shop, 'lifetime', subscriber.email)
  expect(again.session()).toMatchObject({ customer: expect.stringMatching(/^cus_/), automatic_tax: { enabled: true } })
})

test('invoices: a one-time purchase has one, is reported once, and can be refunded', async () => {
  const shop = await paywallWith({ invoices: true })
  const { checkoutUrl, userId, session } = await open(shop, 'lifetime')
  await press(checkoutUrl, 'pay')
  const stripe = getStripe({ ...world, paywall: shop.paywall })
  const { invoice, payment_intent: payment } = Object(session())
  expect(await stripe.invoices.retrieve(String(invoice))).toMatchObject({ status: 'paid', amount_paid: 4900 })
  expect(await paidAmounts(userId)).toEqual(['checkout.completed 4900', 'payment.succeeded 4900'])

  await world.stripe.refund(String(payment))
  expect((await paidAmounts(userId)).slice(2)).toEqual(['payment.refunded 4900'])
  expect((await readState(shop, userId)).purchases).toMatchObject([{ status: 'refunded' }])
})

test('invoices: a subscription, which has them anyway, is sold as without the option', async () => {
  const { checkoutUrl } = await open(await paywallWith({ invoices: true }))
  expect(await press(checkoutUrl, 'pay')).toContain('/success')
})

test('trial_without_card: nothing is charged, and access ends with the trial', async () => {
  const shop = await paywallWith({ trial_without_card: true })
  const { checkoutUrl, userId, session } = await open(shop, 'yearly')
  expect(session()).toMatchObject({ payment_method_collection: 'if_required' })
  await press(checkoutUrl, 'pay')
  await world.stripe.drainWebhooks()
  expect(await readState(shop, userId)).toMatchObject({ paid: true, purchases: [{ status: 'trialing' }] })

  await world.clock.advance(shop.paywall.id, '7d')
  await world.stripe.drainWebhooks()
  expect(await readState(shop, userId)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
  expect(await paidAmounts(userId)).toEqual(['checkout.completed 0'])
})

test('trial_without_card: a price without a trial is paid as without the option', async () => {
  const { session } = await open(await paywallWith({ trial_without_card: true }))
  expect(session()).toMatchObject({ payment_method_collection: 'always' })
})

test('locale and adaptive_pricing are those of the page', async () => {
  const { session } = await open(await paywallWith({ locale: 'pt-BR', adaptive_pricing: true }))
  expect(session()).toMatchObject({ locale: 'pt-BR', adaptive_pricing: { enabled: true } })
})

test('a retry after the options were edited gets the page of the first attempt', async () => {
  const shop = await paywallWith({ locale: 'de' })
  const { paywall, key, file } = shop
  const headers = { 'idempotency-key': randomUUID() }
  const call = { paywall, key, headers, body: { email: newEmail() } }
  world.stripe.onCall = async (_, run) => {
    await run()
    throw new DroppedCall()
  }
  expect(await startCheckout(world, call)).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  world.stripe.onCall = undefined
  const lost = world.stripe.checkoutSessions.length

  const edited = { ...paywall, settings: { ...paywall.settings, checkout: { locale: 'fr' } } }
  await world.apply({ ...file, paywalls: [edited] })
  const { checkoutUrl } = parseOpened(await startCheckout(world, call))
  expect(world.stripe.checkoutSessions).toHaveLength(lost)
  expect(world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)).toMatchObject({ locale: 'de' })
  expect((await open(shop)).session()).toMatchObject({ locale: 'fr' })
})
