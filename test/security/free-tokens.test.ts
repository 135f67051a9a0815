import { beforeAll, describe, expect, test } from 'vitest'
import { payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { runInLockOrder } from '../support/held-member.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { getGrant, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { newTenant, type Tenant, tenant } from '../support/tenants.ts'
import { readLedger } from '../support/token-calls.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { verifyLedger } from '../support/verify-ledger.ts'
import { useTestWorld } from '../support/world.ts'

/** Sells a year with 8,000 premium tokens, after a 7-day trial with 50 of them. It limits trials to 14 days. */
let shop: Tenant

const settings = {
  success_redirect_url: 'https://owner.example/thanks',
  tokenization_queries: [{ type: 'standard', daily_limit: 10 }, { type: 'premium' }],
  max_trial_days: 14,
}
const prices = [yearly({ tokens: [{ type: 'premium', count: 8000, trial_count: 50 }] }), monthly({ locals: [] })]

const world = useTestWorld({ file: { paywall: { settings, prices } } })

beforeAll(() => {
  shop = tenant(world.file)
})

/** Starts a user's own checkout of the yearly price. */
async function open(token: string, body: object = {}) {
  const { paywall } = shop
  const order = { priceId: getPriceId(paywall, 'yearly'), ignoreActivePurchase: true, ...body }
  return parseOpened(await startCheckout(world, { paywall, token, body: order }))
}

/** Waits until all webhooks of Stripe have arrived. */
const drainWebhooks = () => world.stripe.drainWebhooks()

/** The trial days in the request to Stripe for a user. */
function requestedTrialDays(userId: string): unknown {
  const request = world.stripe.calls.findLast(({ body }) => body.client_reference_id === userId)
  return Object(request?.body.subscription_data).trial_period_days
}

describe('trial_days', () => {
  test('of a user’s own call are limited to max_trial_days, and grant the tokens of a trial, not those of a paid period', async () => {
    const { token, user } = await signInAnonymously(world)
    const { checkoutUrl } = await open(token, { trial_days: 730 })
    expect(requestedTrialDays(user.id)).toBe('14')
    await call(world, await payOnPage(checkoutUrl))
    await drainWebhooks()
    expect(await userState(world, user.id)).toMatchObject({ paid: true, purchases: [{ status: 'trialing' }] })
    expect(await verifiedBalances(world, user.id)).toMatchObject({ premium: 50 })

    await world.stripe.renew(String(world.stripe.subscriptions.at(-1)?.id))
    await drainWebhooks()
    expect(await verifiedBalances(world, user.id)).toMatchObject({ premium: 8050 })
    expect((await readLedger(world, user.id)).filter(([type]) => type === 'premium')).toEqual([
      ['premium', 'trial', 50],
      ['premium', 'plan', 8000],
    ])
  })

  test('of a user’s own call are used as they are below the limit, and default to those of the price', async () => {
    const [first, second] = [await signInAnonymously(world), await signInAnonymously(world)]
    await open(first.token, { trial_days: 3 })
    expect(requestedTrialDays(first.user.id)).toBe('3')
    await open(second.token)
    expect(requestedTrialDays(second.user.id)).toBe('7')
  })

  test('of a user’s own call are limited to those of the price if max_trial_days is missing or lower', async () => {
    for (const allowed of [{}, { max_trial_days: 3 }]) {
      const tenant = await newTenant(world, {
        settings: { ...settings, max_trial_days: undefined, ...allowed },
        prices,
      })
      const { token, id } = await signIn(world, { paywallId: tenant.paywall.id, key: tenant.key })
      const body = { priceId: getPriceId(tenant.paywall, 'yearly'), trial_days: 730 }
      parseOpened(await startCheckout(world, { paywall: tenant.paywall, token, body }))
      expect(requestedTrialDays(id)).toBe('7')
    }
  })

  test('of an owner’s call are not limited', async () => {
    const body = { email: newEmail(), priceId: getPriceId(shop.paywall, 'yearly'), trial_days: 730 }
    const { userId } = parseOpened(await startCheckout(world, { paywall: shop.paywall, key: shop.key, body }))
    expect(requestedTrialDays(userId)).toBe('730')
  })

  test('grant no tokens if the price has none for a trial', async () => {
    const { token, user } = await signInAnonymously(world)
    const priceId = getPriceId(shop.paywall, 'monthly')
    const { checkoutUrl } = await open(token, { priceId, trial_days: 14 })
    await call(world, await payOnPage(checkoutUrl))
    await drainWebhooks()
    expect((await readLedger(world, user.id)).filter(([, reason]) => reason !== 'top_up')).toEqual([])
  })
})

describe('two merged users', () => {
  /** Signs an anonymous user in as a known one. */
  async function merge(anonymous: { token: string }, email: string) {
    const grant = await getGrant(world, email)
    expect(await requestTokens(world, grant, { token: anonymous.token })).toMatchObject({ status: 200 })
  }

  test('keep the tokens of one trial', async () => {
    const anonymous = await signInAnonymously(world)
    const known = await signIn(world)
    for (const { token } of [anonymous, known]) await call(world, await payOnPage((await open(token)).checkoutUrl))
    await drainWebhooks()
    expect(await verifiedBalances(world, anonymous.user.id)).toMatchObject({ premium: 50 })
    await merge(anonymous, known.email)
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 50 })
    expect(await verifiedBalances(world, anonymous.user.id)).toMatchObject({ premium: 0 })
    expect(await verifyLedger(world.databaseUrl)).toMatchObject({ code: 0 })
  })

  test('keep the tokens of their only trial, and get no second trial', async () => {
    const anonymous = await signInAnonymously(world)
    const known = await signIn(world)
    await call(world, await payOnPage((await open(anonymous.token)).checkoutUrl))
    await drainWebhooks()
    await merge(anonymous, known.email)
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 50 })
    await open(known.token, { trial_days: 14 })
    expect(requestedTrialDays(known.id)).toBeUndefined()
  })

  test('who each have a checkout page open at Stripe get one trial', async () => {
    const anonymous = await signInAnonymously(world)
    const known = await signIn(world)
    const pages = [await open(anonymous.token), await open(known.token)]
    await merge(anonymous, known.email)
    world.stripe.holdWebhooks()
    const returnUrls = await Promise.all(pages.map(({ checkoutUrl }) => payOnPage(checkoutUrl)))
    await runInLockOrder(
      world,
      known.id,
      returnUrls.map((returnUrl) => () => call(world, returnUrl)),
    )
    await world.stripe.sendHeldWebhooks()
    await drainWebhooks()
    expect((await userState(world, known.id)).purchases.map(({ status }) => status)).toEqual(['trialing'])
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 50 })
    const subscriptions = world.stripe.subscriptions.filter(({ metadata }) =>
      [known.id, anonymous.user.id].includes(Object(metadata).user_id),
    )
    expect(subscriptions.map((each) => each.cancel_at_period_end).toSorted()).toEqual([false, true])
  })

  test('keep the second trial as a paid purchase if it was charged before it could be ended', async () => {
    const anonymous = await signInAnonymously(world)
    const known = await signIn(world)
    const [second, first] = [await open(anonymous.token), await open(known.token)]
    await merge(anonymous, known.email)
    await call(world, await payOnPage(first.checkoutUrl))
    await drainWebhooks()
    world.stripe.holdWebhooks()
    await payOnPage(second.checkoutUrl)
    await world.stripe.renew(String(world.stripe.subscriptions.at(-1)?.id))
    await world.stripe.sendHeldWebhooks()
    await drainWebhooks()
    expect((await userState(world, known.id)).purchases.map(({ status }) => status)).toEqual(['active', 'trialing'])
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 8050 })
  })
})

test('an owner key can give a further trial, which grants no trial tokens', async () => {
  const { id, token, email } = await signIn(world)
  await payAndReturn(world, (await open(token)).checkoutUrl)
  const body = { email, priceId: getPriceId(shop.paywall, 'yearly'), trial_days: 5, ignoreActivePurchase: true }
  const further = parseOpened(await startCheckout(world, { paywall: shop.paywall, key: shop.key, body }))
  await payAndReturn(world, further.checkoutUrl)
  await drainWebhooks()
  expect((await userState(world, id)).purchases.map(({ status }) => status)).toEqual(['trialing', 'trialing'])
  expect(await verifiedBalances(world, id)).toMatchObject({ premium: 50 })
})
