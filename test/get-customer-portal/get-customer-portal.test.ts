import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Call, call, type Reply } from '../support/call.ts'
import { buy, newEmail } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { monthly, paywallFile } from '../support/paywall-file.ts'
import { type Row, testRows } from '../support/rows.ts'
import { countStatements } from '../support/statements.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { person, startTenants, type Tenant, type Tenants, tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'

let tenants: Tenants
let subscriber: Subscriber

beforeAll(async () => {
  tenants = await startTenants()
  subscriber = await subscribe(tenants.world, tenants.ours)
})

afterAll(() => tenants.close())

const PORTAL_SESSIONS = '/v1/billing_portal/sessions'

const openPortal = (options: Call, paywallId = tenants.ours.paywall.id, host = '') =>
  call(tenants.world, `${host}/api/v1/paywall/${paywallId}/get-customer-portal`, { method: 'POST', ...options })
const asOwner = (body: unknown, { key, paywall }: Tenant = tenants.ours) => openPortal({ key, body }, paywall.id)
const asUser = ({ token }: { token: string } = subscriber) => openPortal({ token })

/** The portal's URL. Throws if the reply has none. */
function parsePortalUrl(reply: Reply): string {
  if (reply.status !== 200) throw new Error(`no portal: ${JSON.stringify(reply)}`)
  return z.strictObject({ url: z.url() }).parse(reply.body).url
}

const press = async (url: string, action: 'cancel' | 'undo') => {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' })
  expect(answer.status).toBe(303)
  await tenants.world.stripe.drainWebhooks()
}

const getMeta = async (userId: string) => {
  const { rows } = await tenants.world.database.query('select meta from members where user_id = $1', [userId])
  return rows[0]?.meta
}

const badKey = `pk_test_${'0'.repeat(64)}`
const unavailable = (isTest: '0' | '1') => ({ error: 'portal_unavailable', isTest })

const REFUSALS: Row[] = [
  ['400 no email', () => asOwner({}), 400, 'Email is required'],
  ['400 null email', () => asOwner({ email: null }), 400, 'Email is required'],
  ['400 blank email', () => asOwner({ email: ' ' }), 400, 'Email is required'],
  ['400 email not text', () => asOwner({ email: 7 }), 400, 'Email is required'],
  ['400 userMeta not an object', () => asOwner({ email: subscriber.email, userMeta: [1] }), 400, 'Invalid userMeta'],
  [
    '400 userMeta too large',
    () => asOwner({ email: subscriber.email, userMeta: { a: 'x'.repeat(4096) } }),
    400,
    'userMeta too large',
  ],
  ['400 not JSON', () => asOwner('{'), 400, 'invalid_json'],
  ['400 not an object', () => asOwner([]), 400, 'invalid_body'],
  ['401 no credential', () => openPortal({ body: { email: subscriber.email } }), 401, 'Unauthorized'],
  ['401 invalid Bearer', () => asUser({ token: 'a.b.c' }), 401, 'invalid_token'],
  ["401 another paywall's Bearer", () => asUser(tenants.stranger), 401, 'invalid_token'],
  ['401 bad key', () => openPortal({ key: badKey, body: { email: subscriber.email } }), 401, 'Invalid API key'],
  [
    '401 bad key with a good Bearer',
    () => openPortal({ key: badKey, token: subscriber.token, body: { email: 'a@b.co' } }),
    401,
    'Invalid API key',
  ],
  [
    '403 key of another owner',
    () => openPortal({ key: tenants.foreign.key, body: { email: subscriber.email } }),
    403,
    'Access denied: API key owner does not match paywall owner',
  ],
  ['403 no subscription, as the user', () => asUser(tenants.member), 403, unavailable('1')],
  ['403 no subscription, as the owner', () => asOwner({ email: tenants.member.email }), 403, unavailable('1')],
  ['404 identity not on paywall', () => asOwner({ email: tenants.stranger.email }), 404, 'identity_not_on_paywall'],
  ['404 identity unknown', () => asOwner({ email: `${randomUUID()}@example.com` }), 404, 'identity_not_on_paywall'],
  [
    '404 unknown paywall',
    () => openPortal({ key: tenants.ours.key, body: { email: 'a@b.co' } }, '99'),
    404,
    'paywall_not_found',
  ],
  [
    '404 non-numeric paywall',
    () => openPortal({ key: tenants.ours.key, body: { email: 'a@b.co' } }, 'acme'),
    404,
    'paywall_not_found',
  ],
]

describe('refuses', () => testRows(REFUSALS))

test('reports that a live paywall is live', async () => {
  const { world, live } = tenants
  expect(await asOwner({ email: (await person(world, live)).email }, live)).toMatchObject({
    status: 403,
    body: unavailable('0'),
  })
})

test('405 for any other method', async () => {
  expect(await openPortal({ method: 'GET', token: subscriber.token })).toMatchObject({
    status: 405,
    headers: { allow: 'POST' },
  })
})

test('opens a separate portal for the owner and for the user', async () => {
  const { world } = tenants
  const urls = [
    parsePortalUrl(await asUser()),
    parsePortalUrl(await asOwner({ email: ` ${subscriber.email.toUpperCase()} ` })),
  ]
  expect(new Set(urls).size).toBe(2)
  for (const url of urls) expect(await (await fetch(url)).text()).toContain('Monthly')
  const calls = world.stripe.calls.filter(({ path }) => path === PORTAL_SESSIONS)
  expect(calls.map(({ body }) => body.customer)).toEqual([subscriber.customer, subscriber.customer])
})

