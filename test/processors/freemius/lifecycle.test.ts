import { expect, test } from 'vitest'
import { ADA, PRICES } from './emulator/fixture.ts'
import { CHECKOUT_ID, startAdapter } from './fixture.ts'

const DAY_MS = 86_400_000

test('a monthly subscription is found by the buyer, the price and the time', async () => {
  const { checkout, look, now } = await startAdapter()
  const { to, page } = await checkout()
  expect(page.id).toBe(CHECKOUT_ID)
  expect(to).toMatch(/^https:\/\/shop\.example\/r\/freemius\/1001\?/)
  const bought = await look(page)
  expect(bought).toMatchObject({
    checkoutId: null,
    processorPrice: '501:601',
    buyerEmail: ADA,
    customer: expect.stringMatching(/^\d+$/),
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
  expect(Math.abs((bought?.currentPeriodStart?.getTime() ?? 0) - now().getTime())).toBeLessThan(5_000)
  const days = ((bought?.currentPeriodEnd?.getTime() ?? 0) - now().getTime()) / DAY_MS
  expect(days).toBeGreaterThan(27.9)
  expect(await look({ kind: 'subscription', id: bought?.processorId ?? '' })).toEqual(bought)
  expect(await look({ kind: 'payment', id: bought?.processorId ?? '' })).toEqual(bought)
})

test.each(['decline', 'cancel'])('a buyer who presses %s has bought nothing', async (action) => {
  const { checkout, look } = await startAdapter()
  const { page, to } = await checkout(undefined, action)
  expect(await look(page)).toBeNull()
  if (action === 'cancel') expect(to).toBe('https://pay.example/r/1/error?why=left&to=a%20b')
})

test('a page cannot be read without the order that it was opened for', async () => {
  const { checkout, look, adapter } = await startAdapter()
  const { page } = await checkout()
  expect(await adapter.observe({ kind: 'page', id: page.id })).toBeNull()
  expect(await look({ ...page, sale: { ...page.sale, email: null } })).toBeNull()
  expect(await look({ ...page, sale: { ...page.sale, email: 'eve@example.com' } })).toBeNull()
  expect(await look({ ...page, sale: { ...page.sale, email: 'ADA@example.com' } })).not.toBeNull()
  expect(await look({ ...page, sale: { ...page.sale, processorPrice: '501:602' } })).toBeNull()
  const tomorrow = new Date(page.sale.openedAt.getTime() + DAY_MS)
  expect(await look({ ...page, sale: { ...page.sale, openedAt: tomorrow } })).toBeNull()
})

test('a local price is sold in its currency', async () => {
  const { buy } = await startAdapter()
  expect((await buy(PRICES.euro)).bought).toMatchObject({ currency: 'EUR', unitAmount: 899, processorPrice: '501:602' })
})

test('an annual price lasts a year', async () => {
  const { buy, now } = await startAdapter()
  const { bought } = await buy(PRICES.annual)
  expect(bought).toMatchObject({ interval: 'year', intervalCount: 1, unitAmount: 9900 })
  expect(((bought.currentPeriodEnd?.getTime() ?? 0) - now().getTime()) / DAY_MS).toBeGreaterThan(364)
})

test('a lifetime licence lasts until it is refunded', async () => {
  const { buy, look, emulator, pass } = await startAdapter()
  const { bought, license, payment } = await buy(PRICES.lifetime)
  expect(bought).toMatchObject({
    status: 'active',
    begun: true,
    periodCovered: true,
    interval: null,
    intervalCount: null,
    unitAmount: 19900,
    currentPeriodStart: null,
    currentPeriodEnd: null,
    buyerEmail: ADA,
  })
  await pass(4000)
  expect(await look(license)).toEqual(bought)
  await emulator.refund(payment, 900)
  expect((await look(license))?.status).toBe('active')
  await emulator.refund(payment)
  expect((await look(license))?.status).toBe('refunded')
})

test('a disputed lifetime licence is refunded once the dispute is lost', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { license, payment } = await buy(PRICES.lifetime)
  const { id } = await emulator.dispute(payment)
  expect((await look(license))?.status).toBe('active')
  await emulator.closeDispute(id)
  expect((await look(license))?.status).toBe('refunded')
})

test('a won dispute leaves the purchase unchanged', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { license, payment, bought } = await buy(PRICES.lifetime)
  const { id } = await emulator.dispute(payment)
  await emulator.closeDispute(id, { won: true })
  expect(await look(license)).toEqual(bought)
})

