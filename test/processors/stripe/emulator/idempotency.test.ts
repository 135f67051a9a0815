import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { DroppedCall } from '../../../../dev/emulators/core/calls.ts'
import { startStripe, subscriptionOrder } from './fixture.ts'

const PATH = '/v1/checkout/sessions'

test('replays the first response to the same key and parameters', async () => {
  const { emulator, stripe } = await startStripe()
  const first = await stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  const again = await stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  expect(again.id).toBe(first.id)
  expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined()
  expect(again.lastResponse.headers).toMatchObject({
    'idempotent-replayed': 'true',
    'original-request': first.lastResponse.requestId,
  })
  expect(emulator.checkoutSessions).toHaveLength(1)
})

test('refuses a key that is reused with other parameters or for another path', async () => {
  const { stripe } = await startStripe()
  const { id } = await stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  const other = stripe.checkout.sessions.create(subscriptionOrder({ client_reference_id: 'x' }), {
    idempotencyKey: 'k',
  })
  await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
  await expect(other).rejects.toThrow(/same parameters they were first used with/)
  const elsewhere = stripe.checkout.sessions.expire(id, {}, { idempotencyKey: 'k' })
  await expect(elsewhere).rejects.toThrow(/same endpoint they were first used for/)
})

test('replays a server error, but neither a 429 nor a failed validation', async () => {
  const { emulator, stripe } = await startStripe()
  const create = (order: Stripe.Checkout.SessionCreateParams, idempotencyKey: string) =>
    stripe.checkout.sessions.create(order, { idempotencyKey })

  emulator.failNext(PATH, 500)
  await expect(create(subscriptionOrder(), 'broken')).rejects.toMatchObject({ statusCode: 500 })
  await expect(create(subscriptionOrder(), 'broken')).rejects.toMatchObject({ statusCode: 500 })

  emulator.failNext(PATH, 429, { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Slow down' } })
  await expect(create(subscriptionOrder(), 'limited')).rejects.toBeInstanceOf(Stripe.errors.StripeRateLimitError)
  expect(await create(subscriptionOrder(), 'limited')).toMatchObject({ status: 'open' })

  await expect(create(subscriptionOrder({ success_url: 'x' }), 'mistyped')).rejects.toThrow('Not a valid URL')
  expect(await create(subscriptionOrder(), 'mistyped')).toMatchObject({ status: 'open' })
  expect(emulator.checkoutSessions).toHaveLength(2)
})

test('answers 409 to a key that is still in use', async () => {
  const { emulator, stripe } = await startStripe()
  const arrived = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  emulator.onCall = async (_, run) => {
    arrived.resolve()
    await gate.promise
    return run()
  }
  const first = stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  await arrived.promise
  emulator.onCall = undefined
  const second = stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })
  await expect(second).rejects.toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
  gate.resolve()
  expect(await first).toMatchObject({ status: 'open' })
  expect(emulator.checkoutSessions).toHaveLength(1)
})

test('a call dropped before it takes effect leaves no trace, one whose reply is lost can be replayed', async () => {
  const { emulator, stripe } = await startStripe()
  const create = () => stripe.checkout.sessions.create(subscriptionOrder(), { idempotencyKey: 'k' })

  emulator.onCall = async () => {
    throw new DroppedCall()
  }
  await expect(create()).rejects.toBeInstanceOf(Stripe.errors.StripeConnectionError)
  expect(emulator.checkoutSessions).toHaveLength(0)

  emulator.onCall = async (_, run) => {
    await run()
    throw new DroppedCall()
  }
  await expect(create()).rejects.toBeInstanceOf(Stripe.errors.StripeConnectionError)
  expect(emulator.checkoutSessions).toHaveLength(1)

  emulator.onCall = undefined
  const replayed = await create()
  expect(replayed.id).toBe(emulator.checkoutSessions[0]?.id)
  expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true')
})