test('makes one statement; with an invalid body, only the one that checks the key', async () => {
  const { world } = tenants
  const statements = (work: () => Promise<unknown>) => countStatements(world, work)
  await world.stripe.drainWebhooks()
  expect(await statements(() => asUser())).toBe(1)
  expect(await statements(() => asOwner({ email: subscriber.email, userMeta: { a: 1 } }))).toBe(1)
  expect(await statements(() => asOwner({ email: '' }))).toBe(1)
})

test('a user can cancel and undo it in the portal, and the owner gets events', async () => {
  const { world, ours } = tenants
  const customer = await subscribe(world, ours)
  const url = parsePortalUrl(await asUser(customer))
  await press(url, 'cancel')
  const [cancelled] = (await userState(world, customer.id)).purchases
  expect(cancelled).toMatchObject({ status: 'active', cancel_at_period_end: true })
  expect(cancelled?.cancel_at).toBe(cancelled?.current_period_end)
  await press(url, 'undo')
  expect((await userState(world, customer.id)).purchases).toMatchObject([{ cancel_at_period_end: false }])
  const events = (await ownerEvents(world, customer.id)).map(({ type }) => type)
  expect(events.slice(-2)).toEqual(['subscription.cancel_scheduled', 'subscription.uncanceled'])
})

describe('userMeta', () => {
  test('is merged with an owner key', async () => {
    const { world, ours } = tenants
    const { id, email } = await subscribe(world, ours)
    parsePortalUrl(await asOwner({ email, userMeta: { plan: 'a', seats: 2 } }))
    parsePortalUrl(await asOwner({ email, userMeta: { plan: 'b' } }))
    expect(await getMeta(id)).toEqual({ plan: 'b', seats: 2 })
  })

  test('is ignored with a Bearer token, like the rest of the body', async () => {
    const { token, id } = subscriber
    const before = await getMeta(id)
    for (const body of [{ userMeta: { own: true } }, '{', { email: 7 }])
      parsePortalUrl(await openPortal({ token, body }))
    expect(await getMeta(id)).toEqual(before)
  })

  test('is not stored if there is no portal', async () => {
    const { member } = tenants
    await asOwner({ email: member.email, userMeta: { kept: true } })
    expect(await getMeta(member.id)).toEqual({})
  })
})

test('returns 403 after the subscription has ended, even if the customer has made a one-time purchase', async () => {
  const { world } = tenants
  const once = { slug: 'once', label: 'Once', currency: 'USD', amount: 5, processorPrice: 'price_once' }
  const shop = tenant(await paywallFile({ paywall: { prices: [monthly(), once] } }))
  await world.apply(shop.file)
  const ended = await subscribe(world, shop)
  await world.stripe.end(ended.subscriptionId)
  await world.stripe.drainWebhooks()
  expect(await asOwner({ email: ended.email }, shop)).toMatchObject({ status: 403, body: unavailable('1') })

  await buy(world, { ...shop, email: ended.email, slug: 'once' })
  expect(await userState(world, ended.id, { paywallId: shop.paywall.id, key: shop.key })).toMatchObject({ paid: true })
  expect(await asOwner({ email: ended.email }, shop)).toMatchObject({ status: 403, body: unavailable('1') })
})

test('opens the portal of the customer with the latest subscription', async () => {
  const { world } = tenants
  const shop = tenant(await paywallFile())
  await world.apply(shop.file)
  const { email, customer } = await subscribe(world, shop)
  // Another account at the processor does not know the customer, and creates a new one.
  const credentials = { secretKey: `sk_test_${randomUUID()}`, webhookSecret: `whsec_${randomUUID()}` }
  const processor = { acquiring: 'stripe' as const, credentials }
  await world.apply({ ...shop.file, paywalls: [{ ...shop.paywall, processor }] })
  await buy(world, { ...shop, email, body: { ignoreActivePurchase: true } })
  const latest = world.stripe.subscriptions.at(-1)?.customer
  expect(latest).not.toBe(customer)
  parsePortalUrl(await asOwner({ email }, shop))
  expect(world.stripe.calls.findLast(({ path }) => path === PORTAL_SESSIONS)?.body).toMatchObject({ customer: latest })
})

test.each([
  ['the origin of the redirect URLs in the settings', {}, 'https://owner.example/'],
  [
    'the origin of error_redirect_url',
    { settings: { error_redirect_url: 'http://shop.example:8080/a?b' } },
    'http://shop.example:8080/',
  ],
  ['the origin of the successUrl of the checkout', { settings: {} }, 'https://bought.example/'],
  [
    'that origin rather than the domain of the paywall',
    { settings: {}, domain: `${randomUUID()}.example` },
    'https://bought.example/',
  ],
])('sends the user back to %s', async (_where, fields, returnUrl) => {
  const { world } = tenants
  const shop = tenant(await paywallFile({ paywall: { prices: [monthly({ tokens: [] })], ...fields } }))
  await world.apply(shop.file)
  const email = newEmail()
  await buy(world, { ...shop, email, body: { successUrl: 'https://bought.example/thanks?session=__SESSION__' } })
  await world.stripe.drainWebhooks()
  parsePortalUrl(await asOwner({ email }, shop))
  expect(world.stripe.calls.at(-1)?.body.return_url).toBe(returnUrl)
})

describe('when Stripe opens no portal', () => {
  test.each([
    [401, 'processor_misconfigured'],
    [403, 'processor_misconfigured'],
    [400, 'processor_rejected'],
    [500, 'processor_unavailable'],
  ])('%i is returned as %s', async (status, error) => {
    tenants.world.stripe.failNext(PORTAL_SESSIONS, status, { error: { type: 'invalid_request_error', message: 'No.' } })
    expect(await asUser()).toMatchObject({ status: 502, body: { error } })
    parsePortalUrl(await asUser())
  })
})
