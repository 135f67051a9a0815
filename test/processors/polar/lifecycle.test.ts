import { describe, expect, test } from 'vitest'
import { ADA, lifetime, openShop } from './shop.ts'

const MINUTE_MS = 60_000

test('a renewal covers its period when it is paid', async () => {
  const shop = await openShop()
  const { purchase, reference } = await shop.buy()
  await shop.events()
  await shop.moveTo(purchase.currentPeriodEnd)
  const begun = await shop.purchase(reference)
  expect(begun).toMatchObject({ status: 'active', periodCovered: false, currentPeriodStart: purchase.currentPeriodEnd })
  expect(payments(await shop.events())).toEqual([])

  await shop.moveTo(new Date(purchase.currentPeriodEnd!.getTime() + MINUTE_MS))
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', periodCovered: true })
  expect(payments(await shop.events())).toMatchObject([{ kind: 'succeeded', amount: 999, currency: 'USD' }])
})

test('the period after a trial is not covered by the order of the trial', async () => {
  const shop = await openShop()
  const { purchase, reference } = await shop.buy({ trialDays: 3 })
  expect(purchase).toMatchObject({ status: 'trialing', periodCovered: true })
  await shop.moveTo(purchase.trialEnd)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', periodCovered: false })
  await shop.moveTo(new Date(purchase.trialEnd!.getTime() + MINUTE_MS))
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', periodCovered: true })
})

test('a failed charge makes the purchase past due, and a successful one makes it active again', async () => {
  const shop = await openShop()
  const { purchase, reference } = await shop.buy()
  await shop.emulator.declineCharges(purchase.customer ?? '')
  await shop.moveTo(new Date(purchase.currentPeriodEnd!.getTime() + MINUTE_MS))
  await shop.events()
  expect(await shop.purchase(reference)).toMatchObject({ status: 'past_due', periodCovered: false })

  await shop.emulator.renew(reference.id, { fail: true })
  const failed = payments(await shop.events())
  expect(failed).toMatchObject([{ kind: 'failed', amount: 999, id: expect.stringMatching(/^[\w-]+:\d+$/) }])
  await shop.emulator.renew(reference.id)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', periodCovered: true })
  const [paid] = payments(await shop.events())
  expect(paid).toMatchObject({ kind: 'succeeded', id: failed[0]?.id.split(':')[0] })
})

test('a subscription ends when all retries fail', async () => {
  const shop = await openShop()
  const { purchase, reference } = await shop.buy()
  await shop.emulator.declineCharges(purchase.customer ?? '')
  await shop.moveTo(new Date(purchase.currentPeriodEnd!.getTime() + 30 * 86_400_000))
  expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled', periodCovered: false })
  const failed = payments(await shop.events()).filter(({ kind }) => kind === 'failed')
  expect(new Set(failed.map(({ id }) => id)).size).toBe(4)
})

test('an unpaid subscription has ended, since Polar does not charge it any more', async () => {
  const shop = await openShop()
  const { reference } = await shop.buy()
  await shop.emulator.renew(reference.id, { fail: true })
  await shop.emulator.markUnpaid(reference.id)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled' })
})

