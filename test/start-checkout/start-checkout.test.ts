import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { buy, getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import { subscribe } from '../support/subscriber.ts'
import { startTenants, type Tenant, type Tenants, tenant } from '../support/tenants.ts'

let tenants: Tenants
/** An owner with a paywall on its own domain, and an additional one-time price. */
let domain: Tenant

beforeAll(async () => {
  tenants = await startTenants()
  const once = { slug: 'once', label: 'Once', currency: 'JPY', amount: 3000, processorPrice: 'price_once' }
  const prices = [monthly(), yearly(), once]
  domain = tenant(await paywallFile({ paywall: { domain: 'pay.acme.example', prices } }))
  await tenants.world.apply(domain.file)
})

afterAll(() => tenants.close())

const asOwner = (body: Record<string, unknown> = {}, { paywall, key }: Tenant = tenants.ours) =>
  startCheckout(tenants.world, { paywall, key, body })
const asUser = (token: string, body: Record<string, unknown> = {}, country = 'US') =>
  startCheckout(tenants.world, { paywall: tenants.ours.paywall, token, body, country })

/** The last hosted page that the processor was asked to open. */
function lastPageRequest() {
  const request = tenants.world.stripe.calls.findLast(({ path }) => path === '/v1/checkout/sessions')
  if (!request) throw new Error('no hosted page was requested')
  return request.body
}

/** Where the browser is redirected when it returns from the hosted page of a checkout. */
async function landing(reply: Awaited<ReturnType<typeof asOwner>>, action: 'pay' | 'cancel') {
  const back = await call(tenants.world, await press(parseOpened(reply).checkoutUrl, action))
  expect(back).toMatchObject({ status: 303 })
  return back.headers.location
}

describe('the response', () => {
  test('has the hosted URL, the user and the processor, and nothing else', async () => {
    const reply = await asOwner()
    expect(reply.body).toEqual({
      checkoutUrl: expect.stringContaining(`${tenants.world.stripe.url}/c/pay/cs_test_`),
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      acquiring: 'stripe',
    })
    expect(reply.status).toBe(200)
  })

  test('is for the same user with every spelling of the e-mail address', async () => {
    const email = newEmail()
    const first = parseOpened(await asOwner({ email }))
    const second = parseOpened(await asOwner({ email: `  ${email.toUpperCase()} ` }))
    expect(second.userId).toBe(first.userId)
    expect(lastPageRequest()).toMatchObject({ customer_email: email })
  })

  test("is for the token's user, whatever e-mail the body has", async () => {
    const reply = parseOpened(await asUser(tenants.member.token, { email: tenants.payer.email }))
    expect(reply.userId).toBe(tenants.member.id)
    expect(lastPageRequest()).toMatchObject({
      customer_email: tenants.member.email,
      client_reference_id: tenants.member.id,
    })
    expect((await asUser(tenants.member.token, { email: { no: 'address' } })).status).toBe(200)
  })

  test("passes the buyer's id at the processor once there is one", async () => {
    parseOpened(await asOwner({ email: tenants.payer.email, ignoreActivePurchase: true }))
    expect(lastPageRequest()).toMatchObject({ customer: expect.stringMatching(/^cus_/) })
    expect(lastPageRequest()).not.toHaveProperty('customer_email')
  })
})

test('after a change of the Stripe account a buyer becomes a new customer, which takes one more call', async () => {
  const { world } = tenants
  const shop = tenant(await paywallFile())
  await world.apply(shop.file)
  const calls = async (email: string) => {
    const before = world.stripe.calls.length
    parseOpened(await asOwner({ email, ignoreActivePurchase: true }, shop))
    const bodies = world.stripe.calls.slice(before).filter(({ path }) => path === '/v1/checkout/sessions')
    return bodies.map(({ body }) => ({ customer: body.customer, email: body.customer_email }))
  }
  const { email, customer } = await subscribe(world, shop)
  expect(await calls(email)).toEqual([{ customer }])

  const processor = {
    acquiring: 'stripe' as const,
    credentials: { secretKey: `sk_test_${randomUUID()}`, webhookSecret: `whsec_${randomUUID()}` },
  }
  await world.apply({ ...shop.file, paywalls: [{ ...shop.paywall, processor }] })
  expect(await calls(email)).toEqual([{ customer }, { email }])
  const other = newEmail()
  expect(await calls(other)).toEqual([{ email: other }])
})

test('the event of a paid checkout has shopUrl', async () => {
  const { userId } = await buy(tenants.world, { ...tenants.ours, body: { shopUrl: 'a shop, 12 Main St' } })
  const shopUrl = "select body::json #>> '{data,checkout,shop_url}' as shop_url from events where user_id = $1"
  const { rows } = await tenants.world.database.query(shopUrl, [userId])
  expect(rows).toContainEqual({ shop_url: 'a shop, 12 Main St' })
})

describe('the browser is redirected', () => {
  test('to the URLs of the call, with __SESSION__ replaced by our checkout id', async () => {
    const urls = {
      successUrl: 'https://a.example/?s=__SESSION__&t=__SESSION__#x',
      errorUrl: 'http://b.example:81/__SESSION__',
    }
    const id = '([0-9a-f-]{36})'
    expect(await landing(await asOwner(urls), 'pay')).toMatch(new RegExp(`^https://a\\.example/\\?s=${id}&t=\\1#x$`))
    expect(await landing(await asOwner(urls), 'cancel')).toMatch(new RegExp(`^http://b\\.example:81/${id}$`))
  })

  test("to the URLs of the paywall's settings if the call has none and the paywall has a domain", async () => {
    const none = { successUrl: undefined, errorUrl: undefined }
    expect(await landing(await asOwner(none, domain), 'pay')).toMatch(
      /^https:\/\/owner\.example\/thanks\?session=[0-9a-f-]{36}$/,
    )
    expect(await landing(await asOwner(none, domain), 'cancel')).toBe('https://owner.example/sorry')
  })

  test('via the host of the request', async () => {
    const { paywall, key } = domain
    await call(tenants.world, `https://pay.acme.example/api/v1/paywall/${paywall.id}/start-checkout`, {
      key,
      body: { email: newEmail(), priceId: getPriceId(paywall, 'monthly') },
    })
    expect(lastPageRequest()).toMatchObject({
      success_url: expect.stringMatching(/^https:\/\/pay\.acme\.example\/r\/[0-9a-f-]{36}\/success$/),
      cancel_url: expect.stringMatching(/^https:\/\/pay\.acme\.example\/r\/[0-9a-f-]{36}\/error$/),
    })
  })
})

describe('the page that is opened', () => {
  test.each([
    ["the price's own if trial_days is missing", {}, '7'],
    ["the price's own if trial_days is null", { trial_days: null }, '7'],
    ['another number of days', { trial_days: 30 }, '30'],
    ['730 days at most', { trial_days: 730 }, '730'],
    ['none if trial_days is 0', { trial_days: 0 }, undefined],
  ])('trial: %s', async (_name, body, days) => {
    parseOpened(await asOwner({ ...body, priceId: getPriceId(tenants.ours.paywall, 'yearly') }))
    const { mode, subscription_data: data } = lastPageRequest()
    expect({ mode, data }).toEqual({
      mode: 'subscription',
      data: { metadata: expect.anything(), ...(days && { trial_period_days: days }) },
    })
  })

  test('a one-time price is a payment, without a trial even if one is requested', async () => {
    parseOpened(await asOwner({ priceId: getPriceId(domain.paywall, 'once'), trial_days: 7 }, domain))
    expect(lastPageRequest()).toMatchObject({ mode: 'payment', line_items: [{ price: 'price_once' }] })
  })

  test('an owner gets the currency that it requests, if the price has it; its own country is ignored', async () => {
    const priceFor = async (body: Record<string, unknown>) => {
      parseOpened(
        await startCheckout(tenants.world, {
          paywall: tenants.ours.paywall,
          key: tenants.ours.key,
          country: 'IN',
          body,
        }),
      )
      return lastPageRequest().line_items
    }
    expect(await priceFor({})).toMatchObject([{ price: 'price_monthly' }])
    expect(await priceFor({ localCurrency: 'INR' })).toMatchObject([{ price: 'price_monthly_inr' }])
    expect(await priceFor({ localCurrency: 'inr' })).toMatchObject([{ price: 'price_monthly_inr' }])
    expect(await priceFor({ localCurrency: 'USD' })).toMatchObject([{ price: 'price_monthly' }])
    expect(await priceFor({ localCurrency: 'EUR' })).toMatchObject([{ price: 'price_monthly' }])
  })

  test('a Bearer user gets the price of its country, whatever it requests', async () => {
    parseOpened(await asUser(tenants.member.token, { localCurrency: 'USD' }, 'IN'))
    expect(lastPageRequest().line_items).toMatchObject([{ price: 'price_monthly_inr' }])
    parseOpened(await asUser(tenants.member.token, { localCurrency: 'INR' }, 'US'))
    expect(lastPageRequest().line_items).toMatchObject([{ price: 'price_monthly' }])
  })

  test('X-Client-Ip and X-Forwarded-For never change a price', async () => {
    const headers = { 'x-client-ip': '49.36.0.1', 'x-forwarded-for': '49.36.0.1' }
    parseOpened(
      await startCheckout(tenants.world, { paywall: tenants.ours.paywall, token: tenants.member.token, headers }),
    )
    expect(lastPageRequest().line_items).toMatchObject([{ price: 'price_monthly' }])
  })
})

describe('userMeta', () => {
  test("is merged field by field into the user's meta on this paywall", async () => {
    const email = newEmail()
    const meta = async ({ paywall, key }: Tenant) =>
      (await call(tenants.world, `/api/v1/paywall/${paywall.id}/user?email=${email}`, { key })).body
    parseOpened(await asOwner({ email, userMeta: { plan: 'a', nested: { one: 1 }, ref: 'x' } }))
    parseOpened(await asOwner({ email, userMeta: { plan: 'b', nested: { two: 2 }, list: [1] } }))
    parseOpened(await asOwner({ email }))
    expect(await meta(tenants.ours)).toMatchObject({ meta: { plan: 'b', nested: { two: 2 }, ref: 'x', list: [1] } })
    parseOpened(await asOwner({ email }, domain))
    expect(await meta(domain)).toMatchObject({ meta: {} })
  })

  test('may be 4 KB of JSON', async () => {
    expect(await asOwner({ userMeta: { note: 'x'.repeat(4096 - '{"note":""}'.length) } })).toMatchObject({
      status: 200,
    })
  })
})
