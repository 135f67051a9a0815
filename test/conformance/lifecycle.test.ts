import { describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { FileJson } from '../support/paywall-file.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  newEvents,
  open,
  pay,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { hasTerms } from './drivers/set-up.ts'
import { failsRefunds, rollsOver, schedulesPlans } from './drivers/stopping.ts'
import { useShops } from './shop.ts'

/** The second paywall's yearly price has a shorter trial, and brings tokens. */
function withShortTrial(sold: FileJson, index: number): FileJson {
  const shorter = { trial_days: 3, tokens: [{ type: 'standard', count: 100, trial_count: 40 }] }
  const prices = (sold.prices as FileJson[]).map((price) =>
    price.slug === 'yearly' ? { ...price, ...shorter } : price,
  )
  return index === 1 ? { ...sold, prices } : sold
}

const getShop = useShops(2, withShortTrial)
const DAY_MS = 86_400_000
const ALREADY_CANCELLED = { status: 400, body: { error: 'Subscription is already cancelled' } }

const getPeriodEnd = async (buyer: Buyer) => Date.parse(String((await readPurchase(buyer))?.current_period_end))

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('each paid period renews the subscription and credits its tokens', async () => {
    const { account } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring))
    for (const tokens of [200, 300]) {
      const before = await getPeriodEnd(buyer)
      expect(await causeAtProcessor(buyer, account.renew)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
      const days = ((await getPeriodEnd(buyer)) - before) / DAY_MS
      expect(days > 27 && days < 32, `${days} days`).toBe(true)
      expect(await readTokens(buyer)).toBe(tokens)
      await expectStoredAsAtProcessor(buyer)
    }
  })

  test('access continues for a while after a failed charge, and the subscription recovers when it is paid', async () => {
    const { account } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring))
    expect(await causeAtProcessor(buyer, account.failCharge)).toEqual(['payment.failed 999', 'subscription.past_due'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
    expect(await readTokens(buyer)).toBe(100)
    await expectStoredAsAtProcessor(buyer)

    expect(await causeAtProcessor(buyer, account.recover)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect(await readTokens(buyer)).toBe(200)
    await expectStoredAsAtProcessor(buyer)
  })

  test('a subscription cancelled through the API ends with its period, and each step emits one event', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    const { current_period_end: end } = (await readPurchase(buyer))!
    const reported = shop.emulator.events.length
    const reply = await cancelThroughApi(buyer)
    expect(reply).toMatchObject({
      status: 200,
      body: { success: true, subscription: { status: 'active', cancel_at: end } },
    })
    expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
    expect(shop.emulator.events.length > reported).toBe(shop.capabilities.sendsCancellationWebhook)
    const cancelled = { status: 'active', current_period_end: end, cancel_at_period_end: true, cancel_at: end }
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [cancelled] })
    await expectStoredAsAtProcessor(buyer)
    expect(await cancelThroughApi(buyer)).toMatchObject(ALREADY_CANCELLED)

    expect(await advancePastPeriodEnd(buyer)).toEqual(['subscription.ended'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    await expectStoredAsAtProcessor(buyer)
    expect(await cancelThroughApi(buyer)).toMatchObject(ALREADY_CANCELLED)
  })

  test('a subscription cancelled at the processor is stored as cancelled', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    expect(await causeAtProcessor(buyer, shop.account.cancel)).toEqual(
      shop.capabilities.sendsCancellationWebhook ? ['subscription.cancel_scheduled'] : [],
    )
    if (!shop.capabilities.sendsCancellationWebhook) {
      expect(await advanceClock(buyer, '8d')).toEqual(['subscription.cancel_scheduled'])
    }
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ cancel_at_period_end: true }] })
    await expectStoredAsAtProcessor(buyer)
    expect(await cancelThroughApi(buyer)).toMatchObject(ALREADY_CANCELLED)
  })

  test('a cancelled trial continues to its end, or ends immediately if the processor ends it', async () => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'yearly')
    const continues = shop.capabilities.cancelledTrial === 'continues to its end'
    const status = continues ? 'trialing' : 'canceled'
    const { current_period_end: end } = (await readPurchase(buyer))!
    const reply = await cancelThroughApi(buyer)
    expect(reply).toMatchObject({ status: 200, body: { subscription: { status, cancel_at_period_end: true } } })
    if (continues) expect(reply.body).toMatchObject({ subscription: { cancel_at: end } })
    else {
      const { subscription, message } = reply.body as { subscription: Record<string, string>; message: string }
      const now = await shop.world.clock.now(shop.paywall.id)
      const elapsed = now.getTime() - Date.parse(subscription.cancel_at ?? '')
      expect([subscription.cancel_at, Math.abs(elapsed) < 60_000]).toEqual([subscription.canceled_at, true])
      expect(message).toContain('has ended')
    }
    expect(await newEvents(buyer)).toEqual([continues ? 'subscription.cancel_scheduled' : 'subscription.ended'])
    expect(await readState(buyer)).toMatchObject({ paid: continues, purchases: [{ status }] })
    await expectStoredAsAtProcessor(buyer)
  })

  test('subscription.trial_ending is emitted once, three days before the end of a trial', async () => {
    const buyer = await buy(getShop(acquiring), 'yearly')
    expect(await advanceClock(buyer, '5d')).toEqual(['subscription.trial_ending'])
    expect(await advanceClock(buyer, '1d')).toEqual([])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'trialing' })
  })

  test('subscription.trial_ending of a trial of three days is emitted once, when it begins', async () => {
    const buyer = await open(getShop(acquiring, 1), 'yearly')
    await pay(buyer)
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'subscription.created', 'subscription.trial_ending'])
    expect(await advanceClock(buyer, '1d')).toEqual([])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'trialing' })
  })
})