describe('a cancellation', () => {
  test('through our API stops the renewal, passes the reason, and may be repeated', async () => {
    const shop = await openShop()
    const { purchase, reference } = await shop.buy()
    const first = await shop.adapter.cancelAtPeriodEnd(reference.id, 'Too dear')
    const end = purchase.currentPeriodEnd
    expect(first).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      cancelAt: end,
      canceledAt: expect.any(Date),
    })
    expect(await shop.polar.subscriptions.get(reference.id)).toMatchObject({
      customer_cancellation_reason: 'other',
      customer_cancellation_comment: 'Too dear',
    })
    expect(await shop.adapter.cancelAtPeriodEnd(reference.id, 'Again')).toEqual(first)
    expect(await shop.purchase(reference)).toMatchObject({ cancelAtPeriodEnd: true, cancelAt: end, status: 'active' })
    await shop.moveTo(end)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled', cancelAt: end })
  })

  test('of a trial takes effect at the end of the trial', async () => {
    const shop = await openShop()
    const { purchase, reference } = await shop.buy({ trialDays: 3 })
    expect(await shop.adapter.cancelAtPeriodEnd(reference.id, '')).toMatchObject({
      status: 'trialing',
      cancelAt: purchase.trialEnd,
    })
  })

  test('of a paused subscription ends it at once, passes the reason, and may be repeated', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await shop.emulator.pause(reference.id)
    const first = await shop.adapter.cancelAtPeriodEnd(reference.id, 'Too dear')
    expect(first).toMatchObject({ status: 'canceled', canceledAt: expect.any(Date) })
    expect(await shop.polar.subscriptions.get(reference.id)).toMatchObject({
      customer_cancellation_reason: 'other',
      customer_cancellation_comment: 'Too dear',
    })
    expect(await shop.adapter.cancelAtPeriodEnd(reference.id, 'Again')).toEqual(first)
  })

  test('at Polar is reported, and can be undone there', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await shop.events()
    await shop.emulator.portalCancel(reference.id)
    expect(new Set((await shop.events()).map(({ about }) => about))).toContainEqual(reference)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await shop.emulator.portalUndo(reference.id)
    expect(new Set((await shop.events()).map(({ about }) => about))).toContainEqual(reference)
    const kept = await shop.purchase(reference)
    expect(kept).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null })
  })

  test('of a subscription that has ended returns its end', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await shop.emulator.end(reference.id)
    expect(await shop.adapter.cancelAtPeriodEnd(reference.id, '')).toMatchObject({ status: 'canceled' })
  })
})

test('a pause and its end are reported', async () => {
  const shop = await openShop()
  const { reference } = await shop.buy()
  await shop.emulator.pause(reference.id)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'paused' })
  await shop.emulator.resume(reference.id)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active' })
})

