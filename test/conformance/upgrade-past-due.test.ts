import { describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { advanceClock, causeAtProcessor, decline, newEvents, open, order, pay } from './buyer.ts'
import { KEEPS_PAST_DUE, PAUSES_PAST_DUE, pause } from './drivers/pausing.ts'
import { setUp } from './drivers/set-up.ts'
import { callsChargesBack, chargesNextPeriod, revokesWhatIsPaid, rollsOver, waitsForBank } from './drivers/stopping.ts'
import { useShops } from './shop.ts'
import { bought, expectNoMoreCharges, findPurchase, getOwed, makePastDue, replacing, upgrade } from './upgrading.ts'

// A buyer is never charged for two subscriptions: an unpaid subscription when its replacement is paid.

const getShop = useShops()

describe.each(PROCESSOR_NAMES)('%s', (acquiring) => {
  test('a past due subscription ends, and its open invoices are voided', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId, processorId } = await bought(shop)
    await makePastDue(buyer)
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'past_due' })
    const received = await upgrade(buyer)
    expect(received).toContain('subscription.ended')
    expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
    expect(getOwed(shop, processorId)).toEqual([])
    await expectNoMoreCharges(buyer, purchaseId, 1)
  })

  test('a past due subscription that is paid just before it is stopped ends with the period that was paid', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId, processorId } = await bought(shop)
    await makePastDue(buyer)
    let isPaid = false
    shop.emulator.onCall = async ({ method, path }, run) => {
      const isStop = path.endsWith('/void') || method === 'DELETE'
      if (isStop && !isPaid) {
        isPaid = true
        await shop.account.recover(processorId)
      }
      return run()
    }
    const received = await upgrade(buyer)
    shop.emulator.onCall = undefined
    expect(isPaid).toBe(true)
    expect(received).toContain('payment.succeeded 999')
    const cancelled = { status: 'active', cancel_at_period_end: true }
    expect(await findPurchase(buyer, purchaseId)).toMatchObject(
      revokesWhatIsPaid(acquiring) ? { status: 'canceled' } : cancelled,
    )
    await expectNoMoreCharges(buyer, purchaseId, 2, chargesNextPeriod(acquiring) ? '66d' : '33d')
  })
})

describe.each(PROCESSOR_NAMES.filter(rollsOver))('%s, where a period may begin before it is charged:', (acquiring) => {
  test('a processing charge of a replaced subscription is voided, or the owner gets payment.unexpected', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId, processorId } = await bought(shop)
    await advanceClock(buyer, '1h')
    const page = await open(shop, 'monthly', replacing(buyer))
    await causeAtProcessor(buyer, shop.account.rollOver)
    await pay(page)
    await newEvents(buyer)
    if (callsChargesBack(acquiring)) return expectNoMoreCharges(buyer, purchaseId, 1)
    const received = await advanceClock(buyer, '1h')
    if (waitsForBank(acquiring)) await shop.account.resolve(false, processorId)
    expect([...received, ...(await newEvents(buyer))].toSorted()).toEqual(
      expect.arrayContaining(['payment.succeeded 999', 'payment.unexpected 999']),
    )
    const events = await ownerEvents(shop.world, buyer.userId)
    const [paid, alarm] = ['payment.succeeded', 'payment.unexpected'].map((type) =>
      events.findLast((event) => event.type === type),
    )
    expect(alarm?.data.payment).toMatchObject({ id: paid?.data.payment?.id, purchase_id: purchaseId })
    await expectNoMoreCharges(buyer, purchaseId, 2, '66d')
  })

  test('a replaced subscription whose processing charge fails after it was stopped is not charged again', async () => {
    const shop = getShop(acquiring)
    const { buyer, purchaseId, processorId } = await bought(shop)
    await advanceClock(buyer, '1h')
    const page = await open(shop, 'monthly', replacing(buyer))
    await causeAtProcessor(buyer, shop.account.rollOver)
    await decline(buyer, true)
    await pay(page)
    if (waitsForBank(acquiring)) await shop.account.resolve(true, processorId)
    await advanceClock(buyer, '3d')
    expect(getOwed(shop, processorId)).toEqual([])
    await expectNoMoreCharges(buyer, purchaseId, 1, '66d')
  })
})

test(`${PAUSES_PAST_DUE}: a paused subscription that owes ends, and its open invoices are voided`, async () => {
  const shop = getShop(PAUSES_PAST_DUE)
  const { buyer, purchaseId, processorId } = await bought(shop)
  await makePastDue(buyer)
  await causeAtProcessor(buyer, (id) => pause(shop, id))
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'paused' })
  expect(getOwed(shop, processorId)).not.toEqual([])
  await upgrade(buyer)
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
  expect(getOwed(shop, processorId)).toEqual([])
  await expectNoMoreCharges(buyer, purchaseId, 1)
})

test(`${KEEPS_PAST_DUE}: a subscription that owes and is no longer retried ends, and its open invoices are voided`, async () => {
  const shop = getShop(KEEPS_PAST_DUE, 1)
  await setUp(shop.world[KEEPS_PAST_DUE], shop.paywall.id, { terms: null, afterRetries: 'keep', lagSeconds: 0 })
  const { buyer, purchaseId, processorId } = await bought(shop)
  await makePastDue(buyer)
  await advanceClock(buyer, '20d')
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'past_due' })
  expect(await order(shop, 'yearly', { email: buyer.email })).toMatchObject({ status: 409 })
  expect(getOwed(shop, processorId)).not.toEqual([])
  await upgrade(buyer)
  expect(await findPurchase(buyer, purchaseId)).toMatchObject({ status: 'canceled' })
  expect(getOwed(shop, processorId)).toEqual([])
  await expectNoMoreCharges(buyer, purchaseId, 1)
})
