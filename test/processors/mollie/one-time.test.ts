import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../../support/checkout.ts'
import { getPayments, listSubscriptions, mollieProcessor, payFirst } from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { monthly } from '../../support/paywall-file.ts'
import { userState } from '../../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  const lifetime = monthly({
    slug: 'lifetime',
    interval: undefined,
    currency: 'JPY',
    amount: 980,
    locals: [],
    tokens: [],
  })
  world = await startTestWorld({ file: { paywall: { processor: mollieProcessor(), prices: [lifetime] } } })
})
afterAll(() => world.close())

test('a buyer who chose a bank transfer sees the thanks page, and the purchase begins when the money arrives', async () => {
  const { userId, paymentId, back } = await payFirst(world, 'lifetime', { action: 'transfer' })
  expect((await call(world, back)).headers.location).toContain('https://owner.example/thanks')
  expect((await userState(world, userId)).purchases).toEqual([])
  await world.mollie.resolvePayment(paymentId)
  await world.mollie.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
})

test('a one-time purchase waits for a slow bank, and ends when all is refunded', async () => {
  const body = { email: newEmail(), priceId: getPriceId(world.paywall, 'lifetime') }
  const { userId } = parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key, body }))
  const [payment] = getPayments(world, userId)
  expect(payment).toMatchObject({ sequenceType: 'oneoff', amount: { currency: 'JPY', value: '980' } })
  const id = payment!.id
  await world.mollie.payLater(id)
  await world.mollie.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'pending' }] })

  await world.mollie.resolvePayment(id)
  await world.mollie.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({
    paid: true,
    purchases: [{ status: 'active', interval: null, unit_amount: 980, currency: 'JPY', current_period_end: null }],
  })
  await world.mollie.refund(id, '80')
  await world.mollie.drainWebhooks()
  expect((await userState(world, userId)).paid).toBe(true)
  await world.mollie.refund(id)
  await world.mollie.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  const events = await ownerEvents(world, userId)
  const payments = events.filter(({ data }) => data.payment).map(({ type, data }) => `${type} ${data.payment?.amount}`)
  expect(payments).toEqual(['payment.succeeded 980', 'payment.refunded 80', 'payment.refunded 900'])
  expect(listSubscriptions(world, userId)).toEqual([])
})

test('a transfer in progress is not cancelled by another checkout', async () => {
  const body = { email: newEmail(), priceId: getPriceId(world.paywall, 'lifetime') }
  const order = { paywall: world.paywall, key: world.key, body }
  const first = parseOpened(await startCheckout(world, order))
  await press(first.checkoutUrl, 'transfer')
  parseOpened(await startCheckout(world, order))
  await world.mollie.resolvePayment(getPayments(world, first.userId)[0]!.id)
  await world.mollie.drainWebhooks()
  expect(await userState(world, first.userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  expect(world.mollie.calls.filter(({ method }) => method === 'DELETE')).toEqual([])
})
