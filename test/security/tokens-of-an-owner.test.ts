import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { credit, openCheckout, pay } from '../support/anonymous.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { forgeFor } from '../support/forge.ts'
import { runInLockOrder } from '../support/held-member.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { getGrant, parseSession, refresh, requestTokens, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { cancel, parseCancelled, subscribe } from '../support/subscriber.ts'
import { at, person, type Tenant, tenant } from '../support/tenants.ts'
import { MESSAGE, ticketId } from '../support/tickets.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// An access token works on all paywalls of its user's owner, and on no other.

const world = useTestWorld({ file: { paywalls: [{}, {}, {}] } })
/** Three paywalls of one owner. */
let tenantA: Tenant
let tenantB: Tenant
let tenantC: Tenant
/** Another owner's. */
let foreign: Tenant

beforeAll(async () => {
  const [first, second, last] = world.file.paywalls.map((paywall) => ({ ...tenant(world.file), paywall }))
  tenantA = first!
  tenantB = second!
  tenantC = last!
  foreign = tenant(await paywallFile())
  await world.apply(foreign.file)
})

const paywallHeader = ({ paywall }: Tenant) => ({ 'x-paywall-id': paywall.id })
const cancellation = (subscriptionId: string = randomUUID()) => ({ subscriptionId, cancellationReason: 'none' })

/** What a user's token can request on a paywall without making its user a member. */
const READS: Record<string, (place: Tenant, caller: Call) => Promise<Reply>> = {
  readUser: (place, caller) => call(world, at(place, 'user'), caller),
  getCustomerPortal: (place, caller) => call(world, at(place, 'get-customer-portal'), { ...caller, method: 'POST' }),
  cancelSubscription: (place, caller) =>
    cancel(world, { ...caller, headers: paywallHeader(place), body: cancellation() }),
}

const buyMonthly = (place: Tenant, token: string) =>
  startCheckout(world, { paywall: place.paywall, token, body: { priceId: getPriceId(place.paywall, 'monthly') } })

describe('a user’s token, on another paywall of the owner where the user is no member,', () => {
  test('gets 404 identity_not_on_paywall and changes nothing', async () => {
    const { token } = await person(world, tenantA)
    const before = await stateChecksum(world)
    for (const [name, ask] of Object.entries(READS)) {
      expect(await ask(tenantB, { token }), name).toMatchObject({
        status: 404,
        body: { error: 'identity_not_on_paywall' },
      })
    }
    expect(await stateChecksum(world)).toBe(before)
  })

  test('gets the same bootstrap as a guest, but as a response that no cache may store', async () => {
    const { token } = await person(world, tenantA)
    const guest = await call(world, at(tenantB, 'bootstrap'))
    const reply = await call(world, at(tenantB, 'bootstrap'), {
      token,
      headers: { 'if-none-match': guest.headers.etag! },
    })
    expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-store' } })
    expect(reply.body).toEqual(guest.body)
    expect(reply.headers).not.toHaveProperty('etag')
  })

  test.each<[string, (token: string) => Promise<unknown>]>([
    ['a checkout', async (token) => parseOpened(await buyMonthly(tenantB, token))],
    ['a ticket', async (token) => ticketId(await call(world, at(tenantB, 'support/ticket'), { token, body: MESSAGE }))],
  ])('makes its user a member with %s', async (_what, act) => {
    const { token, id } = await person(world, tenantA)
    await act(token)
    expect(await READS.readUser!(tenantB, { token })).toMatchObject({ status: 200, body: { user: { id } } })
    expect((await call(world, at(tenantB, 'bootstrap'), { token })).body).toMatchObject({ user: { id } })
  })
})

test('a user’s token gets 401 on another owner’s paywall, and changes nothing', async () => {
  const { token } = await person(world, tenantA)
  const before = await stateChecksum(world)
  const more = [
    await call(world, at(foreign, 'bootstrap'), { token }),
    await buyMonthly(foreign, token),
    await call(world, at(foreign, 'support/ticket'), { token, body: MESSAGE }),
    await requestTokens(
      world,
      { grant_type: 'code', email: newEmail(), code: '12345678', challenge: 'A'.repeat(43) },
      { token, paywallId: foreign.paywall.id },
    ),
  ]
  for (const reply of [...(await Promise.all(Object.values(READS).map((ask) => ask(foreign, { token })))), ...more]) {
    expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  }
  expect(await stateChecksum(world)).toBe(before)
})

describe('a user who cancels need not name the paywall of the subscription', () => {
  test('it is found on any paywall of the owner, by our id or the processor’s', async () => {
    const { token, email } = await person(world, tenantA)
    for (const [place, name] of [
      [tenantB, 'purchaseId'],
      [tenantC, 'subscriptionId'],
    ] as const) {
      const subscriber = await subscribe(world, place, 'monthly', email)
      const reply = await cancel(world, { token, body: cancellation(subscriber[name]) })
      expect(parseCancelled(reply).id).toBe(subscriber.purchaseId)
    }
  })

  test('but if `X-Paywall-Id` names one, a subscription of another paywall is not cancelled', async () => {
    const subscriber = await subscribe(world, tenantB)
    await person(world, tenantA, subscriber.email)
    const { token, purchaseId } = subscriber
    const before = await stateChecksum(world)
    const reply = await cancel(world, { token, headers: paywallHeader(tenantA), body: cancellation(purchaseId) })
    expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
    expect(await stateChecksum(world)).toBe(before)
    parseCancelled(await cancel(world, { token, headers: paywallHeader(tenantB), body: cancellation(purchaseId) }))
  })
})