describe('a refund', () => {
  test('in part keeps a one-time purchase, and in full ends it', async () => {
    const shop = await openShop()
    const { purchase } = await shop.buy(lifetime)
    const reference = { kind: 'payment', id: purchase.processorId } as const
    await shop.events()
    await shop.emulator.refund(reference.id, 900)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'active' })
    await shop.emulator.refund(reference.id)
    expect(await shop.purchase(reference)).toMatchObject({ status: 'refunded', begun: true, periodCovered: true })
    const events = await shop.events()
    expect(payments(events).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['refunded', 900],
      ['refunded', 4000],
    ])
    expect(events.every(({ about }) => about?.id === reference.id)).toBe(true)
  })

  test('is reported when it has succeeded, and not while it is pending or if it failed', async () => {
    const shop = await openShop()
    const { purchase, reference } = await shop.buy()
    await shop.events()
    shop.emulator.slowRefunds = true
    const [order] = (await shop.polar.orders.list({ subscription_id: reference.id })).items
    const slow = await shop.emulator.refund(order?.id ?? '', 100)
    expect(payments(await shop.events())).toEqual([])
    await shop.emulator.resolveRefund(slow.id)
    const other = await shop.emulator.refund(order?.id ?? '', 200)
    await shop.emulator.resolveRefund(other.id, { fail: true })
    const events = await shop.events()
    expect(payments(events)).toMatchObject([
      { kind: 'refunded', id: slow.id, amount: 100, paymentId: order?.id },
      { kind: 'refund_failed', id: other.id, amount: 200, paymentId: order?.id },
    ])
    expect(events.map(({ about }) => about)).toContainEqual(reference)
    // Only the versions have increased.
    expect(await shop.purchase(reference)).toEqual({ ...purchase, versions: expect.anything() })
  })

  test('that prevents a dispute is reported as a refund, and ends the subscription', async () => {
    const shop = await openShop()
    const { reference } = await shop.buy()
    await shop.events()
    const [order] = (await shop.polar.orders.list({ subscription_id: reference.id })).items
    const refund = await shop.emulator.preventDispute(order?.id ?? '')
    expect(refund).toMatchObject({ subscription_id: null, dispute: { status: 'prevented' } })
    const events = await shop.events()
    const reported = events.find(({ payment }) => payment?.kind === 'refunded')
    expect(reported?.payment).toMatchObject({ id: refund.id, amount: 999 })
    // The refund has no subscription id, but still leads to the subscription.
    expect(reported?.about && (await shop.purchase(reported.about))).toMatchObject({ processorId: reference.id })
    expect(await shop.purchase(reference)).toMatchObject({ status: 'canceled' })
  })

  test.each([{ won: true }, { won: false }])('by a dispute is found when the subscription ends: %o', async (end) => {
    const shop = await openShop()
    const { purchase, reference } = await shop.buy()
    await shop.events()
    const [order] = (await shop.polar.orders.list({ subscription_id: reference.id })).items
    const dispute = await shop.emulator.dispute(order?.id ?? '')
    expect(await shop.events()).toEqual([])
    expect(await shop.purchase(reference)).toEqual(purchase)
    await shop.emulator.closeDispute(dispute.id, end)
    const events = await shop.events()
    expect([payments(events), events.map(({ about }) => about)]).toEqual([[], expect.arrayContaining([reference])])
    const ended = await shop.look(reference)
    expect(ended?.found?.purchase).toMatchObject({ status: 'canceled' })
    expect(ended?.payments).toMatchObject([{ kind: 'disputed' }, { kind: end.won ? 'dispute_won' : 'dispute_lost' }])
  })

  test.each([
    { won: true, status: 'active', kind: 'dispute_won' },
    { won: false, status: 'refunded', kind: 'dispute_lost' },
  ])(
    'by a dispute of a one-time purchase has no event, and is found by a read: $kind',
    async ({ won, status, kind }) => {
      const shop = await openShop()
      const { purchase } = await shop.buy(lifetime)
      const reference = { kind: 'payment', id: purchase.processorId } as const
      await shop.events()
      const { id } = await shop.emulator.dispute(purchase.processorId)
      const opened = { kind: 'disputed', id, paymentId: purchase.processorId, amount: 4900, currency: 'USD' }
      expect(await shop.look(reference)).toMatchObject({
        found: { purchase: { status: 'active' } },
        payments: [opened],
      })
      await shop.emulator.closeDispute(id, { won })
      expect(await shop.events()).toEqual([])
      expect(await shop.look(reference)).toMatchObject({
        found: { purchase: { status } },
        payments: [opened, { kind, id }],
      })
    },
  )
})

test('an organisation that allows one subscription per customer refuses a second one on its page', async () => {
  const shop = await openShop()
  await shop.emulator.allowMultipleSubscriptions('1001', false)
  await shop.buy()
  await expect(shop.buy({ userId: ADA })).rejects.toThrow('nothing was bought')
})

test('stopCharging fails if the buyer undoes a scheduled end at that moment, and can be repeated', async () => {
  const shop = await openShop()
  const { reference } = await shop.buy()
  await shop.adapter.cancelAtPeriodEnd(reference.id, '')
  shop.emulator.onCall = async (_, run) => {
    const refusal = await run()
    shop.emulator.onCall = undefined
    await shop.emulator.portalUndo(reference.id)
    return refusal
  }
  await expect(shop.adapter.stopCharging?.(reference.id)).rejects.toMatchObject({ kind: 'unavailable' })
  await shop.adapter.stopCharging?.(reference.id)
  expect(await shop.purchase(reference)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
})

type Events = Awaited<ReturnType<Awaited<ReturnType<typeof openShop>>['events']>>

const payments = (events: Events) => events.flatMap(({ payment }) => payment ?? [])
