import { afterEach, expect, test } from 'vitest'
import type { FilePaywall } from '../../../cli/paywall-file/file.ts'
import { call } from '../../support/call.ts'
import {
  getPayments,
  listSubscriptions,
  mollieProcessor,
  openMollieShop,
  payFirst,
  subscribeAtMollie,
} from '../../support/mollie-purchase.ts'
import { type Subscriber, subscribe } from '../../support/subscriber.ts'
import { tenant } from '../../support/tenants.ts'
import { userState } from '../../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../../support/world.ts'

// A customer at Mollie may have several subscriptions and mandates. These tests check which of them belong to a purchase.

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })
afterEach(async () => {
  world.mollie.slowMandates = false
  await world.mollie.sendHeldWebhooks()
})

const getApiKey = ({ processor }: FilePaywall) =>
  processor.acquiring === 'mollie' ? processor.credentials.apiKey : 'no key of Mollie'

/** Creates a subscription at Mollie directly, as a second Worker would that read the same payment at the same moment. */
async function createDuplicate(
  { paywall }: TestWorld,
  { customerId, metadata, amount, interval, startDate }: Record<string, unknown>,
) {
  const made = await fetch(`${world.mollie.url}/v2/customers/${customerId}/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${getApiKey(paywall)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata, amount, interval, startDate, description: 'made twice' }),
  })
  expect(made.status).toBe(201)
}

/** Another purchase of a subscriber, paid on its page and not yet fetched. */
const payAgain = ({ email }: Pick<Subscriber, 'email'>, shop = world) =>
  payFirst(shop, 'monthly', { email, body: { ignoreActivePurchase: true } })

test('with two subscriptions for one payment the older one counts, and the newer one is ended before it charges', async () => {
  const { shop, passes } = await openMollieShop(world)
  const { userId, subscriptionId, back } = await subscribeAtMollie(shop)
  await passes('1d')
  await createDuplicate(shop, { ...world.mollie.subscriptions.find(({ id }) => id === subscriptionId) })
  expect(listSubscriptions(world, userId).map(({ status }) => status)).toEqual(['active', 'active'])

  const before = await userState(shop, userId)
  for (const { id } of world.mollie.events.slice(-1)) await world.mollie.resend(id)
  await passes('7d')
  const [older, newer] = listSubscriptions(world, userId)
  expect(older).toMatchObject({ id: subscriptionId, status: 'active' })
  expect(newer).toMatchObject({ status: 'canceled' })
  expect((await userState(shop, userId)).purchases).toEqual(before.purchases)
  expect(await call(world, back)).toMatchObject({ status: 303 })
})

test('a subscription charges the card of its own first payment, not a newer one', async () => {
  const buyer = await subscribe(world, tenant(world.file))
  world.mollie.holdWebhooks()
  const [one, other] = [await payAgain(buyer), await payAgain(buyer)]
  await call(world, one.back)
  await call(world, other.back)
  const getMandate = (id: string) => getPayments(world, buyer.id).find((payment) => payment.id === id)?.mandateId
  expect(getMandate(one.paymentId)).not.toBe(getMandate(other.paymentId))
  expect(listSubscriptions(world, buyer.id).map(({ mandateId }) => mandateId)).toEqual([
    expect.any(String),
    getMandate(one.paymentId),
    getMandate(other.paymentId),
  ])
})

test('a subscription is not created with an older mandate, but when its own mandate is valid', async () => {
  const { shop, passes } = await openMollieShop(world)
  const buyer = await subscribe(world, shop)
  world.mollie.slowMandates = true
  const { back, paymentId } = await payAgain(buyer, shop)
  await call(world, back)
  await world.mollie.drainWebhooks()
  expect(listSubscriptions(world, buyer.id)).toHaveLength(1)
  expect((await userState(shop, buyer.id)).purchases).toMatchObject([{ status: 'active' }, { status: 'active' }])

  world.mollie.slowMandates = false
  world.mollie.forgetKeys()
  await passes('8d')
  const mandateId = getPayments(world, buyer.id).find((payment) => payment.id === paymentId)?.mandateId
  expect(listSubscriptions(world, buyer.id)).toHaveLength(2)
  expect(listSubscriptions(world, buyer.id).at(-1)).toMatchObject({ status: 'active', mandateId })
})