test('a trial becomes a paid period', async () => {
  const { buy, look, pass } = await startAdapter()
  const { bought, license } = await buy(PRICES.trial)
  expect(bought).toMatchObject({ status: 'trialing', begun: true, periodCovered: true, unitAmount: 999 })
  expect(bought.trialEnd).toEqual(bought.currentPeriodEnd)
  expect(bought.trialStart).toEqual(bought.currentPeriodStart)
  await pass(7.1)
  const paid = await look(license)
  expect(paid).toMatchObject({ status: 'active', periodCovered: true, trialEnd: bought.trialEnd })
  expect(paid?.currentPeriodStart).toEqual(bought.trialEnd)
})

test('a trial whose first charge fails has paid for no period', async () => {
  const { buy, look, pass, emulator } = await startAdapter()
  const { bought, license } = await buy(PRICES.trial)
  await emulator.declineCharges(bought.customer ?? '')
  await pass(7.1)
  const owed = await look(license)
  expect(owed).toMatchObject({ status: 'past_due', periodCovered: false, currentPeriodStart: bought.trialEnd })
  await emulator.declineCharges(bought.customer ?? '', false)
  await pass(1)
  const paid = { status: 'active', periodCovered: true, currentPeriodStart: bought.trialEnd }
  expect(await look(license)).toMatchObject(paid)
})

test('a cancelled trial ends at once', async () => {
  const { buy, look, adapter, now } = await startAdapter()
  const { license } = await buy(PRICES.trial)
  const { status, cancelAt, canceledAt } = (await adapter.cancelAtPeriodEnd(license.id, 'not for me'))!
  expect({ status, cancelAt }).toEqual({ status: 'canceled', cancelAt: null })
  expect(Math.abs((canceledAt?.getTime() ?? 0) - now().getTime())).toBeLessThan(5_000)
  const ended = await look(license)
  expect(ended).toMatchObject({ status: 'canceled', begun: true, canceledAt, currentPeriodEnd: canceledAt })
})

test('a renewal begins the next period when it is paid', async () => {
  const { buy, look, pass, emulator } = await startAdapter()
  const { bought, license } = await buy()
  await pass(31.1)
  const renewed = await look(license)
  expect(renewed).toMatchObject({ status: 'active', periodCovered: true, processorId: bought.processorId })
  expect(renewed?.currentPeriodStart).toEqual(bought.currentPeriodEnd)
  expect(renewed?.currentPeriodEnd?.getTime()).toBeGreaterThan(bought.currentPeriodEnd?.getTime() ?? 0)
  expect(emulator.subscriptions).toHaveLength(1)
})

test('a manual renewal counts, whatever the clock', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { bought, license, subscription } = await buy()
  await emulator.renew(subscription)
  const renewed = await look(license)
  expect(renewed).toMatchObject({ status: 'active', currentPeriodStart: bought.currentPeriodEnd })
  const trial = await startAdapter()
  const sold = await trial.buy(PRICES.trial)
  await trial.emulator.renew(sold.subscription)
  expect(await trial.look(sold.license)).toMatchObject({ status: 'active' })
})

test('a failed renewal is past due, and recovers', async () => {
  const { buy, look, pass, emulator } = await startAdapter()
  const { bought, license } = await buy()
  await emulator.declineCharges(bought.customer ?? '')
  await pass(31.1)
  const owing = await look(license)
  expect(owing).toMatchObject({ status: 'past_due', begun: true, cancelAtPeriodEnd: false, canceledAt: null })
  expect(owing?.currentPeriodEnd).toEqual(bought.currentPeriodEnd)
  await emulator.declineCharges(bought.customer ?? '', false)
  await pass(4)
  expect(await look(license)).toMatchObject({ status: 'active', periodCovered: true })
})

test('a subscription ends after four failed renewals', async () => {
  const { buy, look, pass, emulator } = await startAdapter()
  const { bought, license } = await buy()
  await emulator.declineCharges(bought.customer ?? '')
  await pass(37)
  expect((await look(license))?.status).toBe('past_due')
  await pass(5)
  const over = await look(license)
  expect(over).toMatchObject({ status: 'canceled', begun: true, canceledAt: expect.any(Date) })
})
