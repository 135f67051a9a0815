import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { Changed } from '../../functions/change-plan/contract.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { press } from '../support/checkout.ts'
import {
  advanceClock,
  advancePastPeriodEnd,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  decline,
  expectStoredAsAtProcessor,
  newEvents,
  readPurchase,
  readState,
  readTokens,
} from './buyer.ts'
import { change, changePlan, paidAmounts, preview, untilRead } from './change-plan-calls.ts'
import { keepsUnpaid, leaveUnpaid, PAUSES_PAID, pause } from './drivers/pausing.ts'
import {
  MAY_MAKE_DECLINED_CHANGES,
  paysDeclinedChangeOnPage,
  paysEveryChangeOnPage,
  refuseDeclinedChanges,
} from './drivers/plans.ts'
import { setUp } from './drivers/set-up.ts'
import { useShops } from './shop.ts'

// A change of plan through change-plan keeps the one subscription, charges what was shown, and moves features and tokens.

const getShop = useShops()

const AT = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.changesPlan !== 'never')

const SCHEDULING = AT.filter((name) => DEFINITIONS[name].capabilities.schedulesPlanChange)

/** An estimate changes by the second. */
const CENTS = 2

describe.each(AT)('%s', (acquiring) => {
  const { changesPlan } = DEFINITIONS[acquiring].capabilities

  test('the change charges what its preview shows, once, and moves features and tokens', async () => {
    const buyer = await buy(getShop(acquiring))
    const shown = await preview(buyer, 'plus')
    expect(shown).toMatchObject({ when: 'now', from: { price_slug: 'monthly' }, to: { price_slug: 'plus' } })
    expect(shown.next.amount).toBe(1999)
    expect(shown.due_now.amount).toBeGreaterThan(990)
    expect(shown.due_now.amount).toBeLessThanOrEqual(1000)
    expect(shown.credit.amount).toBeGreaterThan(990)
    expect(await newEvents(buyer)).toEqual([])
    expect(await readTokens(buyer)).toBe(100)

    const { id } = (await readPurchase(buyer))!
    expect(await change(buyer, 'plus', { quote: shown.quote })).toContain('subscription.plan_changed')
    const state = await readState(buyer)
    expect(state).toMatchObject({ features: ['api', 'export'], purchases: [{ id, price_slug: 'plus' }] })
    expect(state.purchases).toHaveLength(1)
    expect(await readTokens(buyer)).toBe(300)
    const [, charged] = await paidAmounts(buyer)
    expect(Math.abs(charged! - shown.due_now.amount)).toBeLessThanOrEqual(shown.estimate ? CENTS : 0)
    await expectStoredAsAtProcessor(buyer)
    await advancePastPeriodEnd(buyer)
    expect((await paidAmounts(buyer)).slice(2)).toEqual([1999])
  })

  test('another interval is charged for as previewed, until the date that the preview shows', async () => {
    const buyer = await buy(getShop(acquiring), 'plus')
    const shown = await preview(buyer, 'yearly', { when: 'now' })
    expect(await change(buyer, 'yearly', { when: 'now', quote: shown.quote })).toContain('subscription.plan_changed')
    const purchase = await readPurchase(buyer)
    expect(purchase).toMatchObject({ price_slug: 'yearly', interval: 'year' })
    const apart = Date.parse(shown.next.at) - Date.parse(String(purchase?.current_period_end))
    expect(Math.abs(apart)).toBeLessThan(60_000)
    const [, charged] = await paidAmounts(buyer)
    expect(Math.abs(charged! - shown.due_now.amount)).toBeLessThanOrEqual(shown.estimate ? CENTS : 0)
  })

  test('if the charge is declined, the plan, its features and its tokens stay as they are', async () => {
    const buyer = await buy(getShop(acquiring))
    await refuseDeclinedChanges(buyer.shop)
    await decline(buyer, true)
    const paidOnPage = { status: 200, body: { checkoutUrl: expect.stringContaining(buyer.shop.emulator.url) } }
    const declined = { status: 402, body: { error: 'payment_declined' } }
    expect(await changePlan(buyer, 'plus')).toMatchObject(paysDeclinedChangeOnPage(acquiring) ? paidOnPage : declined)
    await newEvents(buyer)
    expect(await readState(buyer)).toMatchObject({
      paid: true,
      features: ['export'],
      purchases: [{ price_slug: 'monthly', status: 'active' }],
    })
    expect(await readTokens(buyer)).toBe(100)
    expect(await paidAmounts(buyer)).toEqual([999])
    await expectStoredAsAtProcessor(buyer)
  })

  test('if the first read is old and the webhooks are lost, the change is stored within eleven minutes', async () => {
    const shop = getShop(acquiring, 1)
    const buyer = await buy(shop)
    const { world, emulator } = shop
    emulator.holdWebhooks()
    await setUp(world[acquiring], shop.paywall.id, { terms: null, afterRetries: null, lagSeconds: 5 })
    const { body } = await changePlan(buyer, 'plus')
    await untilRead(buyer)
    const { checkoutUrl } = Changed.parse(body)
    if (checkoutUrl !== null) await press(checkoutUrl, 'pay')
    await emulator.sendHeldWebhooks(() => [])
    await world.clock.advance(shop.paywall.id, '11m')
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
    expect(await readTokens(buyer)).toBe(300)
  })

  test('a subscription that is paused or unpaid is not changed', async () => {
    const shop = getShop(acquiring)
    const ways = [
      ...(PAUSES_PAID.some((name) => name === acquiring) ? [{ status: 'paused', make: pause }] : []),
      ...(keepsUnpaid(acquiring) ? [{ status: 'past_due', make: leaveUnpaid }] : []),
    ]
    for (const { status, make } of ways) {
      const buyer = await buy(shop)
      await causeAtProcessor(buyer, (id) => make(shop, id))
      for (const more of [{ preview: true }, {}]) {
        const refused = { status: 409, body: { error: 'subscription_not_changeable', status } }
        expect(await changePlan(buyer, 'plus', more)).toMatchObject(refused)
      }
      expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', status })
    }
  })

  test('a scheduled cancellation is undone, or the change is refused with the name of the processor', async () => {
    const buyer = await buy(getShop(acquiring))
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    await newEvents(buyer)
    if (changesPlan === 'unless cancelled') {
      const refused = { status: 409, body: { error: 'subscription_cancelled', acquiring } }
      expect(await changePlan(buyer, 'plus', { preview: true })).toMatchObject(refused)
      expect(await changePlan(buyer, 'plus')).toMatchObject(refused)
      expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', cancel_at_period_end: true })
    } else {
      expect(await preview(buyer, 'plus')).toMatchObject({ undoes_cancellation: true })
      await change(buyer, 'plus')
      expect(await readPurchase(buyer)).toMatchObject({
        price_slug: 'plus',
        cancel_at_period_end: false,
        cancel_at: null,
      })
    }
    await expectStoredAsAtProcessor(buyer)
  })
})

