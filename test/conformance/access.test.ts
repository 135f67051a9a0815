import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  causeAtProcessor,
  newEvents,
  readPurchase,
  readState,
} from './buyer.ts'
import { pause, pauses } from './drivers/pausing.ts'
import { useShops } from './shop.ts'

// `access_until`: when access ends, as far as it is known now.

const getShop = useShops()
const DAY_MS = 86_400_000

/** How many days from now a time is, by the paywall's clock. */
async function daysFromNow({ shop: { world, paywall } }: Buyer, time: string | null | undefined): Promise<number> {
  return (Date.parse(String(time)) - (await world.clock.now(paywall.id)).getTime()) / DAY_MS
}

const later = (time: string | null, days: number) => new Date(Date.parse(String(time)) + days * DAY_MS).toISOString()

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('access_until of a renewing or trialing subscription is three days after its period end', async () => {
    for (const slug of ['monthly', 'yearly'] as const) {
      const purchase = (await readPurchase(await buy(getShop(acquiring), slug)))!
      expect(purchase.access_until).toBe(later(purchase.current_period_end, 3))
    }
  })

  test('access_until of a subscription with a scheduled end is that end, after which access is over', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const { current_period_end: end } = (await readPurchase(buyer))!
    await causeAtProcessor(buyer, shop.account.cancel)
    if (!shop.capabilities.sendsCancellationWebhook) await advanceClock(buyer, '8d')
    expect(await readPurchase(buyer)).toMatchObject({ cancel_at: end, access_until: end })
    await advancePastPeriodEnd(buyer)
    const { paid, purchases } = await readState(buyer)
    expect([paid, purchases[0]?.status]).toEqual([false, 'canceled'])
    expect(Date.parse(String(purchases[0]?.access_until))).toBeLessThanOrEqual(Date.parse(String(end)))
  })

  test('access_until of a past due subscription is a week after it became past due', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.failCharge)
    const { access_until: until } = (await readPurchase(buyer))!
    expect(await daysFromNow(buyer, until)).toBeCloseTo(7, 1)
    await advanceClock(buyer, '12h')
    expect(await readPurchase(buyer)).toMatchObject({ status: 'past_due', access_until: until })
  })

  test('access_until of a one-time purchase is null until it is refunded', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'lifetime')
    expect(await readPurchase(buyer)).toMatchObject({ access_until: null })
    await causeAtProcessor(buyer, shop.account.refund)
    expect(await daysFromNow(buyer, (await readPurchase(buyer))?.access_until)).toBeLessThanOrEqual(0)
  })
})

test.each(PROCESSOR_NAMES.filter(pauses))('%s: access_until of a paused subscription has passed', async (acquiring) => {
  const shop = getShop(acquiring)
  const buyer = await buy(shop)
  await causeAtProcessor(buyer, (id) => pause(shop, id))
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'paused' }] })
  expect(await daysFromNow(buyer, (await readPurchase(buyer))?.access_until)).toBeLessThanOrEqual(0)
})

test.each(PROCESSOR_NAMES)(
  "%s: if the processor's key is revoked, access lasts three more days, and the owner gets events when it ends and returns",
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    shop.emulator.holdWebhooks()
    const headers = { 'Content-Type': 'application/json' }
    const refusal = { status: 401, headers, body: '{"error":{"message":"the key was revoked"}}' }
    shop.emulator.onCall = async () => refusal
    await advanceClock(buyer, '32d')
    expect(await readState(buyer)).toMatchObject({ paid: true })
    expect(await advanceClock(buyer, '3d')).toEqual(['subscription.access_ended'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'active' }] })
    shop.emulator.onCall = undefined
    await shop.emulator.sendHeldWebhooks()
    expect(await newEvents(buyer)).toEqual(expect.arrayContaining(['subscription.recovered', 'subscription.renewed']))
    expect(await readState(buyer)).toMatchObject({ paid: true })
  },
)
