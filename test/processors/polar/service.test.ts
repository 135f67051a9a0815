import { randomUUID } from 'node:crypto'
import type { models } from '@polar-sh/sdk/2026-10'
import { beforeAll, expect, test } from 'vitest'
import { EMULATORS } from '../../../dev/emulators/emulators.ts'
import type { PolarEvent } from '../../../dev/emulators/polar/webhook-format.ts'
import { ResponseLost } from '../../../dev/world/database/neon-proxy.ts'
import {
  advanceClock,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  getProcessorId,
  newEvents,
  open,
  pay,
  readPurchase,
  readState,
  readTokens,
} from '../../conformance/buyer.ts'
import { POLAR } from '../../conformance/drivers/polar.ts'
import { reconcileAll } from '../../conformance/reconcile.ts'
import { paywallAt, type Shop, shopAt } from '../../conformance/shop.ts'
import { bought, expectNoMoreCharges, getOwed, replacing } from '../../conformance/upgrading.ts'
import { heldWebhooks } from '../../conformance/webhook.ts'
import { payOnPage } from '../../support/anonymous.ts'
import { call } from '../../support/call.ts'
import { getPriceId, parseOpened, startCheckout } from '../../support/checkout.ts'
import { signInAnonymously } from '../../support/sign-in.ts'
import { useTestWorld } from '../../support/world.ts'
import { press, sdk } from './emulator/fixture.ts'

// What is specific to an organisation at Polar, through the public API: one customer per e-mail address, several
// subscriptions of a customer, and events about everything that the organisation sells.

/** Two paywalls that sell through one organisation. */
let shop: Shop
let other: Shop

const { accessToken } = EMULATORS.polar.demoCredentials()
const paywalls = [1, 2].map(() => {
  const credentials = { ...EMULATORS.polar.demoCredentials(), accessToken }
  return { ...paywallAt('polar'), processor: { acquiring: 'polar', credentials } }
})
const world = useTestWorld({ file: { paywalls } })
beforeAll(async () => {
  const [one, two] = world.file.paywalls
  shop = shopAt(world, one!, two!)
  other = shopAt(world, two!, one!)
})

const polar = () => sdk(world.polar, String(Reflect.get(shop.paywall.processor.credentials, 'accessToken')))

/** The events emitted while this runs. */
async function getEvents(meanwhile: () => Promise<unknown>): Promise<readonly PolarEvent[]> {
  const before = world.polar.events.length
  await meanwhile()
  await world.polar.drainWebhooks()
  return world.polar.events.slice(before)
}

async function countRows() {
  const { rows } = await world.database.query(`select (select count(*) from purchases) purchases,
    (select count(*) from payments) payments, (select count(*) from events) events, (select count(*) from users) users`)
  return rows[0]
}

const ours = () => ({ paywall_id: shop.paywall.id, user_id: randomUUID() })

test.each<[string, () => NonNullable<models.CheckoutCreate['metadata']>]>([
  ['without metadata', () => ({})],
  ['with metadata of its own', () => ({ checkout_id: 'c-17', paywall_id: 17, user_id: true })],
  ['with metadata like ours, of a checkout that we do not have', () => ({ ...ours(), checkout_id: randomUUID() })],
])('sales of the organisation elsewhere %s are received and not stored', async (_, metadata) => {
  const { prices } = POLAR
  const before = await countRows()
  const logged = world.logs.length
  const events = await getEvents(async () => {
    for (const product of [prices.monthly, prices.lifetime]) {
      const order = { products: [product], customer_email: `${randomUUID()}@buyers.dev`, metadata: metadata() }
      const { id, url } = await polar().checkouts.create(order)
      await press({ url }, 'pay')
      const [sold] = (await polar().orders.list({ checkout_id: id })).items
      await world.polar.refund(sold!.id, 100)
      if (!sold!.subscription_id) continue
      await world.polar.renew(sold!.subscription_id)
      await world.polar.portalCancel(sold!.subscription_id)
      await world.polar.end(sold!.subscription_id)
    }
  })
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(9)
  for (const { id } of events) expect(await world.polar.resend(id)).toEqual([200, 200])
  expect(await countRows()).toEqual(before)
  expect(world.logs.slice(logged).filter(({ level }) => level === 'error')).toEqual([])
})

test('webhooks with a new status are accepted, since Polar disables an endpoint after ten refusals', async () => {
  const buyer = await buy(shop, 'lifetime')
  await world.polar.setValues(shop.paywall.id, { status: 'dormant' })
  const id = await getProcessorId(buyer)
  const events = await getEvents(() => shop.account.refund(id))
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['order.updated', 'refund.created']))
  for (const { id } of events) expect(await world.polar.resend(id)).toEqual([200, 200])
  expect(await readState(buyer)).toMatchObject({ paid: true })
  await world.polar.setValues(shop.paywall.id, {})
  await reconcileAll(shop)
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
})

