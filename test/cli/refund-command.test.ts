import { beforeAll, expect, test } from 'vitest'
import { PRICES, refundedAtStripe, refundedEvents } from '../refund-purchase/refunding.ts'
import { paywall } from '../support/paywall.ts'
import { subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

const refund = (id: string, ...options: string[]) =>
  paywall(world, ['purchases', 'refund', id, ...options], {
    PROCESSOR_API_BASES: JSON.stringify({ stripe: world.stripe.url }),
  })

test('refunds a part, then what is left; a minute later the purchase shows it', async () => {
  const buyer = await subscribe(world, ours, 'once')
  const part = await refund(buyer.purchaseId, '--amount', '150.5', '--reason', 'was down')
  expect(part).toMatchObject({ code: 0, out: expect.stringContaining('150.50 USD') })
  expect(await refund(buyer.purchaseId)).toMatchObject({ code: 0, out: expect.stringContaining('48.50 USD') })
  expect(refundedAtStripe(world, buyer)).toEqual([15_050, 4850])
  await world.clock.advance(world.paywall.id, '2m')
  expect(await refundedEvents(world, buyer)).toEqual([15_050, 4850])
  const { rows } = await world.database.query('select status from purchases where id = $1', [buyer.purchaseId])
  expect(rows).toEqual([{ status: 'refunded' }])
  const again = await refund(buyer.purchaseId)
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('nothing is left of its latest payment') })
})

test('refuses what cannot be refunded, and refunds nothing', async () => {
  const buyer = await subscribe(world, ours)
  for (const [options, error] of [
    [['--amount', '10'], '999 minor units are left'],
    [['--amount', '0'], '--amount must be an amount in USD'],
    [['--amount', '1.005'], '--amount must be an amount in USD'],
    [['--reason', ''], '--reason must be'],
  ] as const) {
    expect(await refund(buyer.purchaseId, ...options)).toMatchObject({ code: 1, err: expect.stringContaining(error) })
  }
  const unknown = await refund('f75fbdb7-07bd-4cf3-8b99-f7dda5082e0e')
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('there is no purchase') })
  expect(refundedAtStripe(world, buyer)).toEqual([])
})

test('if the processor does not respond, says that the outcome is unknown, and reserves the amount', async () => {
  const buyer = await subscribe(world, ours)
  world.stripe.onCall = async () => ({ status: 503, headers: {}, body: '{"error":{"type":"api_error"}}' })
  const failed = await refund(buyer.purchaseId, '--amount', '9')
  world.stripe.onCall = undefined
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('unknown whether it was refunded') })
  expect(await refund(buyer.purchaseId, '--amount', '1')).toMatchObject({ code: 1 })
  expect(refundedAtStripe(world, buyer)).toEqual([])
})
