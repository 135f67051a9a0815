import { describe, expect, test } from 'vitest'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { type Buyer, buy, expectAsThere, happens, passes, stateOf, tokensOf } from './buyer.ts'
import { paymentEvents, refundsInLedger, spend, unheard } from './money.ts'
import { useShops } from './shop.ts'

// A payer's bank takes a payment back, and decides that for good or not: what the owner hears of it, and what the buyer keeps.

const shopOf = useShops(1)

/** What is heard of a dispute of a monthly payment that the seller loses. */
async function losesDispute(buyer: Buyer): Promise<string[]> {
  const { there, abilities } = buyer.shop
  const opened = await happens(buyer, there.dispute)
  const decided = abilities.refundsWhatIsDisputed ? [] : await happens(buyer, (id) => there.decideDispute!(id, false))
  return [...opened, ...decided, ...(await passes(buyer, '8d'))]
}

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('a dispute that is lost is told, and takes the tokens of its payment, once', async () => {
    const buyer = await buy(shopOf(acquiring))
    await spend(buyer, 30)
    const heard = await losesDispute(buyer)
    expect(heard.filter((name) => name.startsWith('payment.')).toSorted()).toEqual([
      'payment.dispute_lost 999',
      'payment.disputed 999',
    ])
    expect(await tokensOf(buyer)).toBe(0)
    await passes(buyer, '8d')
    expect(await refundsInLedger(buyer)).toEqual([-70])
  })

  test('a dispute that is lost ends a one-time purchase', async () => {
    const buyer = await buy(shopOf(acquiring), 'lifetime')
    const heard = await losesDispute(buyer)
    expect(heard.toSorted()).toEqual(['payment.dispute_lost 4900', 'payment.disputed 4900'])
    expect(await stateOf(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
    const [paid, ...more] = await paymentEvents(buyer)
    for (const each of more) expect(each.id).toBe(paid?.id)
    expect(more.at(-1)).toMatchObject({ refunded_amount: 4900, refunded: true, purchase_status: 'refunded' })
  })

  test('a dispute of a one-time purchase that is opened and lost unheard is found by reconcile', async () => {
    const { there, abilities } = shopOf(acquiring)
    const buyer = await buy(shopOf(acquiring), 'lifetime')
    await unheard(buyer, async (id) => {
      await there.dispute(id)
      if (!abilities.refundsWhatIsDisputed) await there.decideDispute!(id, false)
    })
    expect(await passes(buyer, '2d')).toEqual(['payment.dispute_lost 4900', 'payment.disputed 4900'])
    expect(await stateOf(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })

  test('a dispute that is won gives the purchase and exactly the tokens back that it took', async () => {
    const shop = shopOf(acquiring)
    const { there, abilities } = shop
    const [subscriber, owner] = [await buy(shop), await buy(shop, 'lifetime')]
    await spend(subscriber, 30)
    for (const buyer of [subscriber, owner]) {
      await happens(buyer, there.dispute)
      await happens(buyer, (id) => there.decideDispute!(id, true))
      await passes(buyer, '2d')
    }
    expect(await tokensOf(subscriber)).toBe(70)
    expect(await refundsInLedger(subscriber)).toEqual(abilities.refundsWhatIsDisputed ? [-70, 70] : [])
    expect(await stateOf(owner)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    // There is a processor that ends a subscription by any dispute that is decided.
    await expectAsThere(subscriber)
    for (const buyer of [subscriber, owner]) {
      const told = (await paymentEvents(buyer)).map(({ type }) => type)
      expect(told.filter((type) => type === 'payment.dispute_won')).toEqual(['payment.dispute_won'])
    }
  })
})
