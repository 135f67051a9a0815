import { describe, expect, test } from 'vitest'
import type { Capabilities } from '../../lib/processors/definition.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import {
  buy,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  getProcessorId,
  newEvents,
  open,
  pressAndReturn,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { useShops } from './shop.ts'

const getShop = useShops()

/** The owner's events for an open dispute. Where the bank takes the money back at once, it counts as lost until it is won. */
function disputeEvents({ sendsDisputeWebhook, refundsWhenDisputed }: Capabilities, amount: number): string[] {
  const lost = refundsWhenDisputed ? [`payment.dispute_lost ${amount}`] : []
  return sendsDisputeWebhook ? [...lost, `payment.disputed ${amount}`] : []
}

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a refund does not end a subscription: a partial one removes no tokens, a full one removes those of the period', async () => {
    const { account } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring))
    expect(await causeAtProcessor(buyer, (id) => account.refund(id, 300))).toEqual(['payment.refunded 300'])
    expect(await readTokens(buyer)).toBe(100)
    expect(await causeAtProcessor(buyer, account.refund)).toEqual(['payment.refunded 699'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await readTokens(buyer)).toBe(0)
    await expectStoredAsAtProcessor(buyer)
  })

  test('a refund of a renewal applies to that payment, not to the first one', async () => {
    const { account } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring), 'yearly')
    await causeAtProcessor(buyer, account.renew)
    expect(await causeAtProcessor(buyer, account.refund)).toEqual(['payment.refunded 8900'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('a dispute does not end a subscription, and emits an event if the processor reports it', async () => {
    const { account, capabilities } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring))
    expect(await causeAtProcessor(buyer, account.dispute)).toEqual(disputeEvents(capabilities, 999))
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('a one-time purchase survives a partial refund, and ends with a full one', async () => {
    const { account } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring), 'lifetime')
    expect(await causeAtProcessor(buyer, (id) => account.refund(id, 900))).toEqual(['payment.refunded 900'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await causeAtProcessor(buyer, account.refund)).toEqual(['payment.refunded 4000'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })

  test('a disputed one-time purchase ends if the bank takes the money back at once, and otherwise continues', async () => {
    const { account, capabilities } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring), 'lifetime')
    expect(await causeAtProcessor(buyer, account.dispute)).toEqual(disputeEvents(capabilities, 4900))
    const isOver = capabilities.refundsWhenDisputed
    expect(await readState(buyer)).toMatchObject({
      paid: !isOver,
      purchases: [{ status: isOver ? 'refunded' : 'active' }],
    })
    expect(await newEvents(buyer)).toEqual([])
  })
  test('a payment is attributed to its own purchase, even if the payment of another purchase was processing before', async () => {
    const { account, emulator } = getShop(acquiring)
    const [first, second] = [await open(getShop(acquiring)), await open(getShop(acquiring))]
    for (const buyer of [first, second]) await pressAndReturn(buyer, 'later')
    await emulator.drainWebhooks()
    await account.resolve(false, await getProcessorId(second))
    await emulator.drainWebhooks()
    expect(await readPurchase(second)).toMatchObject({ status: 'active' })
    expect(await readPurchase(first)).toMatchObject({ status: 'pending' })
    await account.resolve(true, await getProcessorId(first))
    await emulator.drainWebhooks()
    expect(await readState(first)).toMatchObject({ paid: false })
  })
})
