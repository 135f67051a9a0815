import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DroppedCall } from '../../../dev/emulators/core/calls.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  expectStoredAsAtProcessor,
  newEvents,
  open,
  readPurchase,
  readState,
  readTokens,
  type Slug,
} from '../../conformance/buyer.ts'
import { paymentEvents } from '../../conformance/money.ts'
import { call } from '../../support/call.ts'
import { getPriceId, press } from '../../support/checkout.ts'
import { until } from '../../support/until.ts'
import { follow, getFreemius, openMore, useProduct } from './product.ts'

// Changes of plan through change-plan, which at Freemius are paid on a page.

const product = useProduct()

/** Requests the change, and returns the reply. */
function changePlan(
  { shop: { world, paywall, key }, userId }: Buyer,
  { slug = 'plus', key: idempotencyKey }: { slug?: Slug; key?: string } = {},
) {
  return call(world, `/api/v1/paywall/${paywall.id}/change-plan`, {
    key,
    headers: { 'idempotency-key': idempotencyKey ?? randomUUID() },
    body: { userId, priceId: getPriceId(paywall, slug), when: 'now' },
  })
}

/** Requests the change, waits for the read that follows the reply, and returns the address of the page. */
async function openPage(...parameters: Parameters<typeof changePlan>): Promise<string> {
  const { status, body } = await changePlan(...parameters)
  expect({ status, body }).toMatchObject({ status: 200, body: { checkoutUrl: expect.any(String) } })
  const [{ shop, userId }] = parameters
  const read = 'select from purchases where user_id = $1 and fetched_at >= plan_changed_at'
  await until('the change is read', async () => (await shop.world.database.query(read, [userId])).rowCount)
  return (body as { checkoutUrl: string }).checkoutUrl
}

/** The purchase is still the monthly one. */
async function expectUnchanged(buyer: Buyer) {
  expect(await newEvents(buyer)).toEqual([])
  expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'monthly', status: 'active' }])
  expect(await readTokens(buyer)).toBe(100)
}

const listSubscriptions = ({ shop }: Buyer) => {
  const { licenses, subscriptions } = getFreemius(shop)
  const latest = licenses.at(-1)?.id
  return subscriptions.filter(({ license_id, canceled_at }) => license_id === latest && canceled_at === null)
}

test('nothing changes before the page is paid, and the same key returns the same page', async () => {
  const buyer = await buy(product().shop)
  const key = randomUUID()
  const [page, same, other] = [await openPage(buyer, { key }), await openPage(buyer, { key }), await openPage(buyer)]
  expect(same).toBe(page)
  expect(new URL(other).searchParams.get('license_id')).toBe(new URL(page).searchParams.get('license_id'))
  await expectUnchanged(buyer)

  await press(page, 'pay')
  expect(await newEvents(buyer)).toContain('subscription.plan_changed')
  expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus', status: 'active' }])
  expect(await readTokens(buyer)).toBe(300)
  expect(await changePlan(buyer)).toMatchObject({ status: 409, body: { error: 'price_unchanged' } })
})

test('a page that was paid before the change is read is no second charge', async () => {
  const { shop } = product()
  const buyer = await buy(shop)
  shop.emulator.holdWebhooks()
  await press(await openPage(buyer), 'pay')
  expect(await changePlan(buyer)).toMatchObject({ status: 200, body: { checkoutUrl: null } })
  await shop.emulator.sendHeldWebhooks()
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
  expect(listSubscriptions(buyer)).toHaveLength(1)
})

test('if the link is lost, a retry gets one, and nothing is sold twice', async () => {
  const { shop } = product()
  const buyer = await buy(shop)
  const sold = getFreemius(shop).licenses.length
  shop.emulator.onCall = async ({ path }, run) => {
    const reply = await run()
    if (path.endsWith('/checkout/link.json')) throw new DroppedCall()
    return reply
  }
  const key = randomUUID()
  expect(await changePlan(buyer, { key })).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
  shop.emulator.onCall = undefined
  await press(await openPage(buyer, { key }), 'pay')
  await newEvents(buyer)
  expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus' }])
  expect(getFreemius(shop).licenses).toHaveLength(sold)
})

