import { expect, test } from 'vitest'
import { MAX_QUANTITY } from '../../lib/http/input-limits.ts'
import { buy, getPriceId, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly, paywallFile, writtenWebhooks, yearly } from '../support/paywall-file.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// Several units of a price on one page, at Stripe.

const world = useTestWorld()

/** Sells per unit: 9.99 USD a month with 100 tokens, with two offers, and 89 USD a year after a trial with 5 tokens. */
async function newShop(): Promise<Tenant> {
  const trial = { tokens: [{ type: 'standard', count: 1000, trial_count: 5 }] }
  const prices = [monthly({ per_unit: true }), yearly({ per_unit: true, ...trial })]
  const common = { title: 'Spring', prices: ['monthly'] }
  const offers = [
    { id: 'two-off', discount: { amount: 2, currency: 'USD', periods: 1 }, processorDiscount: 'TWO_OFF', ...common },
    { id: 'half', discount: { percent: 50, periods: 1 }, processorDiscount: 'HALF_ONCE', ...common },
  ]
  const written = prices.map((price) => ({ ...price, locals: [] }))
  const file = await paywallFile({ webhooks: writtenWebhooks(world.file), paywall: { prices: written, offers } })
  await world.apply(file)
  return tenant(file)
}

/** Buys, and returns what the owner reads of the user, and what the event about the checkout shows. */
async function buyUnits(shop: Tenant, slug: string, body: Record<string, unknown>) {
  const { paywall, key } = shop
  const { userId } = await buy(world, { paywall, key, slug, body })
  await world.stripe.drainWebhooks()
  const { purchases } = await userState(world, userId, { paywallId: paywall.id, key })
  const { standard: tokens = 0 } = await verifiedBalances(world, userId)
  const completed = (await ownerEvents(world, userId)).find(({ type }) => type === 'checkout.completed')
  return { purchases, tokens, checkout: completed?.data.checkout }
}

test('an offer takes its amount off once for all units, and its percentage off each', async () => {
  const shop = await newShop()
  expect(await buyUnits(shop, 'monthly', { quantity: 3, offer: 'two-off' })).toMatchObject({
    purchases: [{ unit_amount: 999, quantity: 3, last_payment: { amount: 2797 } }],
    tokens: 300,
    checkout: { quantity: 3, amount: 2797 },
  })
  expect(await buyUnits(shop, 'monthly', { quantity: 3, offer: 'half' })).toMatchObject({
    purchases: [{ unit_amount: 999, quantity: 3, last_payment: { amount: 1498 } }],
    checkout: { quantity: 3, amount: 1498 },
  })
})

test('a trial of several units brings the trial tokens of each', async () => {
  expect(await buyUnits(await newShop(), 'yearly', { quantity: 4 })).toMatchObject({
    purchases: [{ status: 'trialing', unit_amount: 8900, quantity: 4 }],
    tokens: 20,
    checkout: { quantity: 4, amount: 0 },
  })
})

test('a user can buy the largest quantity', async () => {
  const { paywall, key } = await newShop()
  const { token } = await signIn(world, { paywallId: paywall.id, key })
  const body = { priceId: getPriceId(paywall, 'monthly'), quantity: MAX_QUANTITY }
  const { checkoutUrl, userId } = parseOpened(await startCheckout(world, { paywall, token, body }))
  await payAndReturn(world, checkoutUrl)
  expect(await verifiedBalances(world, userId)).toMatchObject({ standard: 1_000_000 })
})

test('a blank quantity is one unit', async () => {
  const { paywall, key } = await newShop()
  for (const quantity of ['', null, undefined, 1]) {
    const opened = parseOpened(await startCheckout(world, { paywall, key, body: { quantity } }))
    const session = world.stripe.checkoutSessions.find(({ url }) => url === opened.checkoutUrl)
    expect(session?.amount_total).toBe(999)
  }
})