test.each(PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.supportsImmediateEnd))(
  '%s: a subscription that the owner ends at the processor loses access immediately',
  async (acquiring) => {
    const { account } = getShop(acquiring)
    const buyer = await buy(getShop(acquiring))
    expect(await causeAtProcessor(buyer, account.end)).toEqual(['subscription.ended'])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'canceled' }] })
    await expectStoredAsAtProcessor(buyer)
  },
)

describe.each(PROCESSOR_NAMES.filter(rollsOver))('%s, where a period may begin before it is charged:', (acquiring) => {
  test.each([
    ['monthly', 999, [100, 200]],
    ['yearly', 8900, [40, 140]],
  ] as const)(
    'a period of a %s subscription renews it and credits its tokens when it is paid, not when it begins',
    async (slug, amount, [before, after]) => {
      const shop = getShop(acquiring, 1)
      const buyer = await buy(shop, slug)
      expect(await causeAtProcessor(buyer, shop.account.rollOver)).toEqual(['subscription.updated'])
      expect(await readTokens(buyer)).toBe(before)
      expect(await causeAtProcessor(buyer, shop.account.recover)).toEqual([
        `payment.succeeded ${amount}`,
        'subscription.renewed',
      ])
      expect(await readTokens(buyer)).toBe(after)
      await expectStoredAsAtProcessor(buyer)
    },
  )
})

test.each(PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.supportsUncancel))(
  '%s: a cancellation that is undone at the processor is undone here',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop)
    await causeAtProcessor(buyer, shop.account.cancel)
    expect(await readPurchase(buyer)).toMatchObject({ cancel_at_period_end: true })
    expect(await causeAtProcessor(buyer, shop.account.undo)).toEqual(['subscription.uncanceled'])
    expect(await readPurchase(buyer)).toMatchObject({ status: 'active', cancel_at_period_end: false, cancel_at: null })
    await expectStoredAsAtProcessor(buyer)
  },
)

test.each(PROCESSOR_NAMES)('the emulator of %s can do what the tests for only some processors need', (acquiring) => {
  const { account, capabilities, emulator } = getShop(acquiring)
  expect({
    undo: 'undo' in account,
    end: 'end' in account,
    schedulePlan: 'schedulePlan' in account,
    rollOver: 'rollOver' in account,
    failRefund: 'failRefund' in account,
    setTerms: 'setTerms' in emulator,
  }).toEqual({
    undo: capabilities.supportsUncancel,
    end: capabilities.supportsImmediateEnd,
    schedulePlan: schedulesPlans(acquiring),
    rollOver: rollsOver(acquiring),
    failRefund: failsRefunds(acquiring),
    setTerms: hasTerms(acquiring),
  })
})