test('two pages that are both paid leave one purchase, and each payment is reported', async () => {
  const buyer = await buy(product().shop)
  const [one, two] = [await openPage(buyer), await openPage(buyer)]
  await press(one, 'pay')
  await press(two, 'pay')
  await newEvents(buyer)
  expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus', status: 'active' }])
  expect(listSubscriptions(buyer)).toHaveLength(1)
  const paid = (await paymentEvents(buyer)).filter(({ type }) => type === 'payment.succeeded')
  expect(paid).toHaveLength(3)
  await expectStoredAsAtProcessor(buyer)
})

test('two pages that are paid at the same time leave one purchase', async () => {
  const buyer = await buy(product().shop)
  const pages = [await openPage(buyer), await openPage(buyer)]
  await Promise.all(pages.map((page) => press(page, 'pay')))
  await newEvents(buyer)
  expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus', status: 'active' }])
  expect(listSubscriptions(buyer)).toHaveLength(1)
  await expectStoredAsAtProcessor(buyer)
})

test('a page can be paid for a day; afterwards the plan is unchanged, and can be changed again', async () => {
  const buyer = await buy(product().shop)
  const page = await openPage(buyer)
  await advanceClock(buyer, '25h')
  expect((await fetch(page)).status).toBe(404)
  await expectUnchanged(buyer)
  await press(await openPage(buyer), 'pay')
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
})

test('a declined card on the page changes nothing', async () => {
  const buyer = await buy(product().shop)
  const page = await openPage(buyer)
  const declined = await fetch(page, { method: 'POST', body: new URLSearchParams({ action: 'decline' }) })
  expect(await declined.text()).toContain('Your card was declined')
  await expectUnchanged(buyer)
})

test('a subscription that was cancelled after its page was opened stays cancelled', async () => {
  const { shop } = product()
  const buyer = await buy(shop)
  const page = await openPage(buyer)
  await shop.account.cancel(getFreemius(shop).licenses.at(-1)!.id)
  const refused = await fetch(page, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) })
  expect(refused.status).toBe(400)
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'monthly', cancel_at_period_end: true })
  expect(await changePlan(buyer)).toMatchObject({ status: 409, body: { error: 'subscription_cancelled' } })
})

test('a buyer who returns from the page has the plan, even if no webhook comes', async () => {
  const { shop } = product()
  const buyer = await buy(shop)
  shop.emulator.holdWebhooks()
  const returning = await press(await openPage(buyer), 'pay')
  expect(await follow(shop, returning)).toMatchObject({ status: 303, at: expect.stringContaining('/thanks') })
  expect((await readState(buyer)).purchases).toMatchObject([{ price_slug: 'plus' }])
  const calls = shop.emulator.calls.length
  await follow(shop, returning)
  expect(shop.emulator.calls).toHaveLength(calls)
  await shop.emulator.sendHeldWebhooks()
  await newEvents(buyer)
})

test('the return URL of an earlier plan reads the purchase at most once in five seconds', async () => {
  const { shop } = product()
  const buyer = await open(shop)
  const earlier = await press(buyer.checkoutUrl, 'pay')
  await follow(shop, earlier)
  await newEvents(buyer)
  await press(await openPage(buyer), 'pay')
  await newEvents(buyer)
  const calls = () => shop.emulator.calls.filter(({ path }) => path.endsWith('/payments.json')).length
  const before = calls()
  await Promise.all(Array.from({ length: 8 }, () => follow(shop, earlier)))
  expect(calls() - before).toBeLessThanOrEqual(1)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus' })
})

test('a buyer who changes the plan on trial gets no second trial', async () => {
  const { shop } = product()
  const buyer = await buy(shop, 'yearly')
  expect(await readPurchase(buyer)).toMatchObject({ status: 'trialing' })
  await press(await openPage(buyer), 'pay')
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', status: 'active' })
  await expectStoredAsAtProcessor(buyer)
  const { checkoutUrl } = await openMore(buyer, shop, 'yearly')
  expect(new URL(checkoutUrl).searchParams.has('trial')).toBe(false)
})