test('an outage after which Polar has disabled the endpoint loses no change, and no event once it is enabled again', async () => {
  const buyer = await buy(shop)
  const id = await getProcessorId(buyer)
  const paywallIds = [shop.paywall.id, other.paywall.id]
  world.neon.onStatement = () => Promise.reject(new ResponseLost())
  const events = await getEvents(async () => {
    for (let times = 0; times < 2; times++) {
      await world.polar.portalCancel(id)
      await world.polar.portalUndo(id)
    }
    await world.polar.portalCancel(id)
    await world.polar.moveTo(shop.paywall.id, world.polar.currentTime(shop.paywall.id) + 3_600)
  })
  world.neon.onStatement = undefined
  expect(events).toHaveLength(10)
  expect(await world.polar.resend(events[0]!.id)).toEqual([])

  await world.clock.advance(shop.paywall.id, '1h') // as far as Polar's clock was moved
  await reconcileAll(shop)
  expect(await newEvents(buyer)).toEqual(['subscription.cancel_scheduled'])
  expect(await readPurchase(buyer)).toMatchObject({ cancel_at_period_end: true })
  for (const paywallId of paywallIds) await world.polar.setDisabledEndpoints(paywallId, [])
  await getEvents(() => world.polar.portalUndo(id))
  expect(await newEvents(buyer)).toEqual(['subscription.uncanceled'])
})

test('a charge in progress that succeeds after its subscription was replaced is reported although its webhook is lost', async () => {
  const { buyer, purchaseId, processorId } = await bought(shop)
  await advanceClock(buyer, '1h')
  const page = await open(shop, 'monthly', replacing(buyer))
  await causeAtProcessor(buyer, (id) => world.polar.rollOver(id))
  await pay(page)
  await newEvents(buyer)
  const anHourLater = world.polar.currentTime(shop.paywall.id) + 3_600
  const lost = await heldWebhooks(shop, () => world.polar.moveTo(shop.paywall.id, anHourLater))
  expect(lost.map(({ body }) => JSON.parse(body).type)).toContain('order.paid')
  expect(await newEvents(buyer)).toEqual([])
  await reconcileAll(shop)
  expect((await newEvents(buyer)).toSorted()).toEqual(
    expect.arrayContaining(['payment.succeeded 999', 'payment.unexpected 999']),
  )
  await expectNoMoreCharges(buyer, purchaseId, 2, '66d')
  expect(getOwed(shop, processorId)).toEqual([])
})

test('two paywalls of one organisation each store what they have sold, although both receive all webhooks', async () => {
  const buyer = await buy(shop)
  const { rows } = await world.database.query('select from purchases where paywall_id = $1', [other.paywall.id])
  expect(rows).toEqual([])
  const otherBuyer = await open(other, 'monthly', { email: buyer.email })
  await pay(otherBuyer)
  await world.polar.drainWebhooks()
  expect(otherBuyer.userId).toBe(buyer.userId)
  expect([(await readState(buyer)).purchases.length, (await readState(otherBuyer)).purchases.length]).toEqual([1, 1])
})

const portalFor = (names: { key: string; body: object } | { token: string }) =>
  call(world, `/api/v1/paywall/${shop.paywall.id}/get-customer-portal`, { body: {}, ...names })

test("a buyer who enters another user's address gets a separate purchase, and neither can open the shared portal", async () => {
  const known = await buy(shop)
  const { token, user } = await signInAnonymously(world, { paywallId: shop.paywall.id })
  const body = { priceId: getPriceId(shop.paywall, 'monthly') }
  const { checkoutUrl } = parseOpened(await startCheckout(world, { paywall: shop.paywall, token, body }))
  await call(world, await payOnPage(checkoutUrl, known.email))
  const stranger = { ...known, userId: user.id, received: 0 }
  expect(await newEvents(stranger)).toContain('checkout.completed')
  expect(await readState(stranger)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  expect((await readState(known)).purchases).toHaveLength(1)

  expect(await portalFor({ token })).toMatchObject({ status: 403, body: { error: 'portal_unavailable' } })
  const refused = { status: 502, body: { error: 'processor_rejected' } }
  expect(await portalFor({ key: world.key, body: { email: known.email } })).toMatchObject(refused)

  expect(await cancelThroughApi(known)).toMatchObject({ status: 200 })
  expect(await readPurchase(stranger)).toMatchObject({ cancel_at_period_end: false })
  expect(await cancelThroughApi(stranger)).toMatchObject({ status: 200 })
})

test('the portal token that Polar adds to the return URL goes neither to the owner nor to the log', async () => {
  const { checkoutUrl } = parseOpened(await startCheckout(world, { paywall: shop.paywall, key: world.key }))
  const back = new URL(await press({ url: checkoutUrl }, 'pay').then(({ headers }) => headers.get('location') ?? ''))
  const portal = back.searchParams.get('customer_session_token') ?? ''
  expect(portal).toMatch(/^polar_cst_/)
  const { status, headers } = await call(world, back.href)
  expect([status, headers.location]).toEqual([303, expect.stringMatching(/\/thanks\?session=[0-9a-f-]{36}$/)])
  expect(world.logs.filter(({ message }) => message.includes(portal))).toEqual([])
})

test('a subscription that resumes after a pause begins a new period, which is charged and grants tokens', async () => {
  const buyer = await buy(shop)
  expect(await causeAtProcessor(buyer, (id) => world.polar.pause(id))).toEqual(['subscription.updated'])
  expect(await advanceClock(buyer, '45d')).toEqual([])
  const resumedAt = await world.clock.now(shop.paywall.id)
  await causeAtProcessor(buyer, (id) => world.polar.resume(id))
  expect(await advanceClock(buyer, '5m')).toEqual(['payment.succeeded 999', 'subscription.renewed'])
  const { current_period_end: end, status } = (await readPurchase(buyer))!
  const days = (Date.parse(String(end)) - resumedAt.getTime()) / 86_400_000
  expect([status, days > 27 && days < 32, await readTokens(buyer)]).toEqual(['active', true, 200])
})