describe.each(SCHEDULING)('%s, which schedules changes:', (acquiring) => {
  test('a downgrade costs nothing now, and applies from the next period', async () => {
    const buyer = await buy(getShop(acquiring), 'plus')
    const end = (await readPurchase(buyer))?.current_period_end
    const shown = await preview(buyer, 'monthly')
    expect(shown).toMatchObject({
      when: 'period_end',
      effective_at: end,
      due_now: { amount: 0 },
      credit: { amount: 0 },
    })
    expect(shown.next).toMatchObject({ amount: 999, at: end })
    expect(await change(buyer, 'monthly', { quote: shown.quote })).toEqual(['subscription.plan_change_scheduled'])
    const scheduled_change = { price_id: shown.to.price_id, price_slug: 'monthly', effective_at: end }
    expect(await readState(buyer)).toMatchObject({
      features: ['api', 'export'],
      purchases: [{ price_slug: 'plus', scheduled_change }],
    })
    await advancePastPeriodEnd(buyer)
    expect(await readState(buyer)).toMatchObject({
      features: ['export'],
      purchases: [{ price_slug: 'monthly', scheduled_change: null }],
    })
    expect(await paidAmounts(buyer)).toEqual([1999, 999])
  })

  test('a scheduled change is undone by a change to the current price, which costs nothing', async () => {
    const buyer = await buy(getShop(acquiring), 'plus')
    expect(await changePlan(buyer, 'plus')).toMatchObject({ status: 409, body: { error: 'price_unchanged' } })
    await change(buyer, 'monthly')
    const shown = await preview(buyer, 'plus', { when: 'now' })
    const end = (await readPurchase(buyer))?.current_period_end
    expect(shown).toMatchObject({
      when: 'period_end',
      effective_at: end,
      due_now: { amount: 0 },
      credit: { amount: 0 },
    })
    expect(shown.next).toMatchObject({ amount: 1999, at: end })
    const headers = { 'idempotency-key': randomUUID() }
    const body = { when: 'now', quote: shown.quote }
    const calls = await Promise.all([1, 2].map(() => changePlan(buyer, 'plus', body, headers)))
    expect(calls).toMatchObject([{ status: 200 }, { status: 200 }])
    await untilRead(buyer)
    expect(await newEvents(buyer)).toEqual(['subscription.updated'])
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', scheduled_change: null })
    expect(await changePlan(buyer, 'plus')).toMatchObject({ status: 409, body: { error: 'price_unchanged' } })
    await expectStoredAsAtProcessor(buyer)
    await advancePastPeriodEnd(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
    expect(await paidAmounts(buyer)).toEqual([1999, 1999])
  })

  test('a subscription that is cancelled has no scheduled change any more', async () => {
    const buyer = await buy(getShop(acquiring), 'plus')
    await change(buyer, 'monthly')
    expect(await cancelThroughApi(buyer)).toMatchObject({ status: 200 })
    expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
    expect(await readPurchase(buyer)).toMatchObject({
      price_slug: 'plus',
      cancel_at_period_end: true,
      scheduled_change: null,
    })
    await advancePastPeriodEnd(buyer)
    expect(await paidAmounts(buyer)).toEqual([1999])
  })

  test('a change at once replaces one that is scheduled', async () => {
    const buyer = await buy(getShop(acquiring))
    await change(buyer, 'yearly', { when: 'period_end' })
    await change(buyer, 'plus', { when: 'now' })
    await advanceClock(buyer, '32d')
    expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus', status: 'active' }])
  })
})

test.each(AT.filter((name) => !SCHEDULING.includes(name)))(
  'at %s a downgrade is refused unless it is requested at once, with the name of the processor',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring), 'plus')
    const refused = { status: 403, body: { error: 'plan_change_unavailable', acquiring } }
    for (const body of [{}, { when: 'period_end' }]) {
      expect(await changePlan(buyer, 'monthly', { preview: true, ...body })).toMatchObject(refused)
      expect(await changePlan(buyer, 'monthly', body)).toMatchObject(refused)
    }
    expect(await changePlan(buyer, 'yearly', { when: 'period_end' })).toMatchObject(refused)
    const shown = await preview(buyer, 'monthly', { when: 'now' })
    expect(shown).toMatchObject({ when: 'now', due_now: { amount: 0 }, credit: { amount: 999 } })
    await change(buyer, 'monthly', { when: 'now', quote: shown.quote })
    expect(await readState(buyer)).toMatchObject({ features: ['export'], purchases: [{ price_slug: 'monthly' }] })
    expect(await paidAmounts(buyer)).toEqual([1999])
    await expectStoredAsAtProcessor(buyer)
  },
)

