import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { call } from '../support/call.ts'
import { buy, getPriceId, newEmail, press } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { livePaywallFile } from '../support/paywall-file.ts'
import { signInAnonymously } from '../support/sign-in.ts'
import { cancelAsUser, getUpdates, parseCancelled, type Subscriber, subscribe } from '../support/subscriber.ts'
import { person, tenant, useTenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'
import { changePlan, PRICES, paidAmounts, preview, pricesAtStripe } from './changing.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
const ours = useTenant(world)

/** What the owner reads of the subscriber's purchases. */
const slugs = async ({ id }: Subscriber) => (await userState(world, id)).purchases.map(({ price_slug }) => price_slug)

test('a preview shows the sum and changes nothing, and the change with its quote charges exactly that', async () => {
  const subscriber = await subscribe(world, ours)
  const shown = await preview(world, subscriber)
  const rest = shown.credit.amount / 999
  expect(shown).toMatchObject({
    subscription_id: subscriber.purchaseId,
    from: { price_slug: 'monthly', unit_amount: 999 },
    to: { price_slug: 'team', unit_amount: 2999 },
    when: 'now',
    credit: { currency: 'USD' },
    next: { amount: 2999, currency: 'USD' },
    estimate: false,
    undoes_cancellation: false,
  })
  expect(shown.due_now.amount).toBeCloseTo(rest * 2999 - shown.credit.amount, -1)
  expect(getUpdates(world, subscriber)).toEqual([])
  expect(await slugs(subscriber)).toEqual(['monthly'])

  const reply = await changePlan(world, subscriber, { body: { quote: shown.quote } })
  expect(reply).toMatchObject({ status: 200, body: { to: { price_slug: 'team' }, when: 'now', checkoutUrl: null } })
  await world.stripe.drainWebhooks()
  expect(await slugs(subscriber)).toEqual(['team'])
  expect(pricesAtStripe(world, subscriber)).toEqual(['price_team'])
  expect(await paidAmounts(world, subscriber)).toEqual([999, shown.due_now.amount])
  const changes = (await ownerEvents(world, subscriber.id)).filter(({ type }) => type === 'subscription.plan_changed')
  expect(changes).toMatchObject([
    { times: 1, data: { subscription: { price_slug: 'team' }, previous: { price_slug: 'monthly' } } },
  ])
})

test('a change without a preview is one call, also by the user', async () => {
  const subscriber = await subscribe(world, ours)
  const { token } = await person(world, ours, subscriber.email)
  const path = `/api/v1/paywall/${world.paywall.id}/change-plan`
  const body = { priceId: getPriceId(world.paywall, 'team') }
  expect(await call(world, path, { token, body })).toMatchObject({ status: 200 })
  await world.stripe.drainWebhooks()
  expect(await slugs(subscriber)).toEqual(['team'])
  expect(pricesAtStripe(world, subscriber)).toEqual(['price_team'])
})

test('a downgrade applies from the end of the period by default', async () => {
  const subscriber = await subscribe(world, ours, 'team')
  const [purchase] = (await userState(world, subscriber.id)).purchases
  const shown = await preview(world, subscriber, { slug: 'monthly' })
  expect(shown).toMatchObject({
    when: 'period_end',
    due_now: { amount: 0 },
    credit: { amount: 0 },
    next: { amount: 999, at: purchase?.current_period_end },
    effective_at: purchase?.current_period_end,
  })
  const reply = await changePlan(world, subscriber, { slug: 'monthly', body: { quote: shown.quote } })
  expect(reply).toMatchObject({ status: 200, body: { when: 'period_end', checkoutUrl: null } })
  await world.stripe.drainWebhooks()
  expect(await slugs(subscriber)).toEqual(['team'])
  await world.clock.advance(world.paywall.id, '32d')
  expect(await slugs(subscriber)).toEqual(['monthly'])
  expect(await paidAmounts(world, subscriber)).toEqual([2999, 999])
})

test('the same Idempotency-Key returns the first response byte by byte, and refuses another request', async () => {
  const subscriber = await subscribe(world, ours)
  const headers = { 'idempotency-key': randomUUID() }
  const ask = async () => {
    const body = JSON.stringify({ userId: subscriber.id, priceId: getPriceId(world.paywall, 'team') })
    const request = { method: 'POST', headers: { ...headers, 'x-api-key': world.key }, body }
    const response = await world.fetch(`/api/v1/paywall/${world.paywall.id}/change-plan`, request)
    return { replayed: response.headers.get('idempotency-replayed'), text: await response.text() }
  }
  const first = await ask()
  expect(await ask()).toEqual({ replayed: 'true', text: first.text })
  expect(first.replayed).toBeNull()
  const other = await changePlan(world, subscriber, { headers, body: { when: 'period_end' } })
  expect(other).toMatchObject({ status: 409, body: { error: 'idempotency_key_reused' } })
  await world.stripe.drainWebhooks()
  expect(await paidAmounts(world, subscriber)).toHaveLength(2)
})

test.each([
  ['is declined', 'declineCharges'],
  ['must be authenticated by the buyer', 'requireAuthentication'],
] as const)('if the charge %s, the plan changes once it is paid on the page of the response', async (_, control) => {
  const subscriber = await subscribe(world, ours)
  await world.stripe[control](subscriber.customer)
  const reply = await changePlan(world, subscriber)
  const { checkoutUrl } = z.object({ checkoutUrl: z.url() }).parse(reply.body)
  await world.stripe.drainWebhooks()
  expect(await slugs(subscriber)).toEqual(['monthly'])
  expect(await userState(world, subscriber.id)).toMatchObject({ paid: true })

  await world.stripe[control](subscriber.customer, false)
  await press(checkoutUrl, 'pay')
  await world.stripe.drainWebhooks()
  expect(await slugs(subscriber)).toEqual(['team'])
  expect(pricesAtStripe(world, subscriber)).toEqual(['price_team'])
})

test('a change undoes a scheduled cancellation, which the preview says', async () => {
  const subscriber = await subscribe(world, ours)
  parseCancelled(await cancelAsUser(world, subscriber))
  await world.stripe.drainWebhooks()
  const shown = await preview(world, subscriber)
  expect(shown).toMatchObject({ undoes_cancellation: true })
  expect(await changePlan(world, subscriber, { body: { quote: shown.quote } })).toMatchObject({ status: 200 })
  await world.stripe.drainWebhooks()
  const { purchases } = await userState(world, subscriber.id)
  expect(purchases).toMatchObject([{ price_slug: 'team', cancel_at_period_end: false, cancel_at: null }])
})

test('a subscriber in another country keeps the local prices, and is refused a price without one', async () => {
  const email = newEmail()
  await buy(world, { ...ours, email, body: { country: 'IN' } })
  const { id } = await person(world, ours, email)
  const shown = await preview(world, { id }, { slug: 'plus' })
  expect(shown).toMatchObject({
    from: { unit_amount: 39900, currency: 'INR' },
    to: { unit_amount: 79900, currency: 'INR' },
    due_now: { currency: 'INR' },
  })
  const refused = await changePlan(world, { id })
  expect(refused).toMatchObject({ status: 409, body: { error: 'currency_mismatch' } })
})

describe('a quote is refused, and nothing is charged', () => {
  const expired = { status: 409, body: { error: 'quote_expired' } }

  test('once it is used', async () => {
    const subscriber = await subscribe(world, ours)
    const { quote } = await preview(world, subscriber)
    const replies = await Promise.all([1, 2, 3].map(() => changePlan(world, subscriber, { body: { quote } })))
    const statuses = replies.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 409, 409])
    await world.stripe.drainWebhooks()
    expect(await paidAmounts(world, subscriber)).toHaveLength(2)
  })

  test('after 15 minutes', async () => {
    const subscriber = await subscribe(world, ours)
    const { quote } = await preview(world, subscriber)
    await world.clock.advance(world.paywall.id, '16m')
    expect(await changePlan(world, subscriber, { body: { quote } })).toMatchObject(expired)
    expect(pricesAtStripe(world, subscriber)).toEqual(['price_monthly'])
  })

  test('for another price, another time, or another user', async () => {
    const [subscriber, other] = [await subscribe(world, ours), await subscribe(world, ours)]
    const { quote } = await preview(world, subscriber)
    const attempts = [
      changePlan(world, subscriber, { slug: 'yearly', body: { quote, when: 'now' } }),
      changePlan(world, subscriber, { body: { quote, when: 'period_end' } }),
      changePlan(world, other, { body: { quote } }),
      changePlan(world, subscriber, { body: { quote: randomUUID() } }),
    ]
    for (const reply of await Promise.all(attempts)) expect(reply).toMatchObject(expired)
    for (const each of [subscriber, other]) expect(pricesAtStripe(world, each)).toEqual(['price_monthly'])
  })

  test('after the plan was changed', async () => {
    const subscriber = await subscribe(world, ours)
    const { quote } = await preview(world, subscriber)
    expect(await changePlan(world, subscriber, { slug: 'yearly', body: { when: 'now' } })).toMatchObject({
      status: 200,
    })
    await world.stripe.drainWebhooks()
    expect(await changePlan(world, subscriber, { body: { quote } })).toMatchObject(expired)
    expect(pricesAtStripe(world, subscriber)).toEqual(['price_yearly'])
  })
})

