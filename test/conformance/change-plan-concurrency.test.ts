import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Changed } from '../../functions/change-plan/contract.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { call } from '../support/call.ts'
import { getPriceId, press } from '../support/checkout.ts'
import { buy, expectStoredAsAtProcessor, newEvents, readState } from './buyer.ts'
import { paysEveryChangeOnPage } from './drivers/plans.ts'
import { paymentEvents } from './money.ts'
import { useShops } from './shop.ts'

const getShop = useShops()

const AT = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.changesPlan !== 'never')

describe.each(AT)('%s', (acquiring) => {
  test('200 calls at once leave one subscription at the new price, and charge for it once', async () => {
    const buyer = await buy(getShop(acquiring))
    const { shop, userId } = buyer
    const { world, paywall, key } = shop
    const body = { userId, priceId: getPriceId(paywall, 'plus') }
    const replies = await Promise.all(
      Array.from({ length: 200 }, () =>
        call(world, `/api/v1/paywall/${paywall.id}/change-plan`, {
          key,
          headers: { 'idempotency-key': randomUUID() },
          body,
        }),
      ),
    )
    const outcomes = new Set(
      replies.map(({ status, body }) => (status === 200 ? '200' : `${status} ${(body as { error: string }).error}`)),
    )
    expect(outcomes).toContain('200')
    expect(['200', '409 plan_change_in_progress', '409 price_unchanged']).toEqual(expect.arrayContaining([...outcomes]))
    if (paysEveryChangeOnPage(acquiring)) {
      const page = replies.find(({ status }) => status === 200)!
      await press(Changed.parse(page.body).checkoutUrl!, 'pay')
    }
    const events = await newEvents(buyer)
    expect(events.filter((type) => type === 'subscription.plan_changed')).toHaveLength(1)
    expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus' }])
    const paid = (await paymentEvents(buyer)).filter(({ type }) => type === 'payment.succeeded')
    const [, difference, ...others] = paid.map(({ amount }) => amount)
    expect(difference).toBeGreaterThan(990)
    expect(difference).toBeLessThanOrEqual(1000)
    expect(others).toEqual([])
    await expectStoredAsAtProcessor(buyer)
  })
})
