import { expect, test } from 'vitest'
import {
  getPayments,
  listSubscriptions,
  mollieProcessor,
  payFirst,
  subscribeAtMollie,
} from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { monthly } from '../../support/paywall-file.ts'
import { atNewPaywall } from '../../support/tenants.ts'
import { userState } from '../../support/user-state.ts'
import { useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })

const readTypes = async (userId: string) => (await ownerEvents(world, userId)).map(({ type }) => type)

test('a subscription on a mandate that is pending gives access at once, and renews once the mandate is valid', async () => {
  const { mollie } = world
  mollie.pendingMandates = true
  const { userId, subscriptionId } = await subscribeAtMollie(world)
  expect(listSubscriptions(world, userId)).toMatchObject([{ id: subscriptionId, status: 'pending' }])
  expect(await userState(world, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  await expect(mollie.renew(subscriptionId)).rejects.toThrow(/is pending/)

  mollie.pendingMandates = false
  await mollie.renew(subscriptionId)
  await mollie.drainWebhooks()
  expect(getPayments(world, userId).map(({ status }) => status)).toEqual(['paid', 'paid'])
  expect(await readTypes(userId)).toContain('subscription.renewed')
})

test('a slow refund is reported once, when it has succeeded', async () => {
  const { mollie } = world
  const { userId, paymentId } = await subscribeAtMollie(world)
  mollie.slowRefunds = true
  const refund = await mollie.refund(paymentId, '1.00')
  await mollie.drainWebhooks()
  expect(await readTypes(userId)).not.toContain('payment.refunded')
  for (const _step of ['pending', 'processing', 'refunded']) await mollie.stepRefund(refund.id)
  await mollie.drainWebhooks()
  expect((await readTypes(userId)).filter((type) => type === 'payment.refunded')).toHaveLength(1)
  mollie.slowRefunds = false
})

test('a full refund that fails on its way restores a one-time purchase, with and without a webhook', async () => {
  const shop = await atNewPaywall(world, {
    processor: mollieProcessor(),
    prices: [monthly({ interval: undefined, locals: [], tokens: [] })],
  })
  for (const isHeard of [true, false]) {
    const { userId, paymentId } = await payFirst(shop)
    await world.mollie.drainWebhooks()
    world.mollie.slowRefunds = true
    const { id } = await world.mollie.refund(paymentId)
    world.mollie.slowRefunds = false
    await world.clock.advance(shop.paywall.id, '26h')
    expect(await userState(shop, userId)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
    if (!isHeard) world.mollie.holdWebhooks()
    await world.mollie.stepRefund(id, { fail: true })
    if (!isHeard) await world.mollie.sendHeldWebhooks(() => [])
    await world.mollie.drainWebhooks()
    if (!isHeard) await world.clock.advance(shop.paywall.id, '2d')
    expect(await userState(shop, userId)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect((await readTypes(userId)).filter((type) => type.startsWith('payment.'))).toEqual(['payment.succeeded'])
  }
})
