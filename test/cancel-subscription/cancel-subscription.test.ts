import { describe, expect, test } from 'vitest'
import { monthly, paywallFile } from '../support/paywall-file.ts'
import { countStatements } from '../support/statements.ts'
import {
  alreadyCancelled,
  cancel,
  cancelAsOwner,
  cancelAsUser,
  getUpdates,
  parseCancelled,
  readCancellationRequest,
  readPurchase,
  type Subscriber,
  subscribe,
} from '../support/subscriber.ts'
import { tenant, useTenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const ours = useTenant(world)

describe('a cancellation', () => {
  test('returns the scheduled end, and is stored when the webhook arrives', async () => {
    const subscriber = await subscribe(world, ours)
    const before = await readPurchase(world, subscriber)
    world.stripe.holdWebhooks()
    const answered = parseCancelled(await cancelAsUser(world, subscriber))
    expect(answered).toEqual({
      id: subscriber.purchaseId,
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: before?.current_period_end,
      canceled_at: expect.any(String),
    })
    expect((await userState(world, subscriber.id)).purchases).toEqual([before])

    await world.stripe.sendHeldWebhooks()
    const { status, cancel_at_period_end, cancel_at, canceled_at, id } = (await readPurchase(world, subscriber)) ?? {}
    expect({ id, status, cancel_at_period_end, cancel_at, canceled_at }).toEqual(answered)
    expect((await userState(world, subscriber.id)).paid).toBe(true)
  })

  test('passes the reason to Stripe, in one call', async () => {
    const subscriber = await subscribe(world, ours)
    parseCancelled(await cancelAsUser(world, subscriber, { body: { cancellationReason: '  moved to “Other” & co ' } }))
    expect(getUpdates(world, subscriber).map(({ body }) => ({ ...body }))).toEqual([
      { cancel_at_period_end: 'true', cancellation_details: { comment: 'moved to “Other” & co' } },
    ])
    expect(await readCancellationRequest(world, subscriber)).toMatchObject({
      accepted: true,
      reason: 'moved to “Other” & co',
    })
  })

  test('works for an owner too, by userId, by email, or by both', async () => {
    for (const who of [
      () => ({}),
      ({ email }: Subscriber) => ({ userId: undefined, email: ` ${email.toUpperCase()} ` }),
      ({ email }: Subscriber) => ({ email }),
    ]) {
      const subscriber = await subscribe(world, ours)
      parseCancelled(await cancelAsOwner(world, ours, subscriber, { body: who(subscriber) }))
      expect((await readPurchase(world, subscriber))?.cancel_at_period_end).toBe(true)
    }
  })

  test("accepts the processor's id of the subscription", async () => {
    const subscriber = await subscribe(world, ours)
    const body = { subscriptionId: subscriber.subscriptionId }
    expect(parseCancelled(await cancelAsUser(world, subscriber, { body })).id).toBe(subscriber.purchaseId)
    expect(await cancelAsOwner(world, ours, subscriber)).toMatchObject(alreadyCancelled)
  })

  test('accepts our id in capitals, too', async () => {
    const subscriber = await subscribe(world, ours)
    const body = { subscriptionId: subscriber.purchaseId.toUpperCase() }
    expect(parseCancelled(await cancelAsOwner(world, ours, subscriber, { body })).id).toBe(subscriber.purchaseId)
  })

  test('ignores identity and paywall in the body with a Bearer token', async () => {
    const [one, other] = [await subscribe(world, ours), await subscribe(world, ours)]
    const body = { userId: other.id, email: 7, paywallId: '99' }
    expect(parseCancelled(await cancelAsUser(world, one, { body })).id).toBe(one.purchaseId)
    expect(getUpdates(world, other)).toEqual([])
  })

  test('makes two statements; a refused call makes one, and a call with an invalid body none', async () => {
    const subscriber = await subscribe(world, ours)
    const statements = (work: () => Promise<unknown>) => countStatements(world, work)
    await world.stripe.drainWebhooks()
    world.stripe.holdWebhooks()
    expect(await statements(() => cancelAsUser(world, subscriber, { body: { cancellationReason: '' } }))).toBe(0)
    expect(await statements(() => cancelAsUser(world, subscriber))).toBe(2)
    expect(await statements(() => cancelAsUser(world, subscriber))).toBe(1)
    await world.stripe.sendHeldWebhooks()
  })
})

test('a repeat is refused before the webhook of the first one, however late, and after it', async () => {
  const subscriber = await subscribe(world, ours)
  world.stripe.holdWebhooks()
  parseCancelled(await cancelAsUser(world, subscriber))
  expect(await cancelAsOwner(world, ours, subscriber)).toMatchObject(alreadyCancelled)
  await world.database.query("update purchases set cancel_requested_at = now() - interval '1 hour' where id = $1", [
    subscriber.purchaseId,
  ])
  expect(await cancelAsOwner(world, ours, subscriber)).toMatchObject(alreadyCancelled)
  await world.stripe.sendHeldWebhooks()
  expect(await cancelAsUser(world, subscriber)).toMatchObject(alreadyCancelled)
  expect(getUpdates(world, subscriber)).toHaveLength(1)
})

test('a one-time purchase cannot be cancelled', async () => {
  const once = { slug: 'once', label: 'Once', currency: 'USD', amount: 5, processorPrice: 'price_once' }
  const other = tenant(await paywallFile({ paywall: { prices: [monthly(), once] } }))
  await world.apply(other.file)
  const buyer = await subscribe(world, other, 'once')
  const reply = await cancel(world, {
    token: buyer.token,
    body: { subscriptionId: buyer.purchaseId, cancellationReason: 'none' },
  })
  expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
})