test('a token whose audience is a paywall instead of its owner is rejected everywhere', async () => {
  const subscriber = await subscribe(world, tenantA)
  const token = forgeFor(world, subscriber, tenantA.paywall.id).token()
  for (const place of [tenantA, tenantB]) {
    for (const ask of Object.values(READS)) {
      expect(await ask(place, { token })).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    }
  }
  const refused = await cancel(world, { token, body: cancellation(subscriber.purchaseId) })
  expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

describe('an anonymous user of several paywalls who signs in', () => {
  const buyOnTwoPaywalls = async () => {
    const anonymous = await signInAnonymously(world)
    const { checkoutUrl } = parseOpened(await buyMonthly(tenantB, anonymous.token))
    await pay(world, await openCheckout(world, anonymous.token))
    await pay(world, checkoutUrl)
    await credit(world, anonymous.user.id, 7)
    return anonymous
  }
  const stateAt = (id: string, { paywall, key }: Tenant) => userState(world, id, { paywallId: paywall.id, key })

  test('as a known user transfers what it has on all of them, and its tokens and sessions end everywhere', async () => {
    const known = await person(world, tenantC)
    const anonymous = await buyOnTwoPaywalls()
    const { user } = await signInByMail(world, known.email, { token: anonymous.token })
    expect(user.id).toBe(known.id)
    for (const place of [tenantA, tenantB]) {
      expect(await stateAt(known.id, place)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
      expect(await stateAt(anonymous.user.id, place), 'the old id identifies the known user').toMatchObject({
        paid: true,
      })
    }
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 7 })
    for (const place of [tenantA, tenantB, tenantC]) {
      const refused = [...Object.values(READS), buyMonthly].map((ask) =>
        ask === buyMonthly ? buyMonthly(place, anonymous.token) : (ask as typeof READS.readUser)!(place, anonymous),
      )
      for (const reply of await Promise.all(refused)) expect(reply.status).toBeOneOf([401, 403])
    }
    expect(await refresh(world, anonymous.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })

  test('with a new e-mail address on another paywall keeps what it has, and becomes a member of that paywall', async () => {
    const anonymous = await buyOnTwoPaywalls()
    const email = newEmail()
    const { user } = await signInByMail(world, email, { token: anonymous.token, paywallId: tenantC.paywall.id })
    expect(user).toMatchObject({ id: anonymous.user.id, email })
    for (const place of [tenantA, tenantB]) expect(await stateAt(user.id, place)).toMatchObject({ paid: true })
    expect(await stateAt(user.id, tenantC)).toMatchObject({ paid: false })
    expect(await refresh(world, anonymous.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })

  /** Counts the rows that a merged user must not have. */
  async function countLeftovers(userId: string) {
    const { rows } = await world.database.query(
      `select (select count(*)::int from members where user_id = $1 and merged_into is null) as members,
         (select count(*)::int from checkouts where user_id = $1) as checkouts,
         (select count(*)::int from tickets where user_id = $1) as tickets`,
      [userId],
    )
    return rows[0]
  }
  const NO_ROWS = { members: 0, checkouts: 0, tickets: 0 }
  const openTicket = (place: Tenant, token: string) =>
    call(world, at(place, 'support/ticket'), { token, body: MESSAGE })

  async function createUsers() {
    const [known, anonymous] = [await person(world, tenantA), await signInAnonymously(world)]
    const grant = await getGrant(world, known.email)
    return { known, anonymous, signInAsKnown: () => requestTokens(world, grant, { token: anonymous.token }) }
  }

  test.each([
    ['a checkout', buyMonthly],
    ['a ticket', openTicket],
  ])('is merged first, and %s at the same time on another paywall gets 401', async (_what, act) => {
    const { known, anonymous, signInAsKnown } = await createUsers()
    const calls = [signInAsKnown, () => act(tenantB, anonymous.token)]
    const [signedIn, refused] = await runInLockOrder(world, anonymous.user.id, calls)
    expect(parseSession(signedIn!).user.id).toBe(known.id)
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await countLeftovers(anonymous.user.id)).toEqual(NO_ROWS)
  })

  test('while it joins two more of them leaves no rows with the merged user', async () => {
    for (let round = 0; round < 8; round++) {
      const { known, anonymous, signInAsKnown } = await createUsers()
      const [signedIn, ...joins] = await Promise.all([
        signInAsKnown(),
        buyMonthly(tenantB, anonymous.token),
        openTicket(tenantC, anonymous.token),
      ])
      expect(parseSession(signedIn).user.id).toBe(known.id)
      for (const { status } of joins) expect(status).toBeOneOf([200, 401])
      expect(await countLeftovers(anonymous.user.id)).toEqual(NO_ROWS)
    }
    expect(world.logs.filter(({ message }) => message.includes('unexpected failure'))).toEqual([])
  })
})
