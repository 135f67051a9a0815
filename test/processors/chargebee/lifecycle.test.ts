import { describe, expect, test } from 'vitest'
import { CHECKOUT_ID, getOrder, startSelling } from './selling.ts'

const DAY_MS = 24 * 3600 * 1000
const LOCAL_ID = 'a7f0c0a2-2f4e-4ac0-8a50-55b8f2f6c001'

describe('a subscription', () => {
  test('is sold with our checkout id, and sends events', async () => {
    const { look, sell, purchase, now, reported, facts } = await startSelling()
    const { page, location } = await sell()
    expect(location).toBe(`https://pay.example/r/1/success?id=${page.pageId}&state=succeeded`)
    const decision = await look({ kind: 'page', id: page.pageId })
    expect(decision).toMatchObject({ isUndecided: false, todo: null, found: { paywallId: null } })
    const bought = decision?.found?.purchase
    expect(bought).toMatchObject({
      processorId: CHECKOUT_ID,
      checkoutId: CHECKOUT_ID,
      customer: expect.stringMatching(/^cbc_/),
      buyerEmail: 'ada@example.com',
      status: 'active',
      begun: true,
      periodCovered: true,
      interval: 'month',
      intervalCount: 1,
      unitAmount: 999,
      currency: 'USD',
      trialStart: null,
      trialEnd: null,
      cancelAtPeriodEnd: false,
      cancelAt: null,
      canceledAt: null,
    })
    expect(bought?.currentPeriodStart?.getTime()).toBeLessThanOrEqual(now().getTime())
    expect(bought?.currentPeriodEnd?.getTime()).toBeGreaterThan(now().getTime() + 27 * DAY_MS)
    expect(await purchase()).toEqual(bought)
    expect(await facts()).toMatchObject([{ kind: 'succeeded', amount: 999, currency: 'USD' }])
    expect(reported.map(({ about }) => about)).toEqual([
      { kind: 'subscription', id: CHECKOUT_ID },
      { kind: 'subscription', id: CHECKOUT_ID },
    ])
  })

  test('is not sold by a page that is open, declined, cancelled or expired', async () => {
    const { adapter, look, sell, facts, emulator, now } = await startSelling()
    const { page, location } = await sell({}, 'decline')
    const reference = { kind: 'page', id: page.pageId } as const
    expect(location).toContain('declined')
    expect(await look(reference)).toMatchObject({ found: null, isUndecided: true })
    expect((await sell({}, 'cancel')).location).toContain('https://pay.example/r/1/error?')
    expect(await look(reference)).toMatchObject({ found: null, isUndecided: false })
    const other = await adapter.openCheckout(getOrder({ key: 'other' }))
    await emulator.moveTo('1001', Math.floor(now().getTime() / 1000) + 3 * 3600)
    expect(await look({ kind: 'page', id: other.pageId })).toMatchObject({ isUndecided: false })
    expect(await look({ kind: 'page', id: 'unknown' })).toBeNull()
    expect(await facts()).toEqual([])
  })

  test('begins with a trial, and is charged when that ends', async () => {
    const { sell, purchase, passTo, reported, facts, now } = await startSelling()
    await sell({ trialDays: 7 })
    const trial = await purchase()
    expect(trial).toMatchObject({ status: 'trialing', begun: true, periodCovered: true, unitAmount: 999 })
    const left = ((trial?.trialEnd?.getTime() ?? 0) - now().getTime()) / DAY_MS
    expect(Math.ceil(left)).toBe(7)
    expect(trial?.currentPeriodEnd).toEqual(trial?.trialEnd)
    expect(await facts()).toEqual([])
    await passTo(trial?.trialEnd)
    expect(reported.filter(({ trialEnding }) => trialEnding)).toHaveLength(1)
    expect(await purchase()).toMatchObject({
      status: 'active',
      periodCovered: true,
      currentPeriodStart: trial?.trialEnd,
      trialEnd: trial?.trialEnd,
    })
    expect(await facts()).toMatchObject([{ kind: 'succeeded', amount: 999 }])
  })

  test('has no trial if none is ordered, and is charged a local price in the units of its currency', async () => {
    const { sell, purchase, facts } = await startSelling()
    await sell({ processorPrice: 'pro-JPY-quarterly', currency: 'JPY', amount: 2400 })
    expect(await purchase()).toMatchObject({ unitAmount: 2400, currency: 'JPY', interval: 'month', intervalCount: 3 })
    await sell({ checkoutId: LOCAL_ID, key: 'k', processorPrice: 'pro-KWD-yearly', currency: 'KWD' })
    expect(await purchase(LOCAL_ID)).toMatchObject({ unitAmount: 12500, currency: 'KWD', interval: 'year' })
    expect(await facts()).toMatchObject([{ amount: 2400 }, { amount: 12500, currency: 'KWD' }])
  })

  test('renews, becomes past due, recovers, and is cancelled when all retries fail', async () => {
    const { emulator, sell, purchase, passTo, facts } = await startSelling()
    await sell()
    const first = await purchase()
    await passTo(first?.currentPeriodEnd)
    const second = await purchase()
    expect(second).toMatchObject({ status: 'active', currentPeriodStart: first?.currentPeriodEnd })
    await emulator.declineCharges(first?.customer ?? '')
    await passTo(second?.currentPeriodEnd)
    expect(await purchase()).toMatchObject({ status: 'past_due', begun: true, periodCovered: false })
    await emulator.declineCharges(first?.customer ?? '', false)
    await emulator.renew(CHECKOUT_ID)
    expect(await purchase()).toMatchObject({ status: 'active', periodCovered: true })
    await emulator.declineCharges(first?.customer ?? '')
    const third = await purchase()
    await passTo(new Date((third?.currentPeriodEnd?.getTime() ?? 0) + 15 * DAY_MS))
    expect(await purchase()).toMatchObject({ status: 'canceled', begun: true, periodCovered: false })
    const kinds = (await facts()).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'succeeded')).toHaveLength(3)
    expect(kinds.filter((kind) => kind === 'failed')).toHaveLength(5)
    expect(new Set((await facts()).map(({ id }) => id)).size).toBe(8)
  })

  test('is cancelled through our API with the reason as a comment; a repeat changes nothing', async () => {
    const { adapter, chargebee, sell, purchase, passTo, reported, emulator } = await startSelling()
    await sell()
    const end = (await purchase())?.currentPeriodEnd
    const cancellation = await adapter.cancelAtPeriodEnd(CHECKOUT_ID, 'Too expensive')
    expect(cancellation).toMatchObject({ status: 'active', cancelAt: end, canceledAt: expect.any(Date) })
    expect(await adapter.cancelAtPeriodEnd(CHECKOUT_ID, 'Again')).toEqual(cancellation)
    const { list } = await chargebee.comment.list({ entity_type: 'subscription', entity_id: CHECKOUT_ID })
    expect(list.map(({ comment }) => comment.notes)).toEqual(['Too expensive'])
    expect(await purchase()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, cancelAt: end })
    await emulator.drainWebhooks()
    expect(reported.at(-1)?.about).toEqual({ kind: 'subscription', id: CHECKOUT_ID })
    await passTo(end)
    expect(await purchase()).toMatchObject({
      status: 'canceled',
      cancelAtPeriodEnd: false,
      canceledAt: expect.any(Date),
    })
    expect(await adapter.cancelAtPeriodEnd(CHECKOUT_ID, 'Late')).toMatchObject({ status: 'canceled', cancelAt: null })
  })

  test('that is cancelled during its trial continues to the end of the trial', async () => {
    const { adapter, sell, purchase, passTo, facts } = await startSelling()
    await sell({ trialDays: 3 })
    const end = (await purchase())?.trialEnd
    await adapter.cancelAtPeriodEnd(CHECKOUT_ID, '')
    expect(await purchase()).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true, cancelAt: end })
    await passTo(end)
    expect(await purchase()).toMatchObject({ status: 'canceled', begun: true })
    expect(await facts()).toEqual([])
  })

  test('follows changes at Chargebee: cancelled and kept in the portal, paused, resumed and ended', async () => {
    const { emulator, sell, purchase } = await startSelling()
    await sell()
    await emulator.portalCancel(CHECKOUT_ID)
    expect(await purchase()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    await emulator.portalUndo(CHECKOUT_ID)
    expect(await purchase()).toMatchObject({ cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null })
    await emulator.pause(CHECKOUT_ID)
    expect(await purchase()).toMatchObject({ status: 'paused' })
    await emulator.resume(CHECKOUT_ID)
    await emulator.end(CHECKOUT_ID)
    expect(await purchase()).toMatchObject({ status: 'canceled' })
  })

  test('is pending while its first payment is processing, and then active or canceled', async () => {
    const { emulator, adapter, purchase, facts } = await startSelling()
    const page = await adapter.openCheckout(getOrder())
    await emulator.payLater(page.pageId)
    expect(await purchase()).toMatchObject({ status: 'pending', begun: false, periodCovered: false })
    await emulator.renew(CHECKOUT_ID)
    expect(await purchase()).toMatchObject({ status: 'active', begun: true, periodCovered: true })
    const other = await adapter.openCheckout(getOrder({ checkoutId: LOCAL_ID, key: 'k' }))
    await emulator.payLater(other.pageId)
    await emulator.renew(LOCAL_ID, { fail: true })
    await emulator.end(LOCAL_ID)
    expect(await purchase(LOCAL_ID)).toMatchObject({ status: 'canceled', begun: false })
    expect((await facts()).map(({ kind }) => kind)).toEqual(['succeeded', 'failed'])
  })

  test('stays active after a refund, which is reported once it has succeeded, and is past due after a reversed payment', async () => {
    const { emulator, chargebee, sell, purchase, facts, look } = await startSelling()
    await sell()
    const { list } = await chargebee.invoice.list({
      subscription_id: { is: CHECKOUT_ID },
      'sort_by[asc]': 'date',
    })
    emulator.slowRefunds = true
    const refund = await chargebee.invoice.refund(list[0]?.invoice.id ?? '', { refund_amount: 100 })
    expect((await facts()).map(({ kind }) => kind)).toEqual(['succeeded'])
    await emulator.resolveRefund(refund.transaction.id)
    expect((await facts()).at(-1)).toMatchObject({ kind: 'refunded', id: refund.transaction.id, amount: 100 })
    expect(await purchase()).toMatchObject({ status: 'active' })
    const dispute = await emulator.dispute(emulator.payments[0]?.id ?? '')
    const [paid] = list[0]?.invoice.linked_payments ?? []
    const about = { id: paid?.txn_id, paymentId: list[0]?.invoice.id, amount: 999 }
    expect((await facts()).at(-1)).toMatchObject({ kind: 'disputed', ...about })
    const observed = await look({ kind: 'subscription', id: CHECKOUT_ID })
    expect(observed?.payments).toMatchObject([
      { kind: 'disputed', ...about },
      { kind: 'dispute_lost', ...about },
    ])
    expect(await purchase()).toMatchObject({ status: 'past_due', begun: true })
    await emulator.closeDispute(dispute.id, { won: true })
    expect((await facts()).at(-1)).toMatchObject({ kind: 'dispute_won', ...about })
    expect(await purchase()).toMatchObject({ status: 'active' })
  })
})
