import { describe, expect, test } from 'vitest'
import { ACQUIRING, type Acquiring } from '../../lib/processors/acquiring.ts'
import { buy, happens, passes, stateOf, tokensOf } from './buyer.ts'
import { paymentEvents, refundsInLedger, spend, unheard } from './money.ts'
import { useShops } from './shop.ts'
import { webhooksSince } from './webhook.ts'

// Money that goes back, and may come again: what the owner hears of it, and what becomes of the tokens that it has paid for.

/** The paywall in the second place leaves buyers their tokens. */
const shopOf = useShops(2, (sold, place) =>
  place === 0 ? sold : { ...sold, settings: { ...(sold.settings as object), keep_tokens_on_refund: true } },
)

/** Where a refund that was made may be sent back. */
const SENDS_BACK: Acquiring[] = ['stripe', 'polar', 'chargebee', 'mollie']

describe.each(SENDS_BACK)('%s', (acquiring) => {
  test('a refund that fails later is told, and exactly the tokens that it took return, once', async () => {
    const shop = shopOf(acquiring)
    const since = webhooksSince(shop)
    const buyer = await buy(shop)
    await spend(buyer, 30)
    expect(await happens(buyer, shop.there.refund)).toEqual(['payment.refunded 999'])
    expect(await tokensOf(buyer)).toBe(0)
    expect(await happens(buyer, shop.there.failRefund)).toEqual(['payment.refund_failed 999'])
    expect(await tokensOf(buyer)).toBe(70)
    for (const { id } of since()) await shop.emulator.resend(id)
    await passes(buyer, '8d')
    expect(await refundsInLedger(buyer)).toEqual([-70, 70])
  })

  test('a refund that failed later is found by reconcile if nobody tells of it', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, shop.there.refund)
    expect(await tokensOf(buyer)).toBe(0)
    await unheard(buyer, shop.there.failRefund)
    expect(await passes(buyer, '8d')).toEqual(['payment.refund_failed 999'])
    expect(await tokensOf(buyer)).toBe(100)
    expect(await passes(buyer, '8d')).toEqual([])
  })
})

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('a payment and its refunds are one payment, and each event says what went back and whether that is all', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, (id) => shop.there.refund(id, 300))
    await happens(buyer, (id) => shop.there.refund(id, 200))
    const { purchases } = await stateOf(buyer)
    const payments = await paymentEvents(buyer)
    const ids = (payments[0] ?? {}) as Record<string, unknown>
    expect(String(ids.id)).toMatch(/^[0-9a-f-]{36}$/)
    const same = {
      ...{ id: ids.id, processor_id: ids.processor_id, purchase_id: purchases[0]?.id, purchase_status: 'active' },
      ...{ price_slug: 'monthly', currency: 'USD', refunded: false },
    }
    expect(payments).toMatchObject([
      { ...same, type: 'payment.succeeded', amount: 999, refunded_amount: 0 },
      { ...same, type: 'payment.refunded', amount: 300, refunded_amount: 300 },
      { ...same, type: 'payment.refunded', amount: 200, refunded_amount: 500 },
    ])
    await happens(buyer, shop.there.refund)
    expect((await paymentEvents(buyer)).at(-1)).toMatchObject({
      ...same,
      amount: 499,
      refunded_amount: 999,
      refunded: true,
    })
  })

  test('a second payment is another one', async () => {
    const shop = shopOf(acquiring)
    const buyer = await buy(shop)
    await happens(buyer, shop.there.renew)
    await happens(buyer, shop.there.refund)
    const [first, second, back] = await paymentEvents(buyer)
    expect(second?.id).not.toBe(first?.id)
    expect(back).toMatchObject({ type: 'payment.refunded', id: second?.id, refunded_amount: 999, refunded: true })
    expect(await tokensOf(buyer)).toBe(100)
  })

  test('with `keep_tokens_on_refund` a refund takes no tokens', async () => {
    const buyer = await buy(shopOf(acquiring, 1))
    expect(await happens(buyer, buyer.shop.there.refund)).toEqual(['payment.refunded 999'])
    expect(await tokensOf(buyer)).toBe(100)
  })
})
