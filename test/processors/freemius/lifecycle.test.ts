import { expect, test } from 'vitest'
import { PRICES, press } from './emulator/fixture.ts'
import { startAdapter } from './fixture.ts'

const DAY_MS = 86_400_000

test('a buyer who cancels the page returns to the error URL with its query', async () => {
  const { checkout } = await startAdapter()
  expect((await checkout(undefined, 'cancel')).to).toBe('https://pay.example/r/1/error?why=left&to=a%20b')
})

test('a page cannot be read without the order that it was opened for', async () => {
  const { checkout, readSnapshot, adapter } = await startAdapter()
  const { page } = await checkout()
  expect(await adapter.observe({ kind: 'page', id: page.id })).toBeNull()
  expect(await readSnapshot({ ...page, sale: { ...page.sale, email: null } })).toBeNull()
  expect(await readSnapshot({ ...page, sale: { ...page.sale, email: 'eve@example.com' } })).toBeNull()
  expect(await readSnapshot({ ...page, sale: { ...page.sale, email: 'ADA@example.com' } })).not.toBeNull()
  expect(await readSnapshot({ ...page, sale: { ...page.sale, processorPrice: '501:602' } })).toBeNull()
  const tomorrow = new Date(page.sale.openedAt.getTime() + DAY_MS)
  expect(await readSnapshot({ ...page, sale: { ...page.sale, openedAt: tomorrow } })).toBeNull()
})

test('a trial whose first charge fails has paid for no period', async () => {
  const { buy, readSnapshot, pass, emulator } = await startAdapter()
  const { bought, license } = await buy(PRICES.trial)
  await emulator.declineCharges(bought.customer ?? '')
  await pass(7.1)
  const owed = await readSnapshot(license)
  expect(owed).toMatchObject({ status: 'past_due', periodCovered: false, currentPeriodStart: bought.trialEnd })
  await emulator.declineCharges(bought.customer ?? '', false)
  await pass(1)
  const paid = { status: 'active', periodCovered: true, currentPeriodStart: bought.trialEnd }
  expect(await readSnapshot(license)).toMatchObject(paid)
})

test('a cancelled trial ends at once', async () => {
  const { buy, readSnapshot, adapter, now } = await startAdapter()
  const { license } = await buy(PRICES.trial)
  const { status, cancelAt, canceledAt } = (await adapter.cancelAtPeriodEnd(license.id, 'not for me'))!
  expect({ status, cancelAt }).toEqual({ status: 'canceled', cancelAt: null })
  expect(Math.abs((canceledAt?.getTime() ?? 0) - now().getTime())).toBeLessThan(5_000)
  const ended = await readSnapshot(license)
  expect(ended).toMatchObject({ status: 'canceled', begun: true, canceledAt, currentPeriodEnd: canceledAt })
})

test('a failed renewal does not move the end of the period', async () => {
  const { buy, readSnapshot, pass, emulator } = await startAdapter()
  const { bought, license } = await buy()
  await emulator.declineCharges(bought.customer ?? '')
  await pass(31.1)
  expect(await readSnapshot(license)).toMatchObject({ status: 'past_due', currentPeriodEnd: bought.currentPeriodEnd })
})

test('changing the payment method creates another subscription of the same purchase', async () => {
  const { buy, readSnapshot, emulator, pass } = await startAdapter()
  const { bought, license, subscription } = await buy()
  const { id } = await emulator.replaceSubscription(subscription)
  expect(id).not.toBe(subscription)
  expect(await readSnapshot(license)).toEqual(bought)
  await pass(31.1)
  expect(await readSnapshot(license)).toMatchObject({ status: 'active', currentPeriodStart: bought.currentPeriodEnd })
})

test('a page that is paid again after a failed first payment has sold the second licence', async () => {
  const { emulator, readSnapshot, pass, checkout } = await startAdapter()
  const { page, url } = await checkout(PRICES.monthly, 'later')
  await pass(0.1)
  await emulator.cancelLicense(emulator.licenses[0]?.id ?? '')
  expect(await readSnapshot(page)).toMatchObject({ status: 'canceled', begun: false })
  await press(url, 'pay')
  expect(await readSnapshot(page)).toMatchObject({
    status: 'active',
    begun: true,
    processorId: emulator.licenses[1]?.id,
  })
})

test('a deleted licence is read as null', async () => {
  const { buy, readSnapshot, emulator } = await startAdapter()
  const { license } = await buy()
  await emulator.deleteLicense(license.id)
  expect(await readSnapshot(license)).toBeNull()
})

test('a sandbox sale is ignored in live mode, and a live sale in test mode', async () => {
  const { buy, getAdapter, readSnapshot } = await startAdapter()
  const { license } = await buy()
  expect(await getAdapter(false).observe(license)).toBeNull()
  expect(await readSnapshot(license)).not.toBeNull()
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
    bought: await setup.readSnapshot(page),
  }))
  const reference = { kind: 'payment' as const, id: bought?.processorId ?? '' }
  await setup.adapter.stopCharging?.(reference.id)
  expect(await setup.readSnapshot(page)).toMatchObject({ status: 'active' })
  await setup.adapter.endNow?.(reference.id)
  expect(await setup.readSnapshot(reference)).toMatchObject({ status: 'canceled' })
})
