// Classic webhooks: sent to the URL in each payment and subscription, unsigned, with only the id of a payment.
import { describe, expect, test } from 'vitest'
import { call } from '../../support/call.ts'
import { getPriceId, newEmail, parseOpened, press, startCheckout } from '../../support/checkout.ts'
import { runDeferredReads } from '../../support/deferred-reads.ts'
import {
  getPayments,
  listSubscriptions,
  mollieProcessor,
  payFirst,
  postMollieWebhook,
} from '../../support/mollie-purchase.ts'
import { ownerEvents } from '../../support/owner-events.ts'
import { atNewPaywall } from '../../support/tenants.ts'
import { until } from '../../support/until.ts'
import { userState } from '../../support/user-state.ts'
import { type TestWorld, useTestWorld } from '../../support/world.ts'

const world = useTestWorld({ file: { paywall: { processor: mollieProcessor() } } })

/** A paywall of an owner who has set up nothing at Mollie except an API key. */
const openUnsigned = () => atNewPaywall(world, { processor: mollieProcessor({ webhookSecret: undefined }) })

/** An order that is open at Mollie. */
async function open(shop: TestWorld, slug = 'monthly') {
  const body = { email: newEmail(), priceId: getPriceId(shop.paywall, slug) }
  const { userId, checkoutUrl } = parseOpened(
    await startCheckout(world, { paywall: shop.paywall, key: shop.key, body }),
  )
  const payment = getPayments(shop, userId).at(-1)!
  return { userId, checkoutUrl, paymentId: payment.id, address: new URL(String(payment.webhookUrl)) }
}

/** What anybody who knows the URL can send. */
const send = (address: URL, id: string, type = 'application/x-www-form-urlencoded') =>
  call(world, `${address.pathname}${address.search}`, { body: `id=${id}`, headers: { 'content-type': type } })

const types = async (userId: string) => (await ownerEvents(world, userId)).map(({ type }) => type)

const reads = (id: string) =>
  world.mollie.calls.filter(({ method, path }) => method === 'GET' && path.endsWith(`/payments/${id}`)).length

describe('with nothing set up at Mollie', () => {
  test('a subscription begins, renews and is charged back with classic webhooks alone', async () => {
    const shop = await openUnsigned()
    const { userId, checkoutUrl } = await open(shop)
    await press(checkoutUrl, 'pay')
    await until('it is bought', async () => (await userState(shop, userId)).paid)
    const [subscription] = listSubscriptions(world, userId)
    expect(subscription?.webhookUrl).toBe(getPayments(world, userId)[0]?.webhookUrl)

    await world.clock.advance(shop.paywall.id, '33d')
    await until('it is renewed', async () => (await types(userId)).includes('subscription.renewed'))
    const charge = getPayments(world, userId).at(-1)!
    await world.mollie.chargeback(charge.id)
    await until('it is past due', async () => (await userState(shop, userId)).purchases[0]?.status === 'past_due')
  })

  test('a declined first payment is reported once, and the purchase is listed as canceled', async () => {
    const shop = await openUnsigned()
    const { userId, checkoutUrl, paymentId, address } = await open(shop)
    await press(checkoutUrl, 'decline')
    await until('the failure is reported', async () => (await types(userId)).length > 0)
    expect((await userState(shop, userId)).purchases).toMatchObject([{ status: 'canceled' }])
    const before = reads(paymentId)
    await send(address, paymentId)
    await until('it is read again', async () => reads(paymentId) > before)
    await runDeferredReads(shop)
    expect(await types(userId)).toEqual(['payment.failed'])
  })

  test('a first payment that the bank refuses is reported once, even if nothing was stored while it was pending', async () => {
    const shop = await openUnsigned()
    const { userId, checkoutUrl, paymentId } = await open(shop)
    await press(checkoutUrl, 'later')
    await world.mollie.resolvePayment(paymentId, { fail: true })
    await until('the failure is reported', async () => (await types(userId)).length > 0)
    expect(await types(userId)).toEqual(['payment.failed'])
    expect((await userState(shop, userId)).purchases).toMatchObject([{ status: 'canceled' }])
  })

  test('a signed webhook is refused', async () => {
    const shop = await openUnsigned()
    expect(await postMollieWebhook(world, '{}', { paywallId: shop.paywall.id, secret: 'undefined' })).toMatchObject({
      status: 400,
    })
  })
})

