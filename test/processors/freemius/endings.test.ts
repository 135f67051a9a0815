import { expect, test } from 'vitest'
import { PRICES, press } from './emulator/fixture.ts'
import { startAdapter } from './fixture.ts'

test('a subscription cancelled through our API continues to the end of its period', async () => {
  const { buy, look, pass, adapter, now } = await startAdapter()
  const { bought, license } = await buy()
  const first = await adapter.cancelAtPeriodEnd(license.id, 'too dear & too slow')
  expect(first).toEqual({
    status: 'active',
    cancelAtPeriodEnd: true,
    cancelAt: bought.currentPeriodEnd,
    canceledAt: expect.any(Date),
  })
  expect(await adapter.cancelAtPeriodEnd(license.id, 'again')).toEqual(first)
  const { canceledAt, cancelAt } = first!
  expect(await look(license)).toEqual({ ...bought, cancelAtPeriodEnd: true, cancelAt, canceledAt })
  await pass(31.1)
  expect(cancelAt?.getTime()).toBeLessThan(now().getTime())
  expect(await look(license)).toMatchObject({ status: 'canceled', cancelAt, canceledAt })
})

test('a subscription cancelled in the portal continues to the end of its period', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { bought, license, subscription } = await buy()
  await emulator.portalCancel(subscription)
  expect(await look(license)).toMatchObject({
    status: 'active',
    cancelAtPeriodEnd: true,
    cancelAt: bought.currentPeriodEnd,
  })
})

test('a past due subscription that is cancelled ends at once', async () => {
  const { buy, look, pass, emulator, adapter } = await startAdapter()
  const { bought, license } = await buy()
  await emulator.declineCharges(bought.customer ?? '')
  await pass(31.1)
  expect(await adapter.cancelAtPeriodEnd(license.id, 'no money')).toMatchObject({ status: 'canceled', cancelAt: null })
  expect((await look(license))?.status).toBe('canceled')
})

test('a licence that the owner cancels gives no access from then on', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { license } = await buy()
  await emulator.cancelLicense(license.id)
  expect((await look(license))?.status).toBe('canceled')
})

test('a refund of a subscription changes neither the licence nor the access', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { bought, license, payment } = await buy()
  await emulator.refund(payment)
  expect(await look(license)).toEqual(bought)
})

test('changing the payment method creates another subscription of the same purchase', async () => {
  const { buy, look, emulator, pass } = await startAdapter()
  const { bought, license, subscription } = await buy()
  const { id } = await emulator.replaceSubscription(subscription)
  expect(id).not.toBe(subscription)
  expect(await look(license)).toEqual(bought)
  await pass(31.1)
  expect(await look(license)).toMatchObject({ status: 'active', currentPeriodStart: bought.currentPeriodEnd })
})

test('a purchase is pending until its first payment', async () => {
  const { checkout, adapter, look, emulator, now } = await startAdapter()
  const { page } = await checkout(undefined, 'later')
  const observed = await adapter.observe(page)
  const decision = observed && adapter.decide(observed, now())
  expect(decision).toMatchObject({ isUndecided: true, todo: null })
  expect(decision?.found?.purchase).toMatchObject({ status: 'pending', begun: false, periodCovered: false })
  await emulator.renew(observed?.subscription?.id ?? '')
  expect(await look(page)).toMatchObject({ status: 'active', begun: true })
})

test('a purchase whose first payment never succeeds has not begun', async () => {
  const { checkout, look, pass } = await startAdapter()
  const { page } = await checkout(undefined, 'later')
  await pass(2)
  expect(await look(page)).toMatchObject({ status: 'canceled', begun: false })
})

test('a page that is paid again after a failed first payment has sold the second licence', async () => {
  const { emulator, look, pass, checkout } = await startAdapter()
  const { page, url } = await checkout(PRICES.monthly, 'later')
  await pass(0.1)
  await emulator.cancelLicense(emulator.licenses[0]?.id ?? '')
  expect(await look(page)).toMatchObject({ status: 'canceled', begun: false })
  await press(url, 'pay')
  expect(await look(page)).toMatchObject({ status: 'active', begun: true, processorId: emulator.licenses[1]?.id })
})

test('a deleted licence is read as null', async () => {
  const { buy, look, emulator } = await startAdapter()
  const { license } = await buy()
  await emulator.deleteLicense(license.id)
  expect(await look(license)).toBeNull()
})

test('the portal is opened for a customer', async () => {
  const { buy, adapter, emulator } = await startAdapter()
  const { bought } = await buy()
  const link = (await adapter.openPortal?.(bought.customer ?? '', 'https://shop.example/account')) ?? ''
  expect(link).toMatch(new RegExp(`^${emulator.url}/portal/`))
  expect(await (await fetch(link)).text()).toContain('Cancel subscription')
})

test('a sandbox sale is ignored in live mode, and a live sale in test mode', async () => {
  const { buy, getAdapter, look } = await startAdapter()
  const { license } = await buy()
  expect(await getAdapter(false).observe(license)).toBeNull()
  expect(await look(license)).not.toBeNull()
  const real = await startAdapter({ isTest: false })
  const sold = await real.buy()
  expect(sold.bought.status).toBe('active')
  expect(await real.getAdapter(true).observe(sold.license)).toBeNull()
})

test('a request that Freemius accepts and ignores is not considered done', async () => {
  const setup = await startAdapter()
  const { license } = await setup.buy()
  const ineffective = setup.getAdapter(true, async (...call) =>
    call[1]?.method === 'DELETE' ? Response.json({}) : fetch(...call),
  )
  await expect(ineffective.stopCharging?.(license.id)).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(ineffective.endNow?.(license.id)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('a lifetime licence has no charges, and can be ended', async () => {
  const setup = await startAdapter()
  const { bought, page } = await setup.checkout(PRICES.lifetime).then(async ({ page }) => ({
    page,
    bought: await setup.look(page),
  }))
  const reference = { kind: 'payment' as const, id: bought?.processorId ?? '' }
  await setup.adapter.stopCharging?.(reference.id)
  expect(await setup.look(page)).toMatchObject({ status: 'active' })
  await setup.adapter.endNow?.(reference.id)
  expect(await setup.look(reference)).toMatchObject({ status: 'canceled' })
})
