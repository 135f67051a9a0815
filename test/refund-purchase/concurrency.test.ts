import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { refundPurchase } from '../support/purchase-calls.ts'
import { subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'
import { outcomes, PRICES, refundedAtStripe, refundedEvents } from './refunding.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

const repeat = (count: number, call: (index: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))

const idempotencyKey = () => ({ 'idempotency-key': randomUUID() })

test('of 50 calls with one Idempotency-Key one refunds, and the others get its refund', async () => {
  const subscriber = await subscribe(world, ours)
  const options = { headers: idempotencyKey(), body: { amount: 300 } }
  const replies = await repeat(50, () => refundPurchase(world, subscriber, options))
  // On a slow machine some wait for longer than a call may.
  expect(outcomes(replies).filter((outcome) => outcome !== '409 refund_in_progress')).toEqual(['200'])
  const bodies = replies.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body))
  expect(new Set(bodies).size).toBe(1)
  expect(await refundPurchase(world, subscriber, options)).toMatchObject({
    status: 200,
    headers: { 'idempotency-replayed': 'true' },
  })
  expect(refundedAtStripe(world, subscriber)).toEqual([300])
  expect(await refundedEvents(world, subscriber)).toEqual([300])
})

test('a key cannot be used for another refund', async () => {
  const subscriber = await subscribe(world, ours)
  const headers = idempotencyKey()
  expect(await refundPurchase(world, subscriber, { headers, body: { amount: 1 } })).toMatchObject({ status: 200 })
  for (const body of [{ amount: 2 }, {}, { amount: 1, reason: 'other' }]) {
    const reply = await refundPurchase(world, subscriber, { headers, body })
    expect(reply).toMatchObject({ status: 409, body: { error: 'idempotency_key_reused' } })
  }
  const other = await subscribe(world, ours)
  const reply = await refundPurchase(world, other, { headers, body: { amount: 1 } })
  expect(reply).toMatchObject({ status: 409, body: { error: 'idempotency_key_reused' } })
  expect(refundedAtStripe(world, subscriber)).toEqual([1])
})

test('50 partial refunds at once never return more than the payment, and leave less than one of them', async () => {
  const subscriber = await subscribe(world, ours)
  const replies = await repeat(50, () =>
    refundPurchase(world, subscriber, { headers: idempotencyKey(), body: { amount: 100 } }),
  )
  expect(outcomes(replies).toSorted()).toEqual(['200', '409 refund_exceeds_payment'])
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(9)
  expect(refundedAtStripe(world, subscriber)).toEqual(Array(9).fill(100))
  expect(await refundedEvents(world, subscriber)).toEqual(Array(9).fill(100))
  expect(await refundPurchase(world, subscriber)).toMatchObject({ status: 200, body: { refund: { amount: 99 } } })
})

test('two full refunds at once are one', async () => {
  const buyer = await subscribe(world, ours, 'once')
  const replies = await repeat(2, () => refundPurchase(world, buyer, { headers: idempotencyKey() }))
  expect(outcomes(replies).toSorted()).toEqual(['200', '409 payment_refunded'])
  expect(refundedAtStripe(world, buyer)).toEqual([19_900])
})
