import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import type { Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, press, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { type FileJson, monthly, paywallFile, writtenWebhooks, yearly } from '../support/paywall-file.ts'
import { raceStatements } from '../support/statement-barrier.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

// Offers that take something off, from the paywall file to the payment, at Stripe.

const world = useTestWorld()

afterEach(() => {
  world.stripe.onCall = undefined
  world.neon.onStatement = undefined
})

const LIFETIME = { slug: 'lifetime', label: 'For ever', currency: 'USD', amount: 49, processorPrice: 'price_lifetime' }
const YEARLY = yearly({ trial_days: undefined })

/** Half of the first period of the monthly price. */
const offer = (more: FileJson = {}): FileJson => ({
  id: 'spring',
  title: 'Spring',
  discount: { percent: 50, periods: 1 },
  prices: ['monthly'],
  processorDiscount: 'HALF_ONCE',
  ...more,
})

/** A paywall of a new owner with these offers, whose events reach the world's receiver. */
async function shopWith(...offers: FileJson[]): Promise<Tenant> {
  const paywall = { prices: [monthly(), YEARLY, LIFETIME], offers }
  const file = await paywallFile({ webhooks: writtenWebhooks(world.file), paywall })
  await world.apply(file)
  return tenant(file)
}

/** Replaces the offers of a shop. */
async function edit({ file, paywall }: Tenant, ...offers: FileJson[]): Promise<void> {
  const edited = await paywallFile({ paywall: { prices: [monthly(), YEARLY, LIFETIME], offers } })
  await world.apply({ ...file, paywalls: [{ ...paywall, discounts: edited.paywalls[0]!.discounts }] })
}

interface Order {
  slug?: string
  email?: string
  token?: string
  key?: string
  [field: string]: unknown
}

/** Calls start-checkout with an offer, as the owner or with a user's token. */
function order(shop: Tenant, { slug = 'monthly', email = newEmail(), token, key = randomUUID(), ...fields }: Order) {
  const body = { priceId: getPriceId(shop.paywall, slug), offer: 'spring', ...(token ? {} : { email }), ...fields }
  const credential = token === undefined ? { key: shop.key } : { token }
  return startCheckout(world, { paywall: shop.paywall, ...credential, headers: { 'idempotency-key': key }, body })
}

const refused = (reason: string) => ({
  status: 400,
  body: { error: 'invalid_offer', reason, message: expect.stringMatching(/./) },
})
const findPage = (reply: Reply) =>
  world.stripe.checkoutSessions.find(({ url }) => url === parseOpened(reply).checkoutUrl)

const Uses = z.array(z.object({ paid: z.boolean(), is_beyond_max: z.boolean() }))
async function uses({ paywall }: Tenant) {
  const { rows } = await world.database.query(
    'select paid_at is not null as paid, is_beyond_max from offer_uses where paywall_id = $1 order by paid_at, checkout_id',
    [paywall.id],
  )
  return Uses.parse(rows)
}

/** The offer of a user's completed checkouts, and the amounts of its payments, as the owner hears of them. */
async function reported(userId: string) {
  await world.stripe.drainWebhooks()
  return (await ownerEvents(world, userId)).flatMap(({ type, data }): unknown[] => {
    if (type === 'checkout.completed') return [{ amount: data.checkout?.amount, offer: data.checkout?.offer }]
    return type === 'payment.succeeded' ? [`${data.payment?.amount} after ${data.payment?.discount}`] : []
  })
}

test('a page with an offer charges less, and the owner hears of it', async () => {
  const shop = await shopWith(offer())
  const opened = await order(shop, {})
  expect(findPage(opened)).toMatchObject({ amount_total: 499, discounts: [{ coupon: 'HALF_ONCE' }] })
  const { checkoutUrl, userId } = parseOpened(opened)
  await payAndReturn(world, checkoutUrl)
  expect(await reported(userId)).toEqual([{ amount: 499, offer: { id: 'spring', beyond_max: false } }, '499 after 500'])
  expect(await uses(shop)).toEqual([{ paid: true, is_beyond_max: false }])
})

test('a page without one charges the price', async () => {
  const shop = await shopWith(offer())
  const { checkoutUrl, userId } = parseOpened(await order(shop, { offer: null }))
  await payAndReturn(world, checkoutUrl)
  expect(await reported(userId)).toEqual([{ amount: 999, offer: null }, '999 after 0'])
  expect(await uses(shop)).toEqual([])
})

test('an amount is taken off a one-time price', async () => {
  const shop = await shopWith(
    offer({ discount: { amount: 20, currency: 'USD' }, prices: ['lifetime'], processorDiscount: 'TWENTY' }),
  )
  const opened = await order(shop, { slug: 'lifetime' })
  expect(findPage(opened)).toMatchObject({ amount_subtotal: 4900, amount_total: 2900 })
  const { checkoutUrl, userId } = parseOpened(opened)
  await payAndReturn(world, checkoutUrl)
  expect(await reported(userId)).toEqual([
    { amount: 2900, offer: { id: 'spring', beyond_max: false } },
    '2900 after 2000',
  ])
})

describe('an offer is refused with a reason and a message', () => {
  const past = '2020-01-01T00:00:00Z'
  const future = '2100-01-01T00:00:00Z'
  test.each<[string, FileJson[], Order, string]>([
    ['that does not exist', [offer()], { offer: 'sprong' }, 'unknown'],
    ['of a code that does not exist', [offer({ code: 'SPRING' })], { offer: null, code: 'SPRONG' }, 'unknown'],
    ['of a code that is another one’s', [offer({ code: 'SPRING' })], { offer: 'other', code: 'SPRING' }, 'unknown'],
    ['that has ended', [offer({ ends_at: past })], {}, 'ended'],
    ['that has not started', [offer({ starts_at: future })], {}, 'not_started'],
    ['for another price', [offer()], { slug: 'yearly' }, 'other_price'],
    ['for another country', [offer({ countries: ['DE'] })], { country: 'US' }, 'other_country'],
    ['for a country if none is sent', [offer({ countries: ['DE'] })], {}, 'other_country'],
    ['with a trial, which the processor counts as a period', [offer()], { trial_days: 7 }, 'no_trial'],
  ])('%s', async (_, offers, fields, reason) => {
    const shop = await shopWith(...offers)
    const email = newEmail()
    const before = world.stripe.checkoutSessions.length
    expect(await order(shop, { email, ...fields })).toMatchObject(refused(reason))
    expect(world.stripe.checkoutSessions).toHaveLength(before)
    expect((await world.database.query('select from users where email = $1', [email])).rowCount).toBe(0)
  })

  test('that was removed, and it is the same when it returns', async () => {
    const shop = await shopWith(offer({ max: 1 }))
    await payAndReturn(world, parseOpened(await order(shop, {})).checkoutUrl)
    await edit(shop)
    expect(await order(shop, {})).toMatchObject(refused('unknown'))
    await edit(shop, offer({ max: 1 }))
    expect(await order(shop, {})).toMatchObject(refused('used_up'))
    await edit(shop, offer({ max: 2 }))
    parseOpened(await order(shop, {}))
  })

  test("another owner's", async () => {
    await shopWith(offer({ code: 'SPRING' }))
    const other = await shopWith()
    expect(await order(other, {})).toMatchObject(refused('unknown'))
    expect(await order(other, { offer: null, code: 'SPRING' })).toMatchObject(refused('unknown'))
  })

  test('that is not text', async () => {
    const shop = await shopWith(offer())
    expect(await order(shop, { offer: 5 })).toMatchObject({ status: 400, body: { error: 'Invalid offer' } })
    expect(await order(shop, { code: 'x'.repeat(101) })).toMatchObject({ status: 400, body: { error: 'Invalid code' } })
  })
})

test('in its country an offer is sold', async () => {
  const shop = await shopWith(offer({ countries: ['DE', 'US'] }))
  expect(findPage(await order(shop, { country: 'de' }))).toMatchObject({ amount_total: 499 })
  const { token } = await signIn(world, { paywallId: shop.paywall.id, key: shop.key })
  expect(findPage(await order(shop, { token }))).toMatchObject({ amount_total: 499 })
})

test('a code gives an offer in upper or lower case; a user cannot name one that needs its code', async () => {
  const shop = await shopWith(offer({ code: 'Spring-27', show: 'code' }))
  const { token } = await signIn(world, { paywallId: shop.paywall.id, key: shop.key })
  expect(await order(shop, { token })).toMatchObject(refused('unknown'))
  expect(findPage(await order(shop, { token, offer: null, code: ' sPRING-27 ' }))).toMatchObject({ amount_total: 499 })
  expect(findPage(await order(shop, {}))).toMatchObject({ amount_total: 499 })
})

describe('a member can use an offer once', () => {
  test('also after its subscription has been replaced', async () => {
    const shop = await shopWith(offer())
    const email = newEmail()
    await payAndReturn(world, parseOpened(await order(shop, { email })).checkoutUrl)
    expect(await order(shop, { email, ignoreActivePurchase: true })).toMatchObject(refused('used'))
    parseOpened(await order(shop, { email, ignoreActivePurchase: true, offer: null }))
  })

  test('but may open its page again before it pays, and of several pages one counts', async () => {
    const shop = await shopWith(offer({ max: 1 }))
    const email = newEmail()
    parseOpened(await order(shop, { email }))
    parseOpened(await order(shop, { email }))
    expect(await order(shop, {})).toMatchObject(refused('used_up'))
    await payAndReturn(world, parseOpened(await order(shop, { email })).checkoutUrl)
    expect(await uses(shop)).toEqual([{ paid: true, is_beyond_max: false }])
  })

  test('also if its payment is pending', async () => {
    const shop = await shopWith(offer({ prices: ['lifetime'], discount: { percent: 50 }, max: 1 }))
    const email = newEmail()
    const { checkoutUrl } = parseOpened(await order(shop, { email, slug: 'lifetime' }))
    await press(checkoutUrl, 'later')
    await world.stripe.drainWebhooks()
    await world.clock.advance(shop.paywall.id, '30h')
    expect(await order(shop, { email, slug: 'lifetime', ignoreActivePurchase: true })).toMatchObject(refused('used'))
    expect(await order(shop, { slug: 'lifetime' })).toMatchObject(refused('used_up'))
  })

  test('`max_per_member`: each member can use it that often', async () => {
    const shop = await shopWith(offer({ prices: ['lifetime'], discount: { percent: 50 }, max_per_member: 2 }))
    const wanted = { email: newEmail(), slug: 'lifetime', ignoreActivePurchase: true }
    for (const _ of [1, 2]) await payAndReturn(world, parseOpened(await order(shop, wanted)).checkoutUrl)
    expect(await order(shop, wanted)).toMatchObject(refused('used'))
    expect((await uses(shop)).map(({ is_beyond_max: isBeyond }) => isBeyond)).toEqual([false, false])
  })

  test('who was anonymous and has bought with it before signing in', async () => {
    const shop = await shopWith(offer())
    const { token } = await signIn(world, { paywallId: shop.paywall.id, key: shop.key })
    await payAndReturn(world, parseOpened(await order(shop, { token })).checkoutUrl)
    expect(await order(shop, { token, ignoreActivePurchase: true })).toMatchObject(refused('used'))
  })
})

describe('`max` is exact', () => {
  test('200 calls at once get 10 of 10 uses', async () => {
    const shop = await shopWith(offer({ max: 10 }))
    const replies = await Promise.all(Array.from({ length: 200 }, () => order(shop, {})))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    for (const reply of replies) if (reply.status !== 200) expect(reply).toMatchObject(refused('used_up'))
    expect(await uses(shop)).toHaveLength(10)
  }, 120_000)

  test('calls whose statements run at the same moment do not exceed it', async () => {
    for (let round = 0; round < 5; round++) {
      const shop = await shopWith(offer({ max: 2 }))
      raceStatements(world, 'claim_checkout', 8)
      const replies = await Promise.all(Array.from({ length: 8 }, () => order(shop, {})))
      world.neon.onStatement = undefined
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(2)
      expect(await uses(shop)).toHaveLength(2)
    }
  })

  test('a page that is closed frees its use', async () => {
    const shop = await shopWith(offer({ max: 1 }))
    const email = newEmail()
    parseOpened(await order(shop, { email }))
    parseOpened(await order(shop, { email, offer: null }))
    await until('the first page is closed', async () => (await uses(shop)).length === 0)
    parseOpened(await order(shop, {}))
  })

  test('a page holds its use for a day, until which Stripe lets it be paid', async () => {
    const shop = await shopWith(offer({ max: 1 }))
    parseOpened(await order(shop, {}))
    await world.clock.advance(shop.paywall.id, '23h')
    expect(await order(shop, {})).toMatchObject(refused('used_up'))
    await world.clock.advance(shop.paywall.id, '61m')
    parseOpened(await order(shop, {}))
  })

  test('a payment that arrives after its use has gone counts beyond `max`, and is reported', async () => {
    const shop = await shopWith(offer({ max: 1, prices: ['lifetime'], discount: { percent: 50 } }))
    const late = parseOpened(await order(shop, { slug: 'lifetime' }))
    // The page is paid in time, but its webhooks do not arrive, nobody returns from it, and Stripe answers no call for a day.
    world.stripe.holdWebhooks()
    await press(late.checkoutUrl, 'pay')
    world.stripe.onCall = () => Promise.reject(new DroppedCall())
    await world.clock.advance(shop.paywall.id, '25h')
    world.stripe.onCall = undefined
    const next = parseOpened(await order(shop, { slug: 'lifetime' }))
    await payAndReturn(world, next.checkoutUrl)
    await world.stripe.sendHeldWebhooks()
    expect(await reported(next.userId)).toEqual([
      { amount: 2450, offer: { id: 'spring', beyond_max: false } },
      '2450 after 2450',
    ])
    expect(await reported(late.userId)).toEqual([
      { amount: 2450, offer: { id: 'spring', beyond_max: true } },
      '2450 after 2450',
    ])
  })

  test('a page that the processor refuses reserves nothing', async () => {
    const shop = await shopWith(offer({ max: 1 }))
    await world.stripe.setCoupons(shop.paywall.id, { HALF_ONCE: null })
    expect(await order(shop, {})).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
    expect(await uses(shop)).toEqual([])
    await world.stripe.setCoupons(shop.paywall.id, {})
    parseOpened(await order(shop, {}))
  })
})

describe('a retry with the same Idempotency-Key', () => {
  test('opens the page of a lost response, although the offer was edited and used up meanwhile', async () => {
    const shop = await shopWith(offer({ max: 1 }))
    const email = newEmail()
    const key = randomUUID()
    world.stripe.onCall = async (_, run) => {
      await run()
      throw new DroppedCall()
    }
    expect(await order(shop, { email, key })).toMatchObject({ status: 502, body: { error: 'processor_unavailable' } })
    world.stripe.onCall = undefined
    const pages = world.stripe.checkoutSessions.length
    expect(await order(shop, {})).toMatchObject(refused('used_up'))
    await edit(shop, offer({ max: 1, ends_at: '2020-01-01T00:00:00Z', discount: { percent: 10, periods: 1 } }))
    expect(findPage(await order(shop, { email, key }))).toMatchObject({ amount_total: 499 })
    expect(world.stripe.checkoutSessions).toHaveLength(pages)
    expect(await uses(shop)).toHaveLength(1)
  })

  test('and another offer is another request', async () => {
    const shop = await shopWith(offer(), offer({ id: 'summer' }))
    const email = newEmail()
    const key = randomUUID()
    const first = await order(shop, { email, key })
    expect(await order(shop, { email, key })).toMatchObject({ status: 200, body: first.body })
    expect(await order(shop, { email, key, offer: 'summer' })).toMatchObject({
      status: 409,
      body: { error: 'idempotency_key_reused' },
    })
  })
})
