import { expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../../support/checkout.ts'
import { getPayments, mollieProcessor, payFirst } from '../../support/mollie-purchase.ts'
import { monthly } from '../../support/paywall-file.ts'
import { userState } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

const lifetime = monthly({
  slug: 'lifetime',
  interval: undefined,
  currency: 'JPY',
  amount: 980,
  locals: [],
  tokens: [],
})
const world = useTestWorld({ file: { paywall: { processor: mollieProcessor(), prices: [lifetime] } } })

test('a buyer who chose a bank transfer sees the thanks page, and the purchase begins when the money arrives', async () => {
  const { userId, paymentId, back } = await payFirst(world, 'lifetime', { action: 'transfer' })
  expect((await call(world, back)).headers.location).toContain('https://owner.example/thanks')
  expect((await userState(world, userId)).purchases).toEqual([])
  await world.mollie.resolvePayment(paymentId)
  await world.mollie.drainWebhooks()
  expect(await userState(world, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
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
