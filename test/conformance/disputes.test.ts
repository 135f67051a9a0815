import { describe, expect, test } from 'vitest'
import type { Capabilities } from '../../lib/processors/definition.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { SHOP_NAMES } from './drivers/shop-names.ts'
import { beforeWebhooksArrive, paymentEvents, refundsInLedger, spend } from './money.ts'
import { useShops } from './shop.ts'

// Disputes: the owner's events, and the buyer's access and tokens.

const getShop = useShops(1)

/** Opens a dispute of the latest payment that the seller loses. Returns the owner's events. */
async function loseDispute(buyer: Buyer): Promise<string[]> {
  const { account, capabilities } = buyer.shop
  const opened = await causeAtProcessor(buyer, account.dispute)
  const afterDecision = capabilities.refundsWhenDisputed
    ? []
    : await causeAtProcessor(buyer, (id) => account.decideDispute!(id, false))
  return [...opened, ...afterDecision, ...(await advanceClock(buyer, '8d'))]
}

/** The owner's events for an open dispute. Where the bank takes the money back at once, it counts as lost until it is won. */
function disputeEvents({ sendsDisputeWebhook, refundsWhenDisputed }: Capabilities, amount: number): string[] {
  const lost = refundsWhenDisputed ? [`payment.dispute_lost ${amount}`] : []
  return sendsDisputeWebhook ? [...lost, `payment.disputed ${amount}`] : []
}

