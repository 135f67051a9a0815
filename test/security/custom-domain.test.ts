import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, press } from '../support/checkout.ts'
import { testEveryOperation } from '../support/every-operation.ts'
import { type Session, signInAnonymously } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { readStatements } from '../support/statements.ts'
import { getWebhookSecret, postWebhook } from '../support/stripe-purchase.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { MESSAGE } from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

interface Place extends Tenant {
  /** Where it is to be found. */
  origin: string
  /** Calls in which the owner names the user, and calls of the user itself. */
  served: Subscriber
  signedIn: Subscriber
  session: Session
  /** Our address that a hosted page goes back to, without its host. */
  returnUrl: string
}

const DOMAIN = 'pay.mine.example'

/** Two paywalls of one owner: one on a domain of its own, and one that has none. */
let mine: Place
let sibling: Place

const world = useTestWorld({ file: { paywalls: [{ domain: DOMAIN }, {}] } })

beforeAll(async () => {
  const [first, second] = await Promise.all(world.file.paywalls.map(openPlace))
  ;[mine, sibling] = [first!, second!]
  await world.stripe.drainWebhooks()
})

async function openPlace(paywall: Tenant['paywall']): Promise<Place> {
  const place = { ...tenant(world.file), paywall, origin: paywall.domain ? `https://${paywall.domain}` : world.url }
  const order = { key: place.key, body: { email: newEmail(), ...ordered(place) } }
  const { checkoutUrl } = parseOpened(
    await call(world, `${place.origin}/api/v1/paywall/${paywall.id}/start-checkout`, order),
  )
  return {
    ...place,
    served: await subscribe(world, place),
    signedIn: await subscribe(world, place),
    session: await signInAnonymously(world, { paywallId: paywall.id }),
    returnUrl: new URL(await press(checkoutUrl, 'pay')).pathname,
  }
}

/** An endpoint below a paywall's path. */
const on = (endpoint: string, getOptions: (place: Place) => Call) => (place: Place, origin: string) =>
  call(world, `${origin}/api/v1/paywall/${place.paywall.id}/${endpoint}`, getOptions(place))

const ordered = ({ paywall }: Pick<Place, 'paywall'>) => ({
  priceId: getPriceId(paywall, 'monthly'),
  successUrl: 'https://owner.example/thanks',
  errorUrl: 'https://owner.example/sorry',
  ignoreActivePurchase: true,
})

const cancelling = (origin: string, caller: Call, { purchaseId: subscriptionId }: Subscriber, body: object = {}) =>
  call(world, `${origin}/api/paywall/cancel-subscription`, {
    ...caller,
    body: { subscriptionId, cancellationReason: 'none', ...body },
  })

/** An event that we have nothing to do about. */
const PLAN_CREATED = JSON.stringify({ id: 'evt_1', type: 'plan.created', created: 1, data: { object: {} } })

