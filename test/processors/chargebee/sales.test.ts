import { expect, test } from 'vitest'
import { CHECKOUT_ID, getOrder, startAdapter } from './selling.ts'

const OTHER_ID = 'a7f0c0a2-2f4e-4ac0-8a50-55b8f2f6c001'

test('nothing is sold by a page that is open, declined, cancelled or expired', async () => {
  const { adapter, readSnapshot, sell, facts, emulator, now } = await startAdapter()
  const { page, location } = await sell({}, 'decline')
  const reference = { kind: 'page', id: page.pageId } as const
  expect(location).toContain('declined')
  expect(await readSnapshot(reference)).toMatchObject({ found: null, isUndecided: true })
  expect((await sell({}, 'cancel')).location).toContain('https://pay.example/r/1/error?')
  expect(await readSnapshot(reference)).toMatchObject({ found: null, isUndecided: false })
  const other = await adapter.openCheckout(getOrder({ key: 'other' }))
  await emulator.moveTo('1001', Math.floor(now().getTime() / 1000) + 3 * 3600)
  expect(await readSnapshot({ kind: 'page', id: other.pageId })).toMatchObject({ isUndecided: false })
  expect(await readSnapshot({ kind: 'page', id: 'unknown' })).toBeNull()
  expect(await facts()).toEqual([])
})

test('a local price is charged in the units of its currency', async () => {
  const { sell, purchase, facts } = await startAdapter()
  await sell({ processorPrice: 'pro-JPY-quarterly', currency: 'JPY', amount: 2400 })
  expect(await purchase()).toMatchObject({ unitAmount: 2400, currency: 'JPY', interval: 'month', intervalCount: 3 })
  await sell({ checkoutId: OTHER_ID, key: 'k', processorPrice: 'pro-KWD-yearly', currency: 'KWD' })
  expect(await purchase(OTHER_ID)).toMatchObject({ unitAmount: 12500, currency: 'KWD', interval: 'year' })
  expect(await facts()).toMatchObject([{ amount: 2400 }, { amount: 12500, currency: 'KWD' }])
})

test('a known buyer buys again as the same customer; an anonymous one enters an e-mail address on the page', async () => {
  const { sell, purchase } = await startAdapter()
  await sell({ email: null }, 'pay', { email: 'guest@example.com' })
  const first = await purchase()
  expect(first?.buyerEmail).toBe('guest@example.com')
  await sell({ checkoutId: OTHER_ID, key: 'k', customer: first?.customer ?? null })
  expect((await purchase(OTHER_ID))?.customer).toBe(first?.customer)
})

test('the same key opens the same page, also with a trial; the same checkout sells once with any key', async () => {
  const { adapter, emulator, sell } = await startAdapter()
  for (const trialDays of [0, 7]) {
    const order = getOrder({ key: `k${trialDays}`, trialDays })
    expect(await adapter.openCheckout(order)).toEqual(await adapter.openCheckout(order))
  }
  expect(emulator.hostedPages).toHaveLength(2)
  await sell()
  await expect(adapter.openCheckout(getOrder({ key: 'other' }))).rejects.toMatchObject({ kind: 'rejected' })
})

test('opens the portal; a return URL that is too long is left out', async () => {
  const { adapter, emulator, sell, purchase } = await startAdapter()
  await sell()
  const customer = (await purchase())?.customer ?? ''
  const open = async (returnUrl: string) => (await adapter.openPortal?.(customer, returnUrl)) ?? 'no portal'
  expect(await (await fetch(await open('https://a.example/account'))).text()).toContain('https://a.example/account')
  expect(await (await fetch(await open(`https://a.example/${'x'.repeat(250)}`))).text()).not.toContain('a.example')
  await expect(adapter.openPortal?.('nobody', 'https://a.example/')).rejects.toMatchObject({ kind: 'rejected' })
  await emulator.enablePortal('1001', false)
  await expect(open('https://a.example/')).rejects.toMatchObject({ kind: 'misconfigured' })
})

test('an e-mail address that is too long for Chargebee is left to the page', async () => {
  const { sell, purchase } = await startAdapter()
  const email = `${'a'.repeat(60)}@mail.example.com`
  await sell({ email }, 'pay', { email: 'short@example.com' })
  expect((await purchase())?.buyerEmail).toBe('short@example.com')
})

test('versions never decrease', async () => {
  const { emulator, sell, purchase } = await startAdapter()
  await sell()
  const versions: number[] = []
  const recordVersion = async () => versions.push((await purchase())?.versions?.[CHECKOUT_ID] ?? 0)
  await recordVersion()
  for (const change of [emulator.portalCancel, emulator.portalUndo, emulator.pause, emulator.resume]) {
    await change(CHECKOUT_ID)
    await recordVersion()
  }
  expect(versions).toEqual(versions.toSorted((one, other) => one - other))
  expect(new Set(versions).size).toBe(5)
})
