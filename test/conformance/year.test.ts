import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  cancelThroughApi,
  decline,
  expectStoredAsAtProcessor,
  newEvents,
  readState,
  readTokens,
} from './buyer.ts'
import { useShops } from './shop.ts'

const getShop = useShops()
const DAY_MS = 86_400_000

const RENEWED = ['payment.succeeded 999', 'subscription.renewed']
const RECOVERED = [
  'payment.succeeded 999',
  'subscription.access_ended',
  'subscription.recovered',
  'subscription.renewed',
]

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a monthly subscription renews, falls past due, recovers, is cancelled and ends within a year', {
    timeout: 30_000,
  }, async () => {
    const buyer = await buy(getShop(acquiring))
    const startedAt = await currentTime(buyer)
    for (const tokens of [200, 300, 400]) {
      expect(kinds(await advancePastPeriodEnd(buyer))).toEqual(RENEWED)
      expect(await readTokens(buyer)).toBe(tokens)
    }
    await expectStoredAsAtProcessor(buyer)

    await decline(buyer, true)
    expect(kinds(await advancePastPeriodEnd(buyer))).toEqual(['payment.failed 999', 'subscription.past_due'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
    expect(await readTokens(buyer)).toBe(400)

    await decline(buyer, false)
    const retries = kinds(await advanceClock(buyer, '5d'))
    // Without a retry, the next charge is for the next period, and access has ended by then.
    if (retries.length > 0) expect(retries).toEqual(RENEWED)
    else expect(kinds(await advancePastPeriodEnd(buyer))).toEqual(RECOVERED)
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await readTokens(buyer)).toBe(500)
    await expectStoredAsAtProcessor(buyer)

    await cancelThroughApi(buyer)
    expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
    expect(await advanceClock(buyer, '1d')).toEqual([])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ cancel_at_period_end: true }] })
    expect(kinds(await advancePastPeriodEnd(buyer))).toEqual(['subscription.ended'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    await expectStoredAsAtProcessor(buyer)

    const remainingDays = 365 - Math.floor(((await currentTime(buyer)).getTime() - startedAt.getTime()) / DAY_MS)
    expect(remainingDays).toBeGreaterThan(150)
    expect(await advanceClock(buyer, `${remainingDays}d`)).toEqual([])
    expect(await readTokens(buyer)).toBe(500)
  })
})

const currentTime = ({ shop: { world, paywall } }: Buyer) => world.clock.now(paywall.id)

/** The distinct event names, without subscription.updated: a new period may show before it is paid. */
const kinds = (received: string[]) => [...new Set(received)].filter((kind) => kind !== 'subscription.updated')