/** A good request about a place to every endpoint, by its operation, at any host. */
const ASKS: [endpoint: string, ask: (place: Place, origin: string) => Promise<Reply>, good?: number, none?: string][] =
  [
    ['bootstrap', on('bootstrap', () => ({}))],
    ['bootstrap of a user', on('bootstrap', ({ signedIn: { token } }) => ({ token }))],
    [
      'readUser by key',
      (place, origin) => on(`user?user_id=${place.served.id}`, ({ key }) => ({ key }))(place, origin),
    ],
    ['readUser by token', on('user', ({ signedIn: { token } }) => ({ token }))],
    [
      'startCheckout by key',
      on('start-checkout', (place) => ({ key: place.key, body: { email: newEmail(), ...ordered(place) } })),
    ],
    [
      'startCheckout by token',
      on('start-checkout', (place) => ({ token: place.signedIn.token, body: ordered(place) })),
    ],
    [
      'cancelSubscription by key',
      ({ key, paywall, served }, origin) =>
        cancelling(origin, { key }, served, { paywallId: paywall.id, userId: served.id }),
    ],
    ['cancelSubscription by token', ({ signedIn }, origin) => cancelling(origin, { token: signedIn.token }, signedIn)],
    [
      'getCustomerPortal by key',
      on('get-customer-portal', ({ key, served: { email } }) => ({ key, body: { email, userMeta: { seen: true } } })),
    ],
    ['getCustomerPortal by token', on('get-customer-portal', ({ signedIn: { token } }) => ({ token, method: 'POST' }))],
    ['openTicket of a guest', on('support/ticket', () => ({ body: { ...MESSAGE, customer_email: newEmail() } }))],
    ['openTicket of a user', on('support/ticket', ({ signedIn: { token } }) => ({ token, body: MESSAGE }))],
    [
      'changeBalance',
      on('balances', ({ key, served: { id } }) => ({
        key,
        body: { op: 'debit', amount: 1, type: 'standard', user_id: id },
      })),
    ],
    [
      'withdrawTokens',
      ({ key, paywall, served }, origin) =>
        call(world, `${origin}/api/v1/withdraw-tokens`, {
          key,
          body: { paywall_id: paywall.id, user_id: served.id, tokens: 1 },
        }),
    ],
    ['sendSignInCode', on('sign-in/code', () => ({ body: { email: newEmail() } }))],
    ['giveTokens of a guest', on('sign-in/token', () => ({ body: { grant_type: 'anonymous' } }))],
    [
      'giveTokens of a session',
      on('sign-in/token', ({ session: { refreshToken } }) => ({
        body: { grant_type: 'refresh_token', refresh_token: refreshToken },
      })),
    ],
    ['endSession', on('sign-in/end', () => ({ body: { refresh_token: `${randomUUID()}.${'A'.repeat(43)}` } }))],
    ['exchangeTokens', on('sign-in/exchange', ({ key }) => ({ key, body: { email: newEmail() } }))],
    [
      'processorWebhook',
      ({ paywall }, origin) =>
        postWebhook(world, PLAN_CREATED, { origin, paywallId: paywall.id, secret: getWebhookSecret(paywall) }),
    ],
    ['checkoutReturn', ({ returnUrl }, origin) => call(world, origin + returnUrl), 303, 'checkout_not_found'],
    // Its processor has no such address, which is seen once the paywall is found.
    ['signedReturn', ({ paywall }, origin) => call(world, `${origin}/return/stripe/${paywall.id}`), 404],
  ]

testEveryOperation(
  ASKS.map(([name]) => name),
  { elsewhere: ['findPaywall'] }, // which names no paywall: it is asked for the domain's
)

test('a custom domain answers for no other paywall: good credentials too get 404, and nothing changes', async () => {
  const read = on('bootstrap', () => ({}))
  await until(
    'the edge cache has it',
    async () => (await readStatements(world, () => read(sibling, sibling.origin))) === 0,
  )
  const before = await stateChecksum(world)
  for (const [endpoint, ask, , none = 'paywall_not_found'] of ASKS) {
    // A name may have the dot of the root behind it.
    for (const origin of [mine.origin, `${mine.origin}.`]) {
      const reply = await ask(sibling, origin)
      expect(reply, endpoint).toMatchObject({ status: 404, body: { error: none } })
      expect(JSON.stringify(reply), endpoint).not.toContain(sibling.served.email)
    }
  }
  expect(await stateChecksum(world)).toBe(before)
})

describe('on its own domain, or on ours if it has none, a paywall answers', () => {
  test.each(ASKS)('%s', async (_endpoint, ask, good = 200) => {
    for (const place of [mine, sibling]) expect(await ask(place, place.origin)).toMatchObject({ status: good })
  })
})

test('a remembered reply of start-checkout is given only where it was, and for a day', async () => {
  const key = randomUUID()
  const order = {
    key: sibling.key,
    headers: { 'idempotency-key': key },
    body: { email: newEmail(), ...ordered(sibling) },
  }
  const ask = on('start-checkout', () => order)
  const { checkoutUrl } = parseOpened(await ask(sibling, sibling.origin))
  const replies = await world.workers.kv('start-checkout', 'CHECKOUT_REPLIES')
  const kept = await until('a reply in KV', async () =>
    (await replies.list()).keys.find(({ name }) => name.endsWith(key)),
  )
  expect(await ask(sibling, mine.origin)).toMatchObject({ status: 404, body: { error: 'paywall_not_found' } })
  expect(parseOpened(await ask(sibling, sibling.origin)).checkoutUrl).toBe(checkoutUrl)

  const day = 24 * 60 * 60
  const left = (kept.expiration ?? 0) - Date.now() / 1000
  expect(left).toBeGreaterThan(day - 60)
  expect(left).toBeLessThanOrEqual(day + 1)
})
