import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, press } from '../support/checkout.ts'
import { testEveryOperation } from '../support/every-operation.ts'
import { type Session, signInAnonymously } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { countStatements } from '../support/statements.ts'
import { getWebhookSecret, postWebhook } from '../support/stripe-purchase.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { MESSAGE } from '../support/tickets.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

interface Place extends Tenant {
  /** The origin that serves it. */
  origin: string
  /** A user whom the owner's calls name, and a user who makes its own calls. */
  served: Subscriber
  signedIn: Subscriber
  session: Session
  /** The path of our URL that a hosted page returns to. */
  returnUrl: string
}

const DOMAIN = 'pay.mine.example'

/** Two paywalls of one owner: one with a custom domain, and one without. */
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
  const order = { key: place.key, body: { email: newEmail(), ...orderFields(place) } }
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

/** A request to an endpoint below a paywall's path. */
const requestTo = (endpoint: string, getOptions: (place: Place) => Call) => (place: Place, origin: string) =>
  call(world, `${origin}/api/v1/paywall/${place.paywall.id}/${endpoint}`, getOptions(place))

const orderFields = ({ paywall }: Pick<Place, 'paywall'>) => ({
  priceId: getPriceId(paywall, 'monthly'),
  successUrl: 'https://owner.example/thanks',
  errorUrl: 'https://owner.example/sorry',
  ignoreActivePurchase: true,
})

const cancelAt = (origin: string, caller: Call, { purchaseId: subscriptionId }: Subscriber, body: object = {}) =>
  call(world, `${origin}/api/paywall/cancel-subscription`, {
    ...caller,
    body: { subscriptionId, cancellationReason: 'none', ...body },
  })

/** An event that we ignore. */
const PLAN_CREATED = JSON.stringify({ id: 'evt_1', type: 'plan.created', created: 1, data: { object: {} } })

/** A valid request about a paywall to every endpoint, by operation, at any host. */
const REQUESTS: [
  endpoint: string,
  ask: (place: Place, origin: string) => Promise<Reply>,
  validStatus?: number,
  notFound?: string,
][] = [
  ['bootstrap', requestTo('bootstrap', () => ({}))],
  ['bootstrap of a user', requestTo('bootstrap', ({ signedIn: { token } }) => ({ token }))],
  [
    'readUser by key',
    (place, origin) => requestTo(`user?user_id=${place.served.id}`, ({ key }) => ({ key }))(place, origin),
  ],
  ['readUser by token', requestTo('user', ({ signedIn: { token } }) => ({ token }))],
  [
    'startCheckout by key',
    requestTo('start-checkout', (place) => ({ key: place.key, body: { email: newEmail(), ...orderFields(place) } })),
  ],
  [
    'startCheckout by token',
    requestTo('start-checkout', (place) => ({ token: place.signedIn.token, body: orderFields(place) })),
  ],
  [
    'cancelSubscription by key',
    ({ key, paywall, served }, origin) =>
      cancelAt(origin, { key }, served, { paywallId: paywall.id, userId: served.id }),
  ],
  ['cancelSubscription by token', ({ signedIn }, origin) => cancelAt(origin, { token: signedIn.token }, signedIn)],
  [
    'getCustomerPortal by key',
    requestTo('get-customer-portal', ({ key, served: { email } }) => ({
      key,
      body: { email, userMeta: { seen: true } },
    })),
  ],
  [
    'getCustomerPortal by token',
    requestTo('get-customer-portal', ({ signedIn: { token } }) => ({ token, method: 'POST' })),
  ],
  ['openTicket of a guest', requestTo('support/ticket', () => ({ body: { ...MESSAGE, customer_email: newEmail() } }))],
  ['openTicket of a user', requestTo('support/ticket', ({ signedIn: { token } }) => ({ token, body: MESSAGE }))],
  [
    'changeBalance',
    requestTo('balances', ({ key, served: { id } }) => ({
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
  ['sendSignInCode', requestTo('sign-in/code', () => ({ body: { email: newEmail() } }))],
  ['giveTokens of a guest', requestTo('sign-in/token', () => ({ body: { grant_type: 'anonymous' } }))],
  [
    'giveTokens of a session',
    requestTo('sign-in/token', ({ session: { refreshToken } }) => ({
      body: { grant_type: 'refresh_token', refresh_token: refreshToken },
    })),
  ],
  ['endSession', requestTo('sign-in/end', () => ({ body: { refresh_token: `${randomUUID()}.${'A'.repeat(43)}` } }))],
  ['exchangeTokens', requestTo('sign-in/exchange', ({ key }) => ({ key, body: { email: newEmail() } }))],
  [
    'processorWebhook',
    ({ paywall }, origin) =>
      postWebhook(world, PLAN_CREATED, { origin, paywallId: paywall.id, secret: getWebhookSecret(paywall) }),
  ],
  ['checkoutReturn', ({ returnUrl }, origin) => call(world, origin + returnUrl), 303, 'checkout_not_found'],
  // Stripe has no signed return, which is checked once the paywall is found.
  ['signedReturn', ({ paywall }, origin) => call(world, `${origin}/return/stripe/${paywall.id}`), 404],
]

testEveryOperation(
  REQUESTS.map(([name]) => name),
  { elsewhere: ['findPaywall'] }, // it names no paywall, and finds the one of the domain
)

test('a custom domain returns 404 for any other paywall, even with valid credentials, and changes nothing', async () => {
  const read = requestTo('bootstrap', () => ({}))
  await until(
    'the edge cache has it',
    async () => (await countStatements(world, () => read(sibling, sibling.origin))) === 0,
  )
  const before = await stateChecksum(world)
  for (const [endpoint, ask, , notFound = 'paywall_not_found'] of REQUESTS) {
    // A host name may end with the dot of the root.
    for (const origin of [mine.origin, `${mine.origin}.`]) {
      const reply = await ask(sibling, origin)
      expect(reply, endpoint).toMatchObject({ status: 404, body: { error: notFound } })
      expect(JSON.stringify(reply), endpoint).not.toContain(sibling.served.email)
    }
  }
  expect(await stateChecksum(world)).toBe(before)
})

describe('a paywall is served on its own domain, or on ours if it has none:', () => {
  test.each(REQUESTS)('%s', async (_endpoint, ask, validStatus = 200) => {
    for (const place of [mine, sibling]) expect(await ask(place, place.origin)).toMatchObject({ status: validStatus })
  })
})

test('a stored reply of start-checkout is replayed only at its paywall’s origin, and expires after a day', async () => {
  const key = randomUUID()
  const order = {
    key: sibling.key,
    headers: { 'idempotency-key': key },
    body: { email: newEmail(), ...orderFields(sibling) },
  }
  const ask = requestTo('start-checkout', () => order)
  const { checkoutUrl } = parseOpened(await ask(sibling, sibling.origin))
  const replies = await world.workers.kv('start-checkout', 'CHECKOUT_REPLIES')
  const stored = await until('a reply in KV', async () =>
    (await replies.list()).keys.find(({ name }) => name.endsWith(key)),
  )
  expect(await ask(sibling, mine.origin)).toMatchObject({ status: 404, body: { error: 'paywall_not_found' } })
  expect(parseOpened(await ask(sibling, sibling.origin)).checkoutUrl).toBe(checkoutUrl)

  const day = 24 * 60 * 60
  const secondsLeft = (stored.expiration ?? 0) - Date.now() / 1000
  expect(secondsLeft).toBeGreaterThan(day - 60)
  expect(secondsLeft).toBeLessThanOrEqual(day + 1)
})