describe('refused', () => {
  const refusal = (status: number, error: string) => ({ status, body: { error } })

  test('without a subscription, and with several unless one is named', async () => {
    const { id, email } = await person(world, ours)
    expect(await changePlan(world, { id })).toMatchObject(refusal(404, 'Subscription not found'))
    for (const slug of ['monthly', 'yearly']) {
      await buy(world, { ...ours, email, slug, body: { ignoreActivePurchase: true } })
      await world.clock.advance(world.paywall.id, '1m') // of two that begin in the same second either may be the older one
    }
    // The older one is stopped, so it runs to its end beside the other.
    const { purchases } = await userState(world, id)
    expect(await changePlan(world, { id })).toMatchObject(refusal(400, 'subscriptionId is required'))
    const named = (slug: string) => {
      const subscriptionId = purchases.find(({ price_slug }) => price_slug === slug)?.id
      return changePlan(world, { id }, { body: { subscriptionId, preview: true } })
    }
    expect(await named('yearly')).toMatchObject({ status: 200 })
    expect(await named('monthly')).toMatchObject(refusal(409, 'subscription_not_changeable'))
  })

  test('by an anonymous user', async () => {
    const { token } = await signInAnonymously(world)
    const path = `/api/v1/paywall/${world.paywall.id}/change-plan`
    const body = { priceId: getPriceId(world.paywall, 'team') }
    expect(await call(world, path, { token, body })).toMatchObject(refusal(403, 'Unauthorized'))
  })

  test('to a price that it has, that renews never, that is unknown, or in another currency', async () => {
    const subscriber = await subscribe(world, ours)
    const to = (slug: string) => changePlan(world, subscriber, { slug })
    expect(await to('monthly')).toMatchObject(refusal(409, 'price_unchanged'))
    expect(await to('once')).toMatchObject(refusal(404, 'price_not_found'))
    expect(await to('euro')).toMatchObject(refusal(409, 'currency_mismatch'))
    const unknown = await changePlan(world, subscriber, { body: { priceId: 'price_unknown' } })
    expect(unknown).toMatchObject(refusal(404, 'price_not_found'))
  })

  test('while a renewal is unpaid, with the status', async () => {
    const subscriber = await subscribe(world, ours)
    await world.stripe.renew(subscriber.subscriptionId, { fail: true })
    await world.stripe.drainWebhooks()
    const reply = await changePlan(world, subscriber)
    expect(reply).toMatchObject({ status: 409, body: { error: 'subscription_not_changeable', status: 'past_due' } })
  })

  test('on a live paywall without an Idempotency-Key, except for a preview', async () => {
    const live = tenant(await livePaywallFile({ prices: PRICES }))
    await world.apply(live.file)
    const { userId } = await buy(world, live)
    await world.stripe.drainWebhooks()
    const ask = (fields: object, headers = {}) => {
      const body = { userId, priceId: getPriceId(live.paywall, 'team'), ...fields }
      return call(world, `/api/v1/paywall/${live.paywall.id}/change-plan`, { key: live.key, headers, body })
    }
    expect(await ask({})).toMatchObject(refusal(400, 'idempotency_key_required'))
    expect(await ask({ preview: true })).toMatchObject({ status: 200 })
    expect(await ask({}, { 'idempotency-key': randomUUID() })).toMatchObject({ status: 200 })
  })

  test('after 20 previews by the user in ten minutes, with the time to wait; the owner may go on', async () => {
    const subscriber = await subscribe(world, ours)
    const { token } = await person(world, ours, subscriber.email)
    const path = `/api/v1/paywall/${world.paywall.id}/change-plan`
    const ask = () => call(world, path, { token, body: { priceId: getPriceId(world.paywall, 'team'), preview: true } })
    for (let count = 0; count < 20; count++) expect(await ask()).toMatchObject({ status: 200 })
    const reply = await ask()
    expect(reply).toMatchObject(refusal(429, 'rate_limit_exceeded'))
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(await changePlan(world, subscriber, { body: { preview: true } })).toMatchObject({ status: 200 })
  })

  test.each([
    ['no user', { userId: undefined }, 'identity_required'],
    ['no price', { priceId: undefined }, 'Invalid priceId format'],
    ['no units', { quantity: 0 }, 'Invalid quantity'],
    ['a part of a unit', { quantity: 1.5 }, 'Invalid quantity'],
    ['too many units', { quantity: 10_001 }, 'Invalid quantity'],
    ['another time', { when: 'tomorrow' }, 'Invalid when'],
    ['a quote that is none', { quote: 'cheap' }, 'Invalid quote'],
    ['a preview that is no boolean', { preview: 'yes' }, 'Invalid preview'],
  ])('with %s', async (_, body, error) => {
    expect(await changePlan(world, { id: randomUUID() }, { body })).toMatchObject(refusal(400, error))
  })
})
