import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import {
  type Buyer,
  buy,
  cancelHere,
  decline,
  expectAsThere,
  hears,
  passes,
  periodEnds,
  stateOf,
  tokensOf,
} from './buyer.ts'
import { useShops } from './shop.ts'

const shopOf = useShops()
const DAY_MS = 86_400_000

const RENEWED = ['payment.succeeded 999', 'subscription.renewed']
const RECOVERED = [
  'payment.succeeded 999',
  'subscription.access_ended',
  'subscription.recovered',
  'subscription.renewed',
]

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a year of a monthly subscription', async () => {
    const buyer = await buy(shopOf(acquiring))
    const began = await timeOf(buyer)
    for (const tokens of [200, 300, 400]) {
      expect(kinds(await periodEnds(buyer))).toEqual(RENEWED)
      expect(await tokensOf(buyer)).toBe(tokens)
    }
    await expectAsThere(buyer)

    await decline(buyer, true)
    expect(kinds(await periodEnds(buyer))).toEqual(['payment.failed 999', 'subscription.past_due'])
    expect(await stateOf(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
    expect(await tokensOf(buyer)).toBe(400)

    await decline(buyer, false)
    const retries = kinds(await passes(buyer, '5d'))
    // Without a retry the next charge is that of the next period, and access has ended by then.
    if (retries.length > 0) expect(retries).toEqual(RENEWED)
    else expect(kinds(await periodEnds(buyer))).toEqual(RECOVERED)
    expect(await stateOf(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await tokensOf(buyer)).toBe(500)
    await expectAsThere(buyer)

    await cancelHere(buyer)
    expect(await hears(buyer)).toEqual(['subscription.cancel_scheduled'])
    expect(await passes(buyer, '1d')).toEqual([])
    expect(await stateOf(buyer)).toMatchObject({ paid: true, purchases: [{ cancel_at_period_end: true }] })
    expect(kinds(await periodEnds(buyer))).toEqual(['subscription.ended'])
    expect(await stateOf(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    await expectAsThere(buyer)

    const left = 365 - Math.floor(((await timeOf(buyer)).getTime() - began.getTime()) / DAY_MS)
    expect(left).toBeGreaterThan(150)
    expect(await passes(buyer, `${left}d`)).toEqual([])
    expect(await tokensOf(buyer)).toBe(500)
  })
})

const timeOf = ({ shop: { world, paywall } }: Buyer) => world.clock.now(paywall.id)

/** Each kind of event once. A new period may show before it is paid: that is left out. */
const kinds = (heard: string[]) => [...new Set(heard)].filter((kind) => kind !== 'subscription.updated')
