import { describe, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../../support/checkout.ts'
import { getStripe } from '../../support/stripe-purchase.ts'
import { type Subscriber, subscribe } from '../../support/subscriber.ts'
import { tenant } from '../../support/tenants.ts'
import { userState } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

// Stripe bills a customer in one currency at a time. The monthly price is 9.99 USD, and 399 INR in India.

const world = useTestWorld()

const subscribeInDollars = () => subscribe(world, tenant(world.file))

/** A checkout of a user in a country, whatever it has bought before. */
async function checkoutFrom(country: string, { token }: Pick<Subscriber, 'token'>, headers = {}) {
  const body = { priceId: getPriceId(world.paywall, 'monthly'), ignoreActivePurchase: true }
  return parseOpened(await startCheckout(world, { paywall: world.paywall, token, country, body, headers }))
}

/** The page of a checkout as Stripe has it. */
const getPage = (checkoutUrl: string) => world.stripe.checkoutSessions.find(({ url }) => url === checkoutUrl)

/** The customer of each page that Stripe was asked to open for a user; null for none. */
const requestedCustomers = ({ id }: Subscriber) =>
  world.stripe.calls
    .filter(({ path, body }) => path === '/v1/checkout/sessions' && body.client_reference_id === id)
    .map(({ body }) => body.customer ?? null)

describe('a buyer who has bought in dollars', () => {
  test.each(['active', 'ended'])(
    'and whose subscription is %s gets a page in rupees, and its own portal',
    async (state) => {
      const buyer = await subscribeInDollars()
      if (state === 'ended') await world.stripe.end(buyer.subscriptionId)
      await world.stripe.drainWebhooks()
      const { checkoutUrl } = await checkoutFrom('IN', buyer)
      expect(getPage(checkoutUrl)).toMatchObject({ currency: 'inr', customer_email: buyer.email })
      await payAndReturn(world, checkoutUrl)
      await world.stripe.drainWebhooks()
      const { purchases } = await userState(world, buyer.id)
      expect(purchases.map(({ currency, status }) => [currency, status])).toEqual([
        ['INR', 'active'],
        ['USD', state === 'active' ? 'active' : 'canceled'],
      ])

      const portal = await call(world, `/api/v1/paywall/${world.paywall.id}/get-customer-portal`, {
        method: 'POST',
        token: buyer.token,
      })
      expect(portal).toMatchObject({ status: 200 })
      const page = await (await fetch(Object(portal.body).url)).text()
      expect(page.replaceAll('\u00a0', ' ')).toContain('₹399')
    },
  )

  test('and leaves a page in dollars open gets one in rupees, and the first is closed', async () => {
    const buyer = await subscribeInDollars()
    await world.stripe.end(buyer.subscriptionId)
    await world.stripe.drainWebhooks()
    const dollars = await checkoutFrom('US', buyer)
    expect(getPage(dollars.checkoutUrl)).toMatchObject({ status: 'open', customer: buyer.customer })
    const id = getPage(dollars.checkoutUrl)?.id
    const rupees = await checkoutFrom('IN', buyer)
    expect(getPage(rupees.checkoutUrl)).toMatchObject({ currency: 'inr', status: 'open' })
    await expect
      .poll(() => world.stripe.checkoutSessions.find((page) => page.id === id))
      .toMatchObject({ status: 'expired' })
  })

  test('is one customer per currency, however often the currency changes', async () => {
    const buyer = await subscribeInDollars()
    const customers: unknown[] = []
    for (const country of ['IN', 'US', 'IN', 'US']) {
      const { checkoutUrl } = await checkoutFrom(country, buyer)
      const page = getPage(checkoutUrl)
      await payAndReturn(world, checkoutUrl)
      customers.push(world.stripe.checkoutSessions.find(({ id }) => id === page?.id)?.customer)
    }
    const [rupees] = customers
    expect(customers).toEqual([rupees, buyer.customer, rupees, buyer.customer])
    expect(requestedCustomers(buyer)).toEqual([null, null, buyer.customer, rupees, buyer.customer])
  })

  test("and whose customer Stripe rejects for the owner's own session becomes another customer, with one more call", async () => {
    const buyer = await subscribeInDollars()
    await world.stripe.end(buyer.subscriptionId)
    await world.stripe.drainWebhooks()
    const { customer } = buyer
    const page = { success_url: 'https://a.example/', cancel_url: 'https://a.example/', mode: 'subscription' } as const
    await getStripe(world).checkout.sessions.create({
      ...page,
      line_items: [{ price: 'price_monthly_inr', quantity: 1 }],
      customer,
    })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { checkoutUrl } = await checkoutFrom('US', buyer, headers)
    expect(getPage(checkoutUrl)).toMatchObject({ currency: 'usd', customer: null, customer_email: buyer.email })
    expect(requestedCustomers(buyer)).toEqual([null, customer, null])
    expect((await checkoutFrom('US', buyer, headers)).checkoutUrl).toBe(checkoutUrl)
    expect(requestedCustomers(buyer)).toHaveLength(3)
  })
})

test('a new buyer can change the currency before paying', async () => {
  const { paywall, key } = world
  const body = { email: newEmail() }
  parseOpened(await startCheckout(world, { paywall, key, body: { ...body, country: 'US' } }))
  const second = parseOpened(await startCheckout(world, { paywall, key, body: { ...body, country: 'IN' } }))
  expect(getPage(second.checkoutUrl)).toMatchObject({ currency: 'inr', status: 'open' })
})
