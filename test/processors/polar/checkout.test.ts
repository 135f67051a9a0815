import { describe, expect, test } from 'vitest'
import type { CheckoutOptions } from '../../../lib/processors/checkout-options.ts'
import { ACME, MONTHLY, press, UNKNOWN } from './emulator/fixture.ts'
import { ADA, BOB, getOrder, lifetime, openShop } from './shop.ts'

describe('a hosted page', () => {
  test('that is declined or cancelled is undecided until it expires', async () => {
    const shop = await openShop()
    const { pageId, url } = await shop.adapter.openCheckout(getOrder())
    await press({ url }, 'decline')
    expect((await press({ url }, 'cancel')).headers.get('location')).toBe(getOrder().errorUrl)
    expect(await shop.readSnapshot({ kind: 'page', id: pageId })).toMatchObject({
      found: null,
      isUndecided: true,
      todo: null,
    })
    await shop.moveTo(new Date(Date.now() + 25 * 3_600_000))
    expect(await shop.readSnapshot({ kind: 'page', id: pageId })).toMatchObject({
      found: null,
      isUndecided: false,
      todo: null,
    })
  })

  test('is opened a second time by a repeated call, because Polar has no idempotency keys', async () => {
    const shop = await openShop()
    const [one, other] = [await shop.adapter.openCheckout(getOrder()), await shop.adapter.openCheckout(getOrder())]
    expect(one.pageId).not.toBe(other.pageId)
  })

  test('is undecided if it is not found, since a read may lag behind it, and is ignored if it lacks our metadata', async () => {
    const shop = await openShop()
    expect(await shop.readSnapshot({ kind: 'page', id: UNKNOWN })).toMatchObject({
      found: null,
      isUndecided: true,
      todo: null,
    })
    expect(await shop.adapter.observe({ kind: 'payment', id: UNKNOWN })).toBeNull()
    expect(await shop.adapter.observe({ kind: 'subscription', id: UNKNOWN })).toBeNull()
    const theirs = await shop.polar.checkouts.create({ products: [MONTHLY], customer_email: 'eve@buyers.dev' })
    await press(theirs, 'pay')
    expect(await shop.readSnapshot({ kind: 'page', id: theirs.id })).toMatchObject({
      found: null,
      isUndecided: false,
      todo: null,
    })
  })
})

describe('the options of a page', () => {
  test('with promotion_codes, and without it, a buyer can enter a code, which reduces the charge', async () => {
    const shop = await openShop()
    await shop.emulator.setPromotionCodes(ACME.paywallId, { SAVE20: 20 })
    for (const options of [{}, { promotion_codes: true }]) {
      const { purchase } = await shop.buy({ ...lifetime, options }, { promotion_code: 'save20' })
      expect(purchase).toMatchObject({ charged: 3920, unitAmount: 4900 })
    }
  })

  test('with promotion_codes: false no code can be entered', async () => {
    const shop = await openShop()
    await shop.emulator.setPromotionCodes(ACME.paywallId, { SAVE20: 20 })
    const order = { ...lifetime, options: { promotion_codes: false } }
    const { url, pageId } = await shop.adapter.openCheckout(getOrder(order))
    expect(await (await fetch(url)).text()).not.toContain('Promotion code')
    expect(await shop.polar.checkouts.get(pageId)).toMatchObject({ allow_discount_codes: false })
    const { purchase } = await shop.buy(order, { promotion_code: 'SAVE20' })
    expect(purchase).toMatchObject({ charged: 4900 })
  })

  test('the page has the language of locale; without it, that of the browser', async () => {
    const shop = await openShop()
    const readLocale = async (options: CheckoutOptions) => {
      const { pageId } = await shop.adapter.openCheckout(getOrder({ options }))
      return (await shop.polar.checkouts.get(pageId)).locale
    }
    expect([await readLocale({ locale: 'pt-PT' }), await readLocale({})]).toEqual(['pt-PT', null])
  })
})

describe('a buyer', () => {
  test('becomes a customer at Polar with our user id, and later checkouts use the customer id', async () => {
    const shop = await openShop()
    const { purchase } = await shop.buy(lifetime)
    expect(shop.sent[0]?.body).toMatchObject({ external_customer_id: ADA, customer_email: 'ada@buyers.dev' })
    const { purchase: second } = await shop.buy({ ...lifetime, customer: purchase.customer })
    expect(second.customer).toBe(purchase.customer)
    const again = shop.sent.filter(({ method }) => method === 'POST').at(-1)?.body
    expect(again).toMatchObject({ customer_id: purchase.customer })
    expect(again).not.toHaveProperty('external_customer_id')
  })

  test('may have no e-mail address: the page asks for it', async () => {
    const shop = await openShop()
    const { purchase } = await shop.buy({ email: null }, { email: 'ada@acme.dev' })
    expect(purchase).toMatchObject({ buyerEmail: 'ada@acme.dev', customer: expect.any(String) })
  })

  test.each([UNKNOWN, 'cus_of_another_processor'])(
    'is created again if the account does not have %s',
    async (customer) => {
      const shop = await openShop()
      const { purchase } = await shop.buy({ customer })
      expect(purchase.customer).not.toBe(customer)
      expect(shop.sent.map(({ method, body }) => [method, Object(body).customer_id]).slice(0, 2)).toEqual([
        ['POST', customer],
        ['POST', undefined],
      ])
    },
  )

  test('is created again and asked for another e-mail address if the account has no such customer and rejects the address', async () => {
    const shop = await openShop()
    const { purchase } = await shop.buy({ customer: UNKNOWN, email: 'ada@example.com' }, { email: 'ada@acme.dev' })
    expect(purchase).toMatchObject({ buyerEmail: 'ada@acme.dev', customer: expect.any(String) })
    expect(shop.sent.slice(0, 3).map(({ body }) => body)).toMatchObject([
      { customer_id: UNKNOWN },
      { external_customer_id: ADA, customer_email: 'ada@example.com' },
      { external_customer_id: ADA },
    ])
    expect(shop.sent[2]?.body).not.toHaveProperty('customer_email')
  })

  test('keeps its customer when users are merged: the customer has the first one’s id', async () => {
    const shop = await openShop()
    const { purchase } = await shop.buy()
    const { purchase: later } = await shop.buy({ userId: BOB, customer: purchase.customer })
    expect(later.customer).toBe(purchase.customer)
    expect(await shop.adapter.openPortal?.(later.customer!, 'https://shop.example/')).toContain('/portal/')
  })

  test('cannot check out with the access token of an account that was replaced', async () => {
    const other = { ...ACME, paywallId: '2001', accessToken: 'polar_oat_other_0123456789' }
    const shop = await openShop([other])
    await expect(shop.adapter.openCheckout(getOrder())).rejects.toMatchObject({ kind: 'misconfigured' })
  })
})