describe.each(SHOP_NAMES)('%s', (name) => {
  test('a dispute does not end a subscription, and emits an event if the processor reports it', async () => {
    const { account, capabilities } = getShop(name)
    const buyer = await buy(getShop(name))
    expect(await causeAtProcessor(buyer, account.dispute)).toEqual(disputeEvents(capabilities, 999))
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('a disputed one-time purchase ends if the bank takes the money back at once, and otherwise continues', async () => {
    const { account, capabilities } = getShop(name)
    const buyer = await buy(getShop(name), 'lifetime')
    expect(await causeAtProcessor(buyer, account.dispute)).toEqual(disputeEvents(capabilities, 4900))
    const isOver = capabilities.refundsWhenDisputed
    expect(await readState(buyer)).toMatchObject({
      paid: !isOver,
      purchases: [{ status: isOver ? 'refunded' : 'active' }],
    })
    expect(await newEvents(buyer)).toEqual([])
  })

  test('a lost dispute emits one event, and removes the tokens of its payment once', async () => {
    const buyer = await buy(getShop(name))
    await spend(buyer, 30)
    const received = await loseDispute(buyer)
    expect(received.filter((name) => name.startsWith('payment.')).toSorted()).toEqual([
      'payment.dispute_lost 999',
      'payment.disputed 999',
    ])
    expect(await readTokens(buyer)).toBe(0)
    await advanceClock(buyer, '8d')
    expect(await refundsInLedger(buyer)).toEqual([-70])
  })

  test('a partial refund and a lost dispute of the rest add up to the whole payment', async () => {
    const buyer = await buy(getShop(name))
    await causeAtProcessor(buyer, (id) => buyer.shop.account.refund(id, 300))
    expect(await readTokens(buyer)).toBe(100)
    await loseDispute(buyer)
    const lost = (await paymentEvents(buyer)).find(({ type }) => type === 'payment.dispute_lost')
    expect(lost).toMatchObject({ refunded_amount: 300 + Number(lost?.amount), refunded: true })
    expect(await refundsInLedger(buyer)).toEqual([-100])
  })

  test('a lost dispute of a renewal names its payment, and removes the tokens of its period only', async () => {
    const buyer = await buy(getShop(name))
    await causeAtProcessor(buyer, buyer.shop.account.renew)
    expect(await readTokens(buyer)).toBe(200)
    await loseDispute(buyer)
    const payments = await paymentEvents(buyer)
    const [, renewal] = payments.filter(({ type }) => type === 'payment.succeeded')
    const lost = payments.filter(({ type }) => type === 'payment.dispute_lost')
    expect(lost).toMatchObject([{ id: renewal?.id, refunded_amount: 999, refunded: true }])
    expect(await refundsInLedger(buyer)).toEqual([-100])
  })

  test('a lost dispute ends a one-time purchase', async () => {
    const buyer = await buy(getShop(name), 'lifetime')
    const received = await loseDispute(buyer)
    expect(received.toSorted()).toEqual(['payment.dispute_lost 4900', 'payment.disputed 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
    const [paid, ...more] = await paymentEvents(buyer)
    for (const each of more) expect(each.id).toBe(paid?.id)
    expect(more.at(-1)).toMatchObject({ refunded_amount: 4900, refunded: true, purchase_status: 'refunded' })
  })

  test('a dispute that is lost after the subscription has ended, or long after the purchase, is found within a week', async () => {
    const shop = getShop(name)
    const [subscriber, owner] = [await buy(shop), await buy(shop, 'lifetime')]
    await cancelThroughApi(subscriber)
    await advancePastPeriodEnd(subscriber)
    expect(await readPurchase(subscriber)).toMatchObject({ status: 'canceled' })
    await advanceClock(subscriber, '40d')
    expect(await loseDispute(subscriber)).toEqual(
      expect.arrayContaining(['payment.dispute_lost 999', 'payment.disputed 999']),
    )
    expect(await readTokens(subscriber)).toBe(0)
    expect((await loseDispute(owner)).toSorted()).toEqual(['payment.dispute_lost 4900', 'payment.disputed 4900'])
  })

  test('ended purchases are polled for half a year if their processor sends no dispute webhooks', async () => {
    const shop = getShop(name)
    const [subscriber, onTrial] = [await buy(shop), await buy(shop, 'yearly')]
    const ids = [await getProcessorId(subscriber), await getProcessorId(onTrial)]
    for (const buyer of [onTrial, subscriber]) await cancelThroughApi(buyer)
    await advancePastPeriodEnd(subscriber)
    const readsIn = async (span: string) => {
      const before = shop.emulator.calls.length
      await advanceClock(subscriber, span)
      const calls = shop.emulator.calls.slice(before)
      return ids.map((id) => calls.filter(({ path }) => path.endsWith(`/${id}`)).length)
    }
    expect(await readsIn('190d')).toEqual([shop.capabilities.sendsDisputeWebhook ? 0 : 26, 0])
    expect(await readsIn('60d')).toEqual([0, 0])
  })

  test('a dispute of a one-time purchase that is opened and lost without a webhook is found by reconcile', async () => {
    const { account, capabilities } = getShop(name)
    const buyer = await buy(getShop(name), 'lifetime')
    await beforeWebhooksArrive(buyer, async (id) => {
      await account.dispute(id)
      if (!capabilities.refundsWhenDisputed) await account.decideDispute!(id, false)
    })
    expect(await advanceClock(buyer, '2d')).toEqual(['payment.dispute_lost 4900', 'payment.disputed 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })

  test('a dispute of a one-time purchase that is won without a webhook is found within two days', async () => {
    const { account } = getShop(name)
    const buyer = await buy(getShop(name), 'lifetime')
    await causeAtProcessor(buyer, account.dispute)
    await advanceClock(buyer, '26h')
    await beforeWebhooksArrive(buyer, (id) => account.decideDispute!(id, true))
    expect(await advanceClock(buyer, '2d')).toEqual(['payment.dispute_won 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('a won dispute restores the purchase, and exactly the tokens that it removed', async () => {
    const shop = getShop(name)
    const { account, capabilities } = shop
    const [subscriber, owner] = [await buy(shop), await buy(shop, 'lifetime')]
    await spend(subscriber, 30)
    for (const buyer of [subscriber, owner]) {
      await causeAtProcessor(buyer, account.dispute)
      await causeAtProcessor(buyer, (id) => account.decideDispute!(id, true))
      await advanceClock(buyer, '2d')
    }
    expect(await readTokens(subscriber)).toBe(70)
    expect(await refundsInLedger(subscriber)).toEqual(capabilities.refundsWhenDisputed ? [-70, 70] : [])
    expect(await readState(owner)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    // One processor ends a subscription when a dispute is decided, even if it is won.
    await expectStoredAsAtProcessor(subscriber)
    for (const buyer of [subscriber, owner]) {
      const reported = (await paymentEvents(buyer)).map(({ type }) => type)
      expect(reported.filter((type) => type === 'payment.dispute_won')).toEqual(['payment.dispute_won'])
    }
  })
})
