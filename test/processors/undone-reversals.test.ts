import { describe, expect, test } from 'vitest'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { advanceClock, buy, getProcessorId, newEvents, readState } from '../conformance/buyer.ts'
import { type Shop, useShops } from '../conformance/shop.ts'

// Money refunded to the buyer of a one-time purchase may return to the seller: a refund fails, or the seller wins a chargeback.
// Freemius reports neither after a payment was refunded.

const getShop = useShops(1)

interface Reversal {
  what: string
  at: ProcessorName
  /** Refunds all the money of the latest payment of a purchase. */
  reverse(shop: Shop, id: string): Promise<{ id: string }>
  /** Returns the money to the seller. */
  undo(shop: Shop, id: string): Promise<unknown>
  /** The owner's events for the refund or chargeback. */
  reported: string[]
  /** The owner's events when that is undone. */
  reportedWhenUndone: string[]
  /** The owner's events when only a read finds that. */
  found?: string[]
}

const REVERSALS: Reversal[] = [
  {
    what: 'a refund that fails after it had succeeded',
    at: 'stripe',
    reverse: ({ world }, id) => world.stripe.refund(id),
    undo: ({ world }, id) => world.stripe.resolveRefund(id, { fail: true }),
    reported: ['payment.refunded 4900'],
    reportedWhenUndone: ['payment.refund_failed 4900'],
    found: ['payment.refund_failed 4900'],
  },
  {
    what: 'a refund that fails after it had succeeded',
    at: 'polar',
    reverse: ({ world }, id) => world.polar.refund(id),
    undo: ({ world }, id) => world.polar.resolveRefund(id, { fail: true }),
    reported: ['payment.refunded 4900'],
    reportedWhenUndone: ['payment.refund_failed 4900'],
    found: ['payment.refund_failed 4900'],
  },
  {
    what: 'a refund that fails after it had succeeded',
    at: 'chargebee',
    reverse: ({ there }, id) => there.refund(id) as Promise<{ id: string }>,
    undo: ({ world }, id) => world.chargebee.resolveRefund(id, { fail: true }),
    reported: ['payment.refunded 4900'],
    reportedWhenUndone: ['payment.refund_failed 4900'],
    found: ['payment.refund_failed 4900'],
  },
  {
    what: 'a refund that fails on its way',
    at: 'mollie',
    async reverse({ world }, id) {
      world.mollie.slowRefunds = true
      const refund = await world.mollie.refund(id)
      world.mollie.slowRefunds = false
      return refund
    },
    undo: ({ world }, id) => world.mollie.stepRefund(id, { fail: true }),
    reported: [],
    reportedWhenUndone: [],
  },
  {
    what: 'a chargeback that is reversed',
    at: 'mollie',
    reverse: ({ world }, id) => world.mollie.chargeback(id),
    undo: ({ world }, id) => world.mollie.reverseChargeback(id),
    reported: ['payment.dispute_lost 4900', 'payment.disputed 4900'],
    reportedWhenUndone: ['payment.dispute_won 4900'],
    found: ['payment.dispute_won 4900'],
  },
]

/** A buyer whose payment was refunded or charged back, and the id of the refund or chargeback. */
async function reversePayment({ at, reverse, reported }: Reversal) {
  const shop = getShop(at)
  const buyer = await buy(shop, 'lifetime')
  const { id } = await reverse(shop, await getProcessorId(buyer))
  expect(await newEvents(buyer)).toEqual(reported)
  await advanceClock(buyer, '26h')
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  return { shop, buyer, id }
}

describe.each(REVERSALS)('$what at $at', (reversal) => {
  test('restores the buyer’s purchase', async () => {
    const { shop, buyer, id } = await reversePayment(reversal)
    await reversal.undo(shop, id)
    expect(await newEvents(buyer)).toEqual(reversal.reportedWhenUndone)
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('is found by reconcile without a webhook', async () => {
    const { shop, buyer, id } = await reversePayment(reversal)
    shop.emulator.holdWebhooks()
    await reversal.undo(shop, id)
    await shop.emulator.sendHeldWebhooks(() => [])
    expect(await advanceClock(buyer, '2d')).toEqual(reversal.found ?? [])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })
})
