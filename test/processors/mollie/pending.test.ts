import { expect, test } from 'vitest'
import { getPayments, listSubscriptions, mollieProcessor, subscribeAtMollie } from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
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
