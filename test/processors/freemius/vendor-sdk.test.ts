import { expect, test } from 'vitest'
import { freemiusAdapter } from '../../../lib/processors/freemius/adapter.ts'
import { ADA, PRICES, sdkOver } from './emulator/fixture.ts'
import { CREDENTIALS, order } from './fixture.ts'

// Compares what the official SDK sends with what the adapter sends, for the same call.

interface Sent {
  method: string
  url: string
  query: Record<string, string>
  authorization: string | null
  contentType: string | null
  body: unknown
}

/** A `fetch` that replies with the given bodies, by the end of the path, and records the requests. */
function recorder(replies: Record<string, unknown>) {
  const sent: Sent[] = []
  const send = async (...[input, init]: Parameters<typeof fetch>) => {
    const request = new Request(input, init)
    const { origin, pathname, searchParams } = new URL(request.url)
    const text = await request.text()
    sent.push({
      method: request.method,
      url: `${origin}${pathname}`,
      query: Object.fromEntries(searchParams),
      authorization: request.headers.get('authorization'),
      contentType: request.headers.get('content-type'),
      body: text === '' ? null : JSON.parse(text),
    })
    const [, reply] = Object.entries(replies).find(([end]) => pathname.endsWith(end)) ?? []
    return Response.json(reply ?? {}, { status: reply === undefined ? 404 : 200 })
  }
  return { sent, send: send as typeof fetch }
}

const LICENSE = {
  id: '31',
  created: '2026-11-01 10:00:00',
  user_id: '11',
  plan_id: '501',
  pricing_id: '601',
  expiration: '2026-12-01 10:00:00',
  is_cancelled: false,
  environment: 1,
}
const SUBSCRIPTION = {
  id: '41',
  created: '2026-11-01 10:00:00',
  license_id: '31',
  currency: 'usd',
  billing_cycle: 1,
  environment: 1,
  renewal_amount: 9.99,
  next_payment: '2026-12-01 10:00:00',
  canceled_at: null,
}
const REPLIES = {
  '/licenses/31.json': LICENSE,
  '/licenses/31/subscription.json': SUBSCRIPTION,
  '/users/11/payments.json': { payments: [] },
  '/users/11/licenses.json': { licenses: [LICENSE] },
  '/users/11/subscriptions.json': { subscriptions: [SUBSCRIPTION] },
  '/users/11.json': { id: '11', email: ADA },
  '/users.json': { users: [{ id: '11', email: ADA }] },
  '/portal/login.json': { token: 't', link: 'https://customers.freemius.com/t' },
}

const NOW = new Date('2026-11-05T12:00:00Z')

function both(replies: Record<string, unknown> = REPLIES) {
  const [ours, theirs] = [recorder(replies), recorder(replies)]
  const adapter = freemiusAdapter(CREDENTIALS, { base: null, fetch: ours.send, now: () => NOW, isTest: true })
  return { ours: ours.sent, theirs: theirs.sent, adapter, freemius: sdkOver(theirs.send) }
}

const byUrl = (sent: Sent[]) => sent.toSorted((one, other) => (one.url < other.url ? -1 : 1))

/** The SDK requests more of a user than we need. */
const withoutFields = (sent: Sent[]) =>
  byUrl(sent).map(({ query: { fields: _, ...query }, ...rest }) => ({ ...rest, query }))

test('a purchase is read with the calls of the SDK', async () => {
  const { ours, theirs, adapter, freemius } = both()
  await adapter.observe({ kind: 'subscription', id: '31' })
  await freemius.api.license.retrieve('31')
  await freemius.api.license.retrieveSubscription('31')
  await freemius.api.user.retrieve('11')
  await freemius.api.user.retrievePayments('11')
  expect(theirs).toHaveLength(4)
  expect(theirs[0]?.url).toBe('https://fast-api.freemius.com/v1/products/7001/licenses/31.json')
  expect(withoutFields(ours)).toEqual(withoutFields(theirs))
})

