import { describe, expect, test } from 'vitest'
import type { FileJson } from '../support/paywall-file.ts'
import {
  advanceClock,
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getSale,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { getProcessor, SHOP_NAMES } from './drivers/shop-names.ts'
import { failsRefunds } from './drivers/stopping.ts'
import { beforeWebhooksArrive, paymentEvents, refundsInLedger, spend } from './money.ts'
import { type Shop, useShops } from './shop.ts'
import { webhooksSince } from './webhook.ts'

const HOUR_MS = 3_600_000

// Refunds, including failed ones: the owner's events, and the tokens of the payment.

/** A one-time purchase credits 50 tokens. The second paywall has `keep_tokens_on_refund`. */
const getShop = useShops(2, (sold, index) => {
  const prices = (sold.prices as FileJson[]).map((price) =>
    price.slug === 'lifetime' ? { ...price, access: true, tokens: [{ type: 'standard', count: 50 }] } : price,
  )
  const settings = { ...(sold.settings as object), ...(index === 1 && { keep_tokens_on_refund: true }) }
  return { ...sold, prices, settings }
})

/** Sets `keep_tokens_on_refund`. */
async function setKeepTokensOnRefund({ world, paywall: { id } }: Shop): Promise<void> {
  const paywalls = world.file.paywalls.map((each) =>
    each.id === id ? { ...each, settings: { ...each.settings, keep_tokens_on_refund: true } } : each,
  )
  await world.apply({ ...world.file, paywalls })
}

describe.each(SHOP_NAMES)('%s', (name) => {
  test('a refund does not end a subscription: a partial one removes no tokens, a full one removes those of the period', async () => {
    const { account } = getShop(name)
    const buyer = await buy(getShop(name))
    expect(await causeAtProcessor(buyer, (id) => account.refund(id, 300))).toEqual(['payment.refunded 300'])
    expect(await readTokens(buyer)).toBe(100)
    expect(await causeAtProcessor(buyer, account.refund)).toEqual(['payment.refunded 699'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await readTokens(buyer)).toBe(0)
    await expectStoredAsAtProcessor(buyer)
  })
})

describe.each(SHOP_NAMES.filter((name) => failsRefunds(getProcessor(name).acquiring)))(
  '%s, where a refund can fail later:',
  (name) => {
    test('a refund that fails later emits an event, and restores exactly the tokens that it removed, once', async () => {
      const shop = getShop(name)
      const since = webhooksSince(shop)
      const buyer = await buy(shop)
      await spend(buyer, 30)
      expect(await causeAtProcessor(buyer, shop.account.refund)).toEqual(['payment.refunded 999'])
      expect(await readTokens(buyer)).toBe(0)
      expect(await causeAtProcessor(buyer, shop.account.failRefund)).toEqual(['payment.refund_failed 999'])
      expect(await readTokens(buyer)).toBe(70)
      for (const { id } of since()) await shop.emulator.resend(id)
      await advanceClock(buyer, '8d')
      expect(await refundsInLedger(buyer)).toEqual([-70, 70])
    })

    test('a failed refund restores the removed tokens, even if the owner has set `keep_tokens_on_refund` since', async () => {
      const shop = getShop(name)
      const buyer = await buy(shop)
      await causeAtProcessor(buyer, shop.account.refund)
      await setKeepTokensOnRefund(shop)
      await causeAtProcessor(buyer, shop.account.failRefund)
      await shop.world.apply(shop.world.file)
      expect(await refundsInLedger(buyer)).toEqual([-100, 100])
    })

    test.each([
      ['monthly', 'a week', '8d', 999, 100],
      ['lifetime', 'two days', '2d', 4900, 50],
    ] as const)(
      'a refund of a %s purchase that fails later without a webhook is found within %s',
      async (slug, _, span, amount, tokens) => {
        const shop = getShop(name)
        const buyer = await buy(shop, slug)
        await causeAtProcessor(buyer, shop.account.refund)
        await advanceClock(buyer, '26h')
        expect(await readTokens(buyer)).toBe(0)
        await beforeWebhooksArrive(buyer, shop.account.failRefund!)
        expect(await advanceClock(buyer, span)).toEqual([`payment.refund_failed ${amount}`])
        expect(await readTokens(buyer)).toBe(tokens)
        expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
        expect(await advanceClock(buyer, '8d')).toEqual([])
      },
    )

    test('a failed refund restores a one-time purchase and its tokens', async () => {
      const { account } = getShop(name)
      const buyer = await buy(getShop(name), 'lifetime')
      await causeAtProcessor(buyer, (id) => account.refund(id, 900))
      await causeAtProcessor(buyer, account.refund)
      expect(await causeAtProcessor(buyer, account.failRefund)).toEqual(['payment.refund_failed 4000'])
      expect([(await readState(buyer)).paid, await readTokens(buyer)]).toEqual([true, 50])
      expect((await paymentEvents(buyer)).at(-1)).toMatchObject({ refunded_amount: 900, refunded: false })
    })
  },
)

describe.each(SHOP_NAMES)('%s', (name) => {
  test('the events of a payment and its refunds have the same id, the refunded amount, and whether it is fully refunded', async () => {
    const shop = getShop(name)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, (id) => shop.account.refund(id, 300))
    await causeAtProcessor(buyer, (id) => shop.account.refund(id, 200))
    const { purchases } = await readState(buyer)
    const payments = await paymentEvents(buyer)
    const ids = (payments[0] ?? {}) as Record<string, unknown>
    expect(String(ids.id)).toMatch(/^[0-9a-f-]{36}$/)
    const same = {
      id: ids.id,
      processor_id: ids.processor_id,
      purchase_id: purchases[0]?.id,
      purchase_status: 'active',
      price_slug: 'monthly',
      currency: 'USD',
      refunded: false,
    }
    expect(payments).toMatchObject([
      { ...same, type: 'payment.succeeded', amount: 999, refunded_amount: 0 },
      { ...same, type: 'payment.refunded', amount: 300, refunded_amount: 300 },
      { ...same, type: 'payment.refunded', amount: 200, refunded_amount: 500 },
    ])
    await causeAtProcessor(buyer, shop.account.refund)
    expect((await paymentEvents(buyer)).at(-1)).toMatchObject({
      ...same,
      amount: 499,
      refunded_amount: 999,
      refunded: true,
    })
  })

  test('a second payment has its own id and refunds', async () => {
    const shop = getShop(name)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.renew)
    await causeAtProcessor(buyer, shop.account.refund)
    const [first, second, refund] = await paymentEvents(buyer)
    expect(second?.id).not.toBe(first?.id)
    expect(refund).toMatchObject({ type: 'payment.refunded', id: second?.id, refunded_amount: 999, refunded: true })
    expect(await readTokens(buyer)).toBe(100)
  })

  test('a refund of a renewal that was charged some hours early removes only the tokens of its own period', async () => {
    const { acquiring, world, paywall } = getShop(name)
    const buyer = await buy(getShop(name))
    const end = Date.parse(String((await readPurchase(buyer))?.current_period_end))
    const left = end - (await world.clock.now(paywall.id)).getTime()
    await advanceClock(buyer, `${Math.floor(left / HOUR_MS) - 5}h`)
    await causeAtProcessor(buyer, buyer.shop.account.renew)
    await causeAtProcessor(buyer, buyer.shop.account.refund)
    expect(await readTokens(buyer)).toBe(100)
    const [first] = (await getSale(buyer)).paid
    await causeAtProcessor(buyer, () => world[acquiring].refund(String(first)))
    expect(await refundsInLedger(buyer)).toEqual([-100, -100])
  })

  test('a one-time purchase and its tokens survive a partial refund, and end with a full one', async () => {
    const { account } = getShop(name)
    const buyer = await buy(getShop(name), 'lifetime')
    expect(await causeAtProcessor(buyer, (id) => account.refund(id, 900))).toEqual(['payment.refunded 900'])
    expect([(await readState(buyer)).paid, await readTokens(buyer)]).toEqual([true, 50])
    expect(await causeAtProcessor(buyer, account.refund)).toEqual(['payment.refunded 4000'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
    expect(await readTokens(buyer)).toBe(0)
  })

  test('with `keep_tokens_on_refund` a refund removes no tokens', async () => {
    const buyer = await buy(getShop(name, 1))
    expect(await causeAtProcessor(buyer, buyer.shop.account.refund)).toEqual(['payment.refunded 999'])
    expect(await readTokens(buyer)).toBe(100)
  })
})
