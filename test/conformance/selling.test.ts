import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getPriceId, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import {
  buy,
  cancelThroughApi,
  canPay,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  newEvents,
  open,
  order,
  pay,
  pressAndReturn,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { getDriver } from './drivers/drivers.ts'
import { getProcessor, SHOP_NAMES } from './drivers/shop-names.ts'
import { useShops } from './shop.ts'

const getShop = useShops()
const DAY_MS = 86_400_000

const daysUntil = (time: unknown) => (Date.parse(String(time)) - Date.now()) / DAY_MS

describe.each(SHOP_NAMES)('%s', (name) => {
  test('a buyer who pays gets a subscription, its tokens and access, and the owner gets each event once', async () => {
    const buyer = await open(getShop(name))
    expect((await readState(buyer)).purchases).toEqual([])
    buyer.shop.emulator.holdWebhooks()
    await pay(buyer)
    // The return stores the purchase without webhooks. A browser is redirected after 2.5 s even if that takes longer.
    await until('the purchase is stored', async () => (await readState(buyer)).paid)
    expect(await readState(buyer)).toMatchObject({ purchases: [{ status: 'active', acquiring: buyer.shop.acquiring }] })
    await buyer.shop.emulator.sendHeldWebhooks()
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 999', 'subscription.created'])
    expect(await readPurchase(buyer)).toMatchObject({
      price_slug: 'monthly',
      interval: 'month',
      interval_count: 1,
      unit_amount: 999,
      currency: 'USD',
      trial_end: null,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
    })
    const days = daysUntil((await readPurchase(buyer))?.current_period_end)
    expect(days > 27 && days < 34, `${days} days`).toBe(true)
    expect(await readTokens(buyer)).toBe(100)
    await expectStoredAsAtProcessor(buyer)
  })

  test.each(['decline', 'cancel'] as const)(
    'a checkout page that ends with %s sells nothing, and another one can be opened',
    async (button) => {
      const shop = getShop(name)
      const buyer = await open(shop)
      const landedOn = await pressAndReturn(buyer, button)
      if (button === 'cancel') expect(landedOn).toContain('https://owner.example/sorry')
      expect(landedOn ?? 'still on the page').not.toContain('/thanks')
      // If a page is a single payment, it ends when that is declined; otherwise the buyer can try another card.
      const hasFailed = button === 'decline' && landedOn !== null
      const failed = hasFailed ? [{ status: 'canceled' }] : []
      expect(await newEvents(buyer)).toEqual(hasFailed ? ['payment.failed 999'] : [])
      expect(await readState(buyer)).toMatchObject({ paid: false, purchases: failed })
      await pay(await open(shop, 'monthly', { email: buyer.email }))
      expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }, ...failed] })
    },
  )

  test('a trial is free, gives access, and its subscription is charged when it ends', async () => {
    const buyer = await open(getShop(name), 'yearly')
    await pay(buyer)
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'subscription.created'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'trialing', unit_amount: 8900 }] })
    const days = daysUntil((await readPurchase(buyer))?.trial_end)
    expect(days > 6.9 && days < 7.1, `${days} days`).toBe(true)
    await expectStoredAsAtProcessor(buyer)

    expect(await causeAtProcessor(buyer, buyer.shop.account.renew)).toEqual([
      'payment.succeeded 8900',
      'subscription.renewed',
    ])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', interval: 'year' })
    expect(daysUntil((await readPurchase(buyer))?.current_period_end)).toBeGreaterThan(364)
  })

  test('a trial has the requested length if the processor supports that', async () => {
    const shop = getShop(name)
    const refused = { status: 400, body: { error: 'Invalid trial_days' } }
    if (shop.capabilities.trialLength !== 'any') {
      expect(await order(shop, 'yearly', { body: { trial_days: 30 } })).toMatchObject(refused)
      const buyer = await buy(shop, 'yearly', { body: { trial_days: 0 } })
      expect(await readPurchase(buyer)).toMatchObject({ status: 'active', trial_end: null })
    }
    const trialDays = shop.capabilities.trialLength === 'any' ? 30 : 7
    const buyer = await buy(shop, 'yearly', { body: { trial_days: trialDays } })
    expect(Math.round(daysUntil((await readPurchase(buyer))?.trial_end))).toBe(trialDays)
  })

  test('a one-time purchase has no end', async () => {
    const { acquiring } = getShop(name)
    const buyer = await open(getShop(name), 'lifetime')
    await pay(buyer)
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 4900'])
    const withoutEnd = {
      interval: null,
      interval_count: null,
      current_period_end: null,
      trial_end: null,
      cancel_at: null,
    }
    const purchases = [{ status: 'active', acquiring, unit_amount: 4900, currency: 'USD', ...withoutEnd }]
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases })
  })

  test('a local price is charged in its own currency', async () => {
    const buyer = await open(getShop(name), 'monthly', { body: { country: 'DE' } })
    await pay(buyer)
    expect(await newEvents(buyer)).toContain('payment.succeeded 899')
    expect(await readPurchase(buyer)).toMatchObject({ unit_amount: 899, currency: 'EUR' })
  })

  test('concurrent and repeated requests with one Idempotency-Key open one page', async () => {
    const shop = getShop(name)
    const [headers, email] = [{ 'idempotency-key': randomUUID() }, `${randomUUID()}@buyers.dev`]
    const ask = () => order(shop, 'monthly', { headers, email })
    const replies = [...(await Promise.all([ask(), ask(), ask()])), await ask()]
    expect(new Set(replies.map((reply) => parseOpened(reply).checkoutUrl)).size).toBe(1)
    expect(replies.map(({ headers: { 'idempotency-replayed': replayed } }) => replayed ?? 'first').toSorted()).toEqual([
      'first',
      'true',
      'true',
      'true',
    ])
  })

  test('the older of two pages of one buyer is closed, or can be paid too if the processor cannot close pages', async () => {
    const shop = getShop(name)
    const older = await open(shop)
    const newer = await open(shop, 'monthly', { email: older.email })
    if (shop.capabilities.expiresPages) await expect.poll(() => canPay(older)).toBe(false)
    else expect(await canPay(older)).toBe(true)
    await pay(newer)
    const back = await press(older.checkoutUrl, 'pay')
    expect(back.startsWith(shop.world.url)).toBe(!shop.capabilities.expiresPages)
    await newEvents(newer)
    expect((await readState(newer)).purchases).toHaveLength(shop.capabilities.expiresPages ? 1 : 2)
  })

  test('a page can be paid once; a link can be paid again, which is another purchase', async () => {
    const buyer = await buy(getShop(name))
    await press(buyer.checkoutUrl, 'pay')
    const again = await newEvents(buyer)
    const { purchases } = await readState(buyer)
    if (buyer.shop.capabilities.pagesSellOnce) return expect([again, purchases]).toEqual([[], [expect.anything()]])
    expect(again).toEqual(['checkout.completed', 'payment.succeeded 999', 'subscription.created'])
    expect(purchases).toMatchObject([{ status: 'active' }, { status: 'active' }])
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
  })

  test('a checkout without an e-mail address is opened, or refused if the processor requires one', async () => {
    const { acquiring, world, paywall, capabilities } = getShop(name)
    const { token } = await signInAnonymously(world, { paywallId: paywall.id })
    const reply = await startCheckout(world, { paywall, token, body: { priceId: getPriceId(paywall, 'monthly') } })
    if (capabilities.sellsToAnonymous) expect(parseOpened(reply).acquiring).toBe(acquiring)
    else {
      expect(reply).toMatchObject({
        status: 400,
        body: { error: 'Missing required parameters: email', message: expect.stringContaining('Sign in') },
      })
    }
  })
})

test.each(SHOP_NAMES.filter((name) => getDriver(getProcessor(name).acquiring).refusesEmail !== null))(
  '%s: a checkout is opened without the e-mail address if the processor rejects it',
  async (name) => {
    const { acquiring, world, paywall, key, driver, emulator } = getShop(name)
    const { path, status, body } = driver.refusesEmail!
    const before = emulator.calls.length
    emulator.failNext(path, status, body)
    const email = `refused-${randomUUID()}@buyers.dev`
    const headers = { 'idempotency-key': randomUUID() }
    const order = { paywall, key, headers, body: { email, priceId: getPriceId(paywall, 'monthly') } }
    expect(parseOpened(await startCheckout(world, order)).acquiring).toBe(acquiring)
    const asked = emulator.calls.slice(before).filter((call) => call.method === 'POST' && call.path === path)
    expect(asked.map((call) => JSON.stringify(call.body).includes(email))).toEqual([true, false])
    expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(
      asked.every(({ idempotencyKey }) => idempotencyKey === null) ? 1 : 2,
    )
  },
)