test('a buyer is looked up with the calls of the SDK', async () => {
  const { ours, theirs, adapter, freemius } = both()
  const openedAt = new Date('2026-11-01T09:59:59Z')
  const found = await adapter.observe({
    kind: 'page',
    id: 'c',
    sale: { email: ADA, processorPrice: '501:601', interval: 'month' as const, openedAt, sold: [] },
  })
  expect(found?.license.id).toBe('31')
  await freemius.api.user.retrieveByEmail(ADA)
  await freemius.api.user.retrieveLicenses('11')
  await freemius.api.user.retrieveSubscriptions('11')
  expect(withoutFields(ours.slice(0, 3))).toEqual(withoutFields(theirs))
})

test('a subscription is cancelled with the call of the SDK', async () => {
  const { ours, theirs, adapter, freemius } = both()
  await adapter.cancelAtPeriodEnd('31', 'too dear & slow, ä')
  await freemius.api.__unstable_ApiClient.DELETE('/products/{product_id}/licenses/{license_id}/subscription.json', {
    params: {
      path: { product_id: 7001, license_id: 31 },
      query: { reason: 'too dear & slow, ä', reason_ids: [15] },
    },
    querySerializer: { array: { explode: false, style: 'form' } },
  })
  expect(ours[0]).toEqual(theirs[0])
  expect(theirs[0]).toMatchObject({ method: 'DELETE', query: { reason_ids: '15' }, body: null })
})

test("the portal is opened, and its user's purchases are read before, with the calls of the SDK", async () => {
  const { ours, theirs, adapter, freemius } = both()
  expect(await adapter.openPortal?.('11', 'https://shop.example')).toBe('https://customers.freemius.com/t')
  await freemius.api.user.retrieveLicenses('11')
  await freemius.api.user.retrieveSubscriptions('11')
  await freemius.api.user.retrieveHostedCustomerPortal('11')
  expect(ours).toEqual(theirs)
})

test('an invoice is downloaded with the call of the SDK', async () => {
  const { ours, theirs, adapter, freemius } = both({ '/payments/51/invoice.pdf': {} })
  await expect(adapter.openReceipt?.({ id: '51', customer: '11' })).rejects.toThrow(
    'freemius: unexpected response: not a PDF',
  )
  await freemius.api.user.retrieveInvoice('11', '51')
  expect(ours).toEqual(theirs)
})

test('an offer is read with the calls of the SDK', async () => {
  const offer = { currency: 'usd', monthly_price: 9.99 }
  const { ours, theirs, adapter, freemius } = both({
    '/pricing/603.json': offer,
    '/plans/502.json': { trial_period: 7 },
  })
  await adapter.openCheckout(order(PRICES.trial))
  const path = { product_id: 7001, plan_id: 502, pricing_id: 603 }
  const api = freemius.api.__unstable_ApiClient
  await api.GET('/products/{product_id}/plans/{plan_id}/pricing/{pricing_id}.json', { params: { path } })
  await api.GET('/products/{product_id}/plans/{plan_id}.json', { params: { path } })
  expect(byUrl(ours)).toEqual(byUrl(theirs))
})

/** The query of a link, without the fields that the SDK leaves empty. */
const getQuery = (link: string) =>
  Object.fromEntries([...new URL(link).searchParams].filter(([, value]) => value !== ''))

