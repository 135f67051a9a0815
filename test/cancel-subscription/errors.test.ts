import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signAccessToken } from '../../functions/sign-in/tokens.ts'
import { readSessionId } from '../support/forge.ts'
import { readAudience } from '../support/owner-id.ts'
import { type Row, testRows } from '../support/rows.ts'
import {
  cancel,
  cancelAsOwner,
  cancelAsUser,
  getUpdates,
  parseCancelled,
  readCancellationRequest,
  type Subscriber,
  subscribe,
} from '../support/subscriber.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'

let tenants: Tenants
let subscriber: Subscriber
/** Another user of our paywall who subscribes. */
let neighbour: Subscriber
/** A user of the other owner's paywall who subscribes. */
let foreigner: Subscriber
/** A user of our paywall who has already cancelled. */
let cancelled: Subscriber
let anonymous: string
let expired: string

beforeAll(async () => {
  tenants = await startTenants()
  const { world, ours, foreign, member } = tenants
  subscriber = await subscribe(world, ours)
  neighbour = await subscribe(world, ours)
  foreigner = await subscribe(world, foreign)
  cancelled = await subscribe(world, ours)
  parseCancelled(await cancelAsUser(world, cancelled))
  const audience = await readAudience(world, ours.paywall.id)
  const sessionId = readSessionId(member.token)
  const signed = (user: { anonymous: boolean }, at: Date) =>
    signAccessToken(
      { userId: member.id, sessionId, email: null, audience, ...user },
      world.secrets.ACCESS_TOKEN_PRIVATE_KEY,
      at,
    )
  anonymous = await signed({ anonymous: true }, new Date())
  expired = await signed({ anonymous: false }, new Date(Date.now() - 2 * 3_600_000))
})

afterAll(() => tenants.close())

const asOwner = (body: object, key?: string) =>
  cancelAsOwner(tenants.world, tenants.ours, subscriber, { body, ...(key !== undefined && { key }) })
const asUser = (body: object, token?: string) =>
  cancelAsUser(tenants.world, subscriber, { body, ...(token !== undefined && { token }) })
const withoutCredential = (body: object) => cancel(tenants.world, { body })

const badKey = `pk_test_${'0'.repeat(64)}`
const withoutIdentity = { paywallId: undefined, userId: undefined }
const LONG = 'é'.repeat(1001)

const CREDENTIAL: Row[] = [
  ['403 no key and no Bearer', () => withoutCredential({}), 403, 'Unauthorized'],
  ['403 anonymous Bearer', () => asUser({}, anonymous), 403, 'Unauthorized'],
  ['401 bad Bearer', () => asUser({}, 'a.b.c'), 401, 'invalid_token'],
  ['401 expired Bearer', () => asUser({}, expired), 401, 'invalid_token'],
  ['401 bad key', () => asOwner({}, badKey), 401, 'Invalid API key'],
  [
    '401 bad key with a good Bearer',
    () =>
      cancelAsUser(tenants.world, subscriber, {
        key: badKey,
        body: { paywallId: tenants.ours.paywall.id, userId: subscriber.id },
      }),
    401,
    'Invalid API key',
  ],
  [
    '403 key of another owner',
    () => asOwner({}, tenants.foreign.key),
    403,
    'Access denied: API key owner does not match paywall owner',
  ],
]