test.each(AT.filter((name) => !paysEveryChangeOnPage(name)))(
  'if %s changes the plan and its response is lost, a retry changes nothing more',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring))
    const { emulator } = buyer.shop
    const headers = { 'idempotency-key': randomUUID() }
    const prices = () =>
      [...emulator.records.subscriptions.values()].map(({ price }) => `${price.id} ${price.amount}`).join()
    emulator.onCall = async (_, run) => {
      const before = prices()
      const reply = await run()
      if (prices() !== before) throw new DroppedCall()
      return reply
    }
    const { status } = await changePlan(buyer, 'plus', {}, headers)
    expect([200, 502]).toContain(status) // an SDK may repeat the call itself
    emulator.onCall = undefined
    expect(await changePlan(buyer, 'plus', {}, headers)).toMatchObject({
      status: 200,
      body: { to: { price_slug: 'plus' } },
    })
    await newEvents(buyer)
    expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus', status: 'active' }])
    expect(await paidAmounts(buyer)).toHaveLength(2)
  },
)

test.each(AT.filter((acquiring) => paysDeclinedChangeOnPage(acquiring) && !paysEveryChangeOnPage(acquiring)))(
  'at %s a change that was declined is made once it is paid on the page',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring))
    await refuseDeclinedChanges(buyer.shop)
    await decline(buyer, true)
    const { checkoutUrl } = Changed.parse((await changePlan(buyer, 'plus')).body)
    await press(String(checkoutUrl), 'pay')
    expect(await newEvents(buyer)).toContain('subscription.plan_changed')
    expect(await readState(buyer)).toMatchObject({
      features: ['api', 'export'],
      purchases: [{ price_slug: 'plus', status: 'active' }],
    })
    expect(await readTokens(buyer)).toBe(300)
    expect(await paidAmounts(buyer)).toHaveLength(2)
    await expectStoredAsAtProcessor(buyer)
  },
)

test.each(MAY_MAKE_DECLINED_CHANGES)(
  'if %s makes a change whose charge is declined, tokens follow once the difference is paid',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring))
    await refuseDeclinedChanges(buyer.shop, false)
    await decline(buyer, true)
    const { checkoutUrl } = Changed.parse((await changePlan(buyer, 'plus')).body)
    await newEvents(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', status: 'past_due' })
    expect(await readTokens(buyer)).toBe(100)
    await expectStoredAsAtProcessor(buyer)
    await press(String(checkoutUrl), 'pay')
    await newEvents(buyer)
    expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', status: 'active' })
    expect(await readTokens(buyer)).toBe(300)
    expect(await paidAmounts(buyer)).toHaveLength(2)
    await expectStoredAsAtProcessor(buyer)
  },
)