test.each([
  ['a monthly price', PRICES.monthly, 'monthly'],
  ['an annual price', PRICES.annual, 'annual'],
  ['a lifetime price', PRICES.lifetime, 'lifetime'],
  ['a price in another currency', PRICES.euro, 'monthly'],
  ['a trial', PRICES.trial, 'monthly'],
] as const)('the link of %s is the one that the SDK builds', async (_, price, cycle) => {
  const amounts = { monthly_price: 1, annual_price: 1, lifetime_price: 1 }
  const offer = { currency: price.currency.toLowerCase(), ...amounts }
  const { adapter, freemius } = both({
    [`/pricing/${price.id.split(':')[1]}.json`]: offer,
    [`/plans/${price.id.split(':')[0]}.json`]: { trial_period: 7 },
  })
  const { url } = await adapter.openCheckout(order(price, { email: 'ada+1@example.com' }))
  const [planId = '', pricingId = ''] = price.id.split(':')
  const theirs = await freemius.checkout.create({
    user: { email: 'ada+1@example.com' },
    planId,
    withRecommendation: false,
    ...(price.trialDays > 0 && { trial: 'paid' }),
  })
  theirs.setPricing(pricingId).setBillingCycle(cycle).setCancelButton(order().errorUrl).setLanguage('auto')
  const link = new URL(theirs.getLink())
  const { s_ctx_ts, sandbox, ...ours } = getQuery(url)
  expect(url.split('?')[0]).toBe('https://checkout.freemius.com/product/7001/')
  expect(url.split('?')[0]).toBe(`${link.origin}${link.pathname}`)
  expect(ours).toEqual({
    ...getQuery(link.href),
    currency: price.currency.toLowerCase(),
    // Hides what the buyer could otherwise choose.
    hide_licenses: '1',
    disable_licenses_selector: '1',
    show_upsells: '0',
    show_inline_currency_selector: '0',
  })
  expect(s_ctx_ts).toBe(String(NOW.getTime() / 1000))
  expect(sandbox).toMatch(/^[0-9a-f]{32}$/)
})

test.each([
  ['de-DE', 'de_DE'],
  [undefined, 'auto'],
])('the language %s is that which the SDK writes', async (locale, language) => {
  const { adapter, freemius } = both({ '/pricing/601.json': { currency: 'usd', monthly_price: 9.99 } })
  const { url } = await adapter.openCheckout(order(PRICES.monthly, { options: locale === undefined ? {} : { locale } }))
  const checkout = await freemius.checkout.create({ planId: '501', withRecommendation: false })
  const { language: written } = getQuery(checkout.setLanguage(language).getLink())
  expect(written).toBe(language)
  expect(getQuery(url)).toMatchObject({ language: written })
})

test('the link of an offer has the coupon as the SDK writes it, and reads that coupon', async () => {
  const offer = { currency: 'usd', monthly_price: 1, annual_price: 1, lifetime_price: 1 }
  const coupons = [{ code: 'SPRING', discount: 50, discount_type: 'percentage', is_active: true }]
  const { adapter, freemius, ours, theirs } = both({ '/pricing/601.json': offer, '/coupons.json': { coupons } })
  const { url } = await adapter.openCheckout(order(PRICES.monthly, { discount: 'SPRING' }))
  await freemius.api.__unstable_ApiClient.GET('/products/{product_id}/coupons.json', {
    params: { path: { product_id: 7001 }, query: { code: 'SPRING', count: 50, offset: 0 } },
  })
  expect(ours.find(({ url: called }) => called.endsWith('/coupons.json'))).toEqual(theirs[0])
  const checkout = await freemius.checkout.create({ planId: '501', withRecommendation: false })
  const { coupon, hide_coupon } = getQuery(checkout.setCoupon({ code: 'SPRING', hideUI: true }).getLink())
  expect(coupon).toBe('SPRING')
  expect(getQuery(url)).toMatchObject({ coupon, hide_coupon })
})

test('the sandbox token is the one that the SDK builds', async () => {
  const { freemius } = both()
  const { ctx, token } = await freemius.checkout.getSandboxParams()
  const { send } = recorder({ '/pricing/601.json': { currency: 'usd', monthly_price: 9.99 } })
  const at = () => new Date(Number(ctx) * 1000)
  const adapter = freemiusAdapter(CREDENTIALS, { base: null, fetch: send, now: at, isTest: true })
  const { url } = await adapter.openCheckout(order())
  expect(getQuery(url)).toMatchObject({ s_ctx_ts: ctx, sandbox: token })
  const real = freemiusAdapter(CREDENTIALS, { base: null, fetch: send, now: at, isTest: false })
  expect(getQuery((await real.openCheckout(order())).url)).not.toHaveProperty('sandbox')
})