const BODY: Row[] = [
  [
    '400 identity_required: empty body',
    () => cancel(tenants.world, { key: tenants.ours.key, body: {} }),
    400,
    'identity_required',
  ],
  ['400 identity_required: neither paywall nor user', () => asOwner(withoutIdentity), 400, 'identity_required'],
  ['400 identity_required: no paywallId', () => asOwner({ paywallId: undefined }), 400, 'identity_required'],
  ['400 identity_required: blank paywallId', () => asOwner({ paywallId: '' }), 400, 'identity_required'],
  ['400 identity_required: paywallId not text', () => asOwner({ paywallId: 1001 }), 400, 'identity_required'],
  ['400 identity_required: no email, no userId', () => asOwner({ userId: undefined }), 400, 'identity_required'],
  ['400 identity_required: both blank', () => asOwner({ userId: '', email: ' ' }), 400, 'identity_required'],
  ['400 identity_required: userId not text', () => asOwner({ userId: 7 }), 400, 'identity_required'],
  ['400 no subscriptionId', () => asUser({ subscriptionId: undefined }), 400, 'subscriptionId is required'],
  ['400 subscriptionId not text', () => asOwner({ subscriptionId: 7 }), 400, 'subscriptionId is required'],
  ['400 no reason', () => asUser({ cancellationReason: undefined }), 400, 'cancellationReason is required'],
  ['400 empty reason', () => asOwner({ cancellationReason: '' }), 400, 'cancellationReason is required'],
  ['400 blank reason', () => asUser({ cancellationReason: ' \n' }), 400, 'cancellationReason is required'],
  ['400 reason too long', () => asUser({ cancellationReason: LONG }), 400, 'cancellationReason too long'],
  ['400 not an object', () => cancel(tenants.world, { token: subscriber.token, body: [] }), 400, 'invalid_body'],
  ['400 not JSON', () => cancel(tenants.world, { token: subscriber.token, body: '{' }), 400, 'invalid_json'],
]

const LOOKUP: Row[] = [
  [
    '400 Subscription is already cancelled: as the user',
    () => cancelAsUser(tenants.world, cancelled),
    400,
    'Subscription is already cancelled',
  ],
  [
    '400 Subscription is already cancelled: as the owner',
    () => cancelAsOwner(tenants.world, tenants.ours, cancelled),
    400,
    'Subscription is already cancelled',
  ],
  ['404 identity not on paywall', () => asOwner({ userId: tenants.stranger.id }), 404, 'identity_not_on_paywall'],
  ['404 identity unknown', () => asOwner({ userId: randomUUID() }), 404, 'identity_not_on_paywall'],
  ['404 malformed userId', () => asOwner({ userId: "7'" }), 404, 'identity_not_on_paywall'],
  [
    '404 e-mail unknown',
    () => asOwner({ userId: undefined, email: 'nobody@example.com' }),
    404,
    'identity_not_on_paywall',
  ],
  ["404 e-mail that is not the user's", () => asOwner({ email: neighbour.email }), 404, 'identity_not_found'],
  ['404 unknown paywall', () => asOwner({ paywallId: '99' }), 404, 'paywall_not_found'],
  ['404 non-numeric paywall', () => asOwner({ paywallId: 'acme' }), 404, 'paywall_not_found'],
  ['404 unknown subscription', () => asUser({ subscriptionId: randomUUID() }), 404, 'Subscription not found'],
  ['404 malformed subscriptionId', () => asOwner({ subscriptionId: "7' or true" }), 404, 'Subscription not found'],
  ['404 of another user', () => asUser({ subscriptionId: neighbour.purchaseId }), 404, 'Subscription not found'],
  [
    "404 of another user, by Stripe's id",
    () => asUser({ subscriptionId: neighbour.subscriptionId }),
    404,
    'Subscription not found',
  ],
  [
    '404 of another user, as the owner',
    () => asOwner({ subscriptionId: neighbour.purchaseId }),
    404,
    'Subscription not found',
  ],
  ['404 of another paywall', () => asUser({ subscriptionId: foreigner.purchaseId }), 404, 'Subscription not found'],
  [
    "404 of another paywall, by Stripe's id",
    () => asOwner({ subscriptionId: foreigner.subscriptionId }),
    404,
    'Subscription not found',
  ],
  ['404 of a user without purchases', () => asUser({}, tenants.member.token), 404, 'Subscription not found'],
]

describe.each([
  ['the credential', CREDENTIAL],
  ['the body', BODY],
  ['the lookup', LOOKUP],
])('cancel-subscription refusals by %s', (_part, rows) => testRows(rows))

test('405 for any other method', async () => {
  const reply = await cancel(tenants.world, { method: 'GET', token: subscriber.token })
  expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST' }, body: { error: 'method_not_allowed' } })
})

test('no refused call changed anything', async () => {
  for (const each of [subscriber, neighbour, foreigner]) {
    expect(getUpdates(tenants.world, each)).toEqual([])
    expect(await readCancellationRequest(tenants.world, each)).toEqual({
      requested: false,
      accepted: false,
      reason: null,
    })
  }
})
