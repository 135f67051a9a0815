import { describe, expect, test } from 'vitest'
import { CHECKOUT_ID, getOrder, ONE_TIME, startSelling } from './selling.ts'

const OTHER_ID = 'a7f0c0a2-2f4e-4ac0-8a50-55b8f2f6c001'

describe('a one-time purchase', () => {
  test('is sold with our checkout id as its order number, and refunded in part and in full', async () => {
    const { chargebee, sell, look, reported, facts } = await startSelling()
    const { page } = await sell(ONE_TIME)
    const found = (await look({ kind: 'page', id: page.pageId }))?.found?.purchase
    expect(found).toMatchObject({
      checkoutId: CHECKOUT_ID,
      status: 'active',
      begun: true,
      periodCovered: true,
      buyerEmail: 'ada@example.com',
      interval: null,
      currentPeriodEnd: null,
      unitAmount: 4900,
      currency: 'EUR',
    })
    const reference = { kind: 'payment', id: found?.processorId ?? '' } as const
    expect((await look(reference))?.found?.purchase).toEqual(found)
    expect(await facts()).toMatchObject([{ kind: 'succeeded', amount: 4900 }])
    expect(reported[0]?.about).toEqual(reference)
    await chargebee.invoice.refund(reference.id, { refund_amount: 900 })
    expect((await look(reference))?.found?.purchase.status).toBe('active')
    await chargebee.invoice.refund(reference.id)
    expect((await look(reference))?.found?.purchase.status).toBe('refunded')
    expect((await facts()).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['succeeded', 4900],
      ['refunded', 900],
      ['refunded', 4000],
    ])
  })

  test.each(['dispute', 'chargeback'] as const)('is reversed by a %s', async (how) => {
    const { emulator, sell, look, facts, reported } = await startSelling()
    const { page } = await sell(ONE_TIME)
    await emulator[how](emulator.payments[0]?.id ?? '')
    const purchase = (await look({ kind: 'page', id: page.pageId }))?.found?.purchase
    expect(purchase).toMatchObject({ status: 'refunded', begun: true })
    expect((await facts()).map(({ kind }) => kind)).toEqual(['succeeded', 'disputed'])
    expect(reported.every(({ about }) => about?.id === purchase?.processorId)).toBe(true)
  })

  test('is pending until a bank debit arrives, or cancelled if it fails', async () => {
    const { emulator, adapter, look, facts } = await startSelling()
    const status = async (id: string) => (await look({ kind: 'page', id }))?.found?.purchase.status
    const { pageId } = await adapter.openCheckout(getOrder(ONE_TIME))
    await emulator.payLater(pageId)
    expect(await status(pageId)).toBe('pending')
    await emulator.resolvePayment(emulator.payments[0]?.id ?? '')
    expect(await status(pageId)).toBe('active')
    const other = await adapter.openCheckout(getOrder({ ...ONE_TIME, key: 'k', checkoutId: OTHER_ID }))
    await emulator.payLater(other.pageId)
    await emulator.resolvePayment(emulator.payments[1]?.id ?? '', { fail: true })
    expect(await status(other.pageId)).toBe('canceled')
    expect((await facts()).map(({ kind }) => kind)).toEqual(['succeeded', 'failed'])
  })
})

test('a known buyer buys again as the same customer; an anonymous one enters an e-mail address on the page', async () => {
  const { sell, purchase } = await startSelling()
  await sell({ email: null }, 'pay', { email: 'guest@example.com' })
  const first = await purchase()
  expect(first?.buyerEmail).toBe('guest@example.com')
  await sell({ checkoutId: OTHER_ID, key: 'k', customer: first?.customer ?? null })
  expect((await purchase(OTHER_ID))?.customer).toBe(first?.customer)
})

test('the same key opens the same page, also with a trial; the same checkout sells once with any key', async () => {
  const { adapter, emulator, sell } = await startSelling()
  for (const trialDays of [0, 7]) {
    const order = getOrder({ key: `k${trialDays}`, trialDays })
    expect(await adapter.openCheckout(order)).toEqual(await adapter.openCheckout(order))
  }
  expect(emulator.hostedPages).toHaveLength(2)
  await sell()
  await expect(adapter.openCheckout(getOrder({ key: 'other' }))).rejects.toMatchObject({ kind: 'rejected' })
})

test('opens the portal; a return URL that is too long is left out', async () => {
  const { adapter, emulator, sell, purchase } = await startSelling()
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
  const { sell, purchase } = await startSelling()
  const email = `${'a'.repeat(60)}@mail.example.com`
  await sell({ email }, 'pay', { email: 'short@example.com' })
  expect((await purchase())?.buyerEmail).toBe('short@example.com')
})
