import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { ACME, buy, getId, paymentOrder, press, startStripe } from './fixture.ts'

/** Stripe with one price, and an order of it. */
async function startWithPrice(currency: string, amount: number) {
  const price = {
    id: 'price_1',
    label: 'Lifetime',
    currency: currency.toLowerCase(),
    amount,
    interval: null,
    intervalCount: null,
  }
  const started = await startStripe({ accounts: [{ ...ACME, prices: [price] }] })
  return { ...started, order: paymentOrder({ line_items: [{ price: 'price_1', quantity: 1 }] }) }
}

describe('an amount is read in the units that Stripe documents', () => {
  test.each([
    ['USD', 999, '$9.99'],
    ['HUF', 399_050, 'HUF 3,990.50'],
    ['TWD', 30_050, 'NT$300.50'],
    ['JPY', 980, '¥980'],
    ['MGA', 45_000, 'MGA 45,000'],
    ['KWD', 4250, 'KWD 4.250'],
    ['ISK', 129_000, 'ISK 1,290.00'],
    ['UGX', 3_600_000, 'UGX 36,000.00'],
  ])('%s %i', async (currency, amount, text) => {
    const { stripe, order } = await startWithPrice(currency, amount)
    const session = await stripe.checkout.sessions.create(order)
    expect(session).toMatchObject({ currency: currency.toLowerCase(), amount_total: amount })
    const page = await (await fetch(session.url ?? '')).text()
    expect(page.replaceAll('\u00a0', ' ')).toContain(text)
  })
})

test.each([
  ['UGX', 3_600_050, 'Currency UGX has become effectively zero-decimal'],
  ['ISK', 1290, 'must be evenly divisible by 100'],
  ['KWD', 5124, 'The last digit of an amount in KWD must be 0'],
  ['IQD', 5000, 'Invalid currency: iqd. Stripe currently supports these currencies: usd, aed'],
])('refuses a price of %s %i', async (currency, amount, message) => {
  const { emulator, stripe, order } = await startWithPrice(currency, amount)
  const refused = await stripe.checkout.sessions.create(order).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError)
  expect(refused).toMatchObject({ statusCode: 400, param: 'line_items[0][price]' })
  expect(String(refused)).toContain(message)
  expect(emulator.checkoutSessions).toEqual([])
})

test('refuses to refund an amount that could not be charged', async () => {
  const { stripe, order } = await startWithPrice('ISK', 129_000)
  const paid = await buy(stripe, order)
  const createRefund = (amount: number) => stripe.refunds.create({ payment_intent: getId(paid.payment_intent), amount })
  await expect(createRefund(50)).rejects.toThrow('must be evenly divisible by 100')
  expect(await createRefund(29_000)).toMatchObject({ amount: 29_000, currency: 'isk' })
  expect(await createRefund(100_000)).toMatchObject({ amount: 100_000 })
})

test('the portal shows an amount in the same units', async () => {
  const price = { id: 'price_1', label: 'Monthly', currency: 'isk', amount: 129_000, interval: 'month' as const }
  const { stripe } = await startStripe({ accounts: [{ ...ACME, prices: [{ ...price, intervalCount: 1 }] }] })
  const order = { ...paymentOrder({ line_items: [{ price: 'price_1', quantity: 1 }] }), mode: 'subscription' as const }
  const session = await stripe.checkout.sessions.create(order)
  await press(session, 'pay')
  const customer = getId((await stripe.checkout.sessions.retrieve(session.id)).customer)
  const portal = await stripe.billingPortal.sessions.create({ customer, return_url: 'https://shop.example/account' })
  const page = await (await fetch(portal.url)).text()
  expect(page.replaceAll('\u00a0', ' ')).toContain('ISK 1,290.00')
})
