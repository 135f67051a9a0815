import { expect, test } from 'vitest'
import { order, press, startMollie } from './fixture.ts'

async function openPayment(more: Parameters<typeof order>[0] = {}) {
  const { emulator, mollie } = await startMollie()
  const payment = await mollie.payments.create({ paymentRequest: order(more) })
  const page = async () => (await fetch(payment.links.checkout?.href ?? '')).text()
  const fetched = () => mollie.payments.get({ paymentId: payment.id })
  return { emulator, mollie, payment, page, fetched }
}

test('shows what is paid for and what it costs, and runs no script', async () => {
  const { payment, page } = await openPayment({ description: '<script>alert(1)</script> Pro' })
  const shown = await page()
  for (const text of ['&lt;script&gt;alert(1)', 'Pay €9.99', 'One-time payment']) expect(shown).toContain(text)
  expect(shown).not.toContain('<script')
  const answer = await fetch(payment.links.checkout?.href ?? '')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test.each([
  ['pay', 'paid', 'https://shop.example/thanks', 'Already paid'],
  ['later', 'pending', 'https://shop.example/thanks', 'Your payment is pending'],
  ['decline', 'failed', 'https://shop.example/thanks', 'This payment has failed'],
  ['cancel', 'canceled', 'https://shop.example/sorry', 'This payment was cancelled'],
])('the button %s makes the payment %s and redirects to %s', async (action, status, back, shown) => {
  const { emulator, payment, page, fetched } = await openPayment()
  const answer = await press(payment, action)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, back])
  expect(await fetched()).toMatchObject({ status })
  expect(emulator.events.map(({ type }) => type)).toEqual([`payment.${status}`])
  expect(await page()).toContain(shown)
  expect((await press(payment, 'pay')).status).toBe(409)
  expect(await fetched()).toMatchObject({ status })
})

test('a buyer who chooses a bank transfer is redirected at once, and the payment stays open for days', async () => {
  const { emulator, payment, fetched } = await openPayment()
  const answer = await press(payment, 'transfer')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://shop.example/thanks'])
  const open = await fetched()
  expect(open).toMatchObject({ status: 'open', method: 'banktransfer', isCancelable: true })
  expect(Date.parse(open.expiresAt ?? '') - Date.now()).toBeGreaterThan(11 * 86_400_000)
  expect(await emulator.resolvePayment(payment.id)).toMatchObject({ status: 'paid' })
})

test('cancel redirects to redirectUrl if there is no cancelUrl', async () => {
  const { payment } = await openPayment({ cancelUrl: null })
  expect((await press(payment, 'cancel')).headers.get('location')).toBe('https://shop.example/thanks')
})

test('two concurrent submits pay once', async () => {
  const { emulator, payment } = await openPayment()
  const answers = await Promise.all([press(payment, 'pay'), press(payment, 'pay')])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409])
  expect(emulator.events).toHaveLength(1)
})

test('shows that a payment has expired, returns 404 for an unknown one, and refuses an unknown button', async () => {
  const { emulator, payment, fetched } = await openPayment()
  expect((await press(payment, 'steal')).status).toBe(400)
  await emulator.expire(payment.id)
  const answer = await press(payment, 'pay')
  expect([answer.status, (await answer.text()).includes('has expired')]).toEqual([409, true])
  expect(await fetched()).toMatchObject({ status: 'expired', expiredAt: expect.any(String) })
  expect((await fetch(`${emulator.url}/checkout/tr_no`)).status).toBe(404)
})

test('a pending payment is paid later, or fails', async () => {
  const { emulator, mollie } = await startMollie()
  const { id: customerId } = await mollie.customers.create({ entityCustomer: {} })
  const first = async () => {
    const paymentRequest = order({ sequenceType: 'first', customerId })
    return emulator.payLater((await mollie.payments.create({ paymentRequest })).id)
  }
  const [paid, failed] = [await first(), await first()]
  expect(paid).toMatchObject({ status: 'pending', isCancelable: false })
  expect(await emulator.resolvePayment(paid.id)).toMatchObject({ status: 'paid', mandateId: expect.any(String) })
  expect(await emulator.resolvePayment(failed.id, { fail: true })).toMatchObject({ status: 'failed' })
  await expect(emulator.resolvePayment(failed.id)).rejects.toThrow(/is failed, not pending/)
  const { result } = await mollie.mandates.list({ customerId })
  expect(result.embedded.mandates).toHaveLength(1)
})
