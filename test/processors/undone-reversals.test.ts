import { describe, expect, test } from 'vitest'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { advanceClock, buy, getProcessorId, newEvents, readState } from '../conformance/buyer.ts'
import { type Shop, useShops } from '../conformance/shop.ts'

// Money refunded to the buyer of a one-time purchase may return to the seller: a refund fails, or the seller wins a chargeback.
// Freemius reports neither after a payment was refunded.

const getShop = useShops(1)

interface Turn {
  what: string
  at: ProcessorName
  /** Refunds all the money of the latest payment of a purchase. */
  back(shop: Shop, id: string): Promise<{ id: string }>
  /** Returns the money to the seller. */
  again(shop: Shop, id: string): Promise<unknown>
  /** The owner's events for the refund or dispute. */
  reported: string[]
  /** The owner's events when that is undone. */
  toldAgain: string[]
  /** The same if only a read shows it. */
  found?: string[]
}

const TURNS: Turn[] = [
  {
    what: 'a refund that fails after it had succeeded',
    at: 'stripe',
    back: ({ world }, id) => world.stripe.refund(id),
    again: ({ world }, id) => world.stripe.resolveRefund(id, { fail: true }),
    reported: ['payment.refunded 4900'],
    toldAgain: ['payment.refund_failed 4900'],
    found: ['payment.refund_failed 4900'],
  },
  {
    what: 'a refund that fails after it had succeeded',
    at: 'polar',
    back: ({ world }, id) => world.polar.refund(id),
    again: ({ world }, id) => world.polar.resolveRefund(id, { fail: true }),
    reported: ['payment.refunded 4900'],
    toldAgain: ['payment.refund_failed 4900'],
    found: ['payment.refund_failed 4900'],
  },
  {
    what: 'a refund that fails after it had succeeded',
    at: 'chargebee',
    back: ({ there }, id) => there.refund(id) as Promise<{ id: string }>,
    again: ({ world }, id) => world.chargebee.resolveRefund(id, { fail: true }),
    reported: ['payment.refunded 4900'],
    toldAgain: ['payment.refund_failed 4900'],
    found: ['payment.refund_failed 4900'],
  },
  {
    what: 'a refund that fails on its way',
    at: 'mollie',
    async back({ world }, id) {
      world.mollie.slowRefunds = true
      const refund = await world.mollie.refund(id)
      world.mollie.slowRefunds = false
      return refund
    },
    again: ({ world }, id) => world.mollie.stepRefund(id, { fail: true }),
    reported: [],
    toldAgain: [],
  },
  {
    what: 'a chargeback that is reversed',
    at: 'mollie',
    back: ({ world }, id) => world.mollie.chargeback(id),
    again: ({ world }, id) => world.mollie.reverseChargeback(id),
    reported: ['payment.dispute_lost 4900', 'payment.disputed 4900'],
    toldAgain: ['payment.dispute_won 4900'],
    found: ['payment.dispute_won 4900'],
  },
]

/** A buyer whose money was refunded, and by what. */
async function paidBack({ at, back, reported }: Turn) {
  const shop = getShop(at)
  const buyer = await buy(shop, 'lifetime')
  const { id } = await back(shop, await getProcessorId(buyer))
  expect(await newEvents(buyer)).toEqual(reported)
  await advanceClock(buyer, '26h')
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  return { shop, buyer, id }
}

describe.each(TURNS)('$what at $at', (turn) => {
  test('restores the buyer’s purchase', async () => {
    const { shop, buyer, id } = await paidBack(turn)
    await turn.again(shop, id)
    expect(await newEvents(buyer)).toEqual(turn.toldAgain)
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('is found by reconcile without a webhook', async () => {
    const { shop, buyer, id } = await paidBack(turn)
    shop.emulator.holdWebhooks()
    await turn.again(shop, id)
    await shop.emulator.sendHeldWebhooks(() => [])
    expect(await advanceClock(buyer, '2d')).toEqual(turn.found ?? [])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })
})