describe('an unsigned webhook', () => {
  test('about anything that we have not sold causes no read', async () => {
    const { address, paymentId } = await open(world)
    const calls = world.mollie.calls.length
    const foreign = new URL(address)
    foreign.searchParams.set('checkout', crypto.randomUUID())
    expect(await send(foreign, paymentId)).toMatchObject({ status: 200 })
    const elsewhere = new URL(address)
    elsewhere.pathname = `/webhooks/mollie/${(await openUnsigned()).paywall.id}`
    expect(await send(elsewhere, paymentId)).toMatchObject({ status: 200 })
    const none = new URL(address)
    none.search = ''
    expect(await send(none, paymentId)).toMatchObject({ status: 400, body: { error: 'invalid_signature' } })
    expect(await send(address, 'tr_1/../customers')).toMatchObject({ status: 400 })
    expect(await send(address, paymentId, 'application/json')).toMatchObject({ status: 400 })
    expect((await world.database.query('select from pending_events')).rowCount).toBe(0)
    expect(world.mollie.calls).toHaveLength(calls)
  })

  test('with the id of another sale’s payment causes a read of the sale in the address', async () => {
    const [sale, other] = [await open(world), await open(world)]
    await send(sale.address, other.paymentId)
    await until('it is read', async () => reads(sale.paymentId) > 0)
    await runDeferredReads(world)
    expect(reads(other.paymentId)).toBe(0)
  })

  test('only causes a read, so an unpaid payment stays unpaid', async () => {
    const { address, paymentId, userId } = await open(world)
    expect(await send(address, paymentId)).toMatchObject({ status: 200, body: { received: true } })
    await until('it is read', async () => reads(paymentId) > 0)
    expect(await userState(world, userId)).toMatchObject({ paid: false, purchases: [] })
  })

  test('causes one read for any number of concurrent copies, and another one when it is sent later', async () => {
    const { address, paymentId } = await open(world)
    // As many as a slow machine handles before the read begins: one that comes later rightly causes another read.
    await Promise.all(Array.from({ length: 10 }, () => send(address, paymentId)))
    await until('it is read', async () => reads(paymentId) > 0)
    const { rows } = await world.database.query<{ count: number }>(
      'select count(*)::int as count from processor_events',
    )
    expect(reads(paymentId)).toBe(1)
    await send(address, paymentId)
    await until('it is read again', async () => reads(paymentId) > 1)
    const later = await world.database.query<{ count: number }>('select count(*)::int as count from processor_events')
    expect(later.rows).toEqual(rows)
  })
})

test('both kinds of webhooks together emit each event once', async () => {
  const { userId, paymentId, back } = await payFirst(world)
  await call(world, back)
  await world.mollie.drainWebhooks()
  const charged = world.mollie.subscriptions.length > 0 && listSubscriptions(world, userId)[0]
  expect(charged).toBeTruthy()
  await world.mollie.refund(paymentId, '1.00')
  await world.mollie.chargeback(paymentId)
  await world.mollie.drainWebhooks()
  await until('all is read', async () => (await world.database.query('select from pending_events')).rowCount === 0)
  const counted = (await types(userId)).filter((type) => type.startsWith('payment.')).toSorted()
  expect(new Set(counted).size).toBe(counted.length)
  expect(counted).toEqual(expect.arrayContaining(['payment.disputed', 'payment.refunded', 'payment.succeeded']))
})
