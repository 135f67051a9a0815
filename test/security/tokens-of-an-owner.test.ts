import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { credit, openCheckout, pay } from '../support/anonymous.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { forgeFor } from '../support/forge.ts'
import { runInLockOrder } from '../support/held-member.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { askForTokens, getGrant, refresh, sessionIn, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { cancel, parseCancelled, subscribe } from '../support/subscriber.ts'
import { at, person, type Tenant, tenant } from '../support/tenants.ts'
import { MESSAGE, ticketId } from '../support/tickets.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// An access token is good on all paywalls of its user's owner, and on no other.

const world = useTestWorld({ file: { paywalls: [{}, {}, {}] } })
/** Three paywalls of one owner. */
let here: Tenant
let there: Tenant
let third: Tenant
/** Another owner's. */
let foreign: Tenant

beforeAll(async () => {
  const [first, second, last] = world.file.paywalls.map((paywall) => ({ ...tenant(world.file), paywall }))
  here = first!
  there = second!
  third = last!
  foreign = tenant(await paywallFile())
  await world.apply(foreign.file)
})

const naming = ({ paywall }: Tenant) => ({ 'x-paywall-id': paywall.id })
const cancellation = (subscriptionId: string = randomUUID()) => ({ subscriptionId, cancellationReason: 'none' })

/** What a user's token may ask for on a paywall, without becoming a member there. */
const READS: Record<string, (place: Tenant, caller: Call) => Promise<Reply>> = {
  readUser: (place, caller) => call(world, at(place, 'user'), caller),
  getCustomerPortal: (place, caller) => call(world, at(place, 'get-customer-portal'), { ...caller, method: 'POST' }),
  cancelSubscription: (place, caller) => cancel(world, { ...caller, headers: naming(place), body: cancellation() }),
}

const buyMonthly = (place: Tenant, token: string) =>
  startCheckout(world, { paywall: place.paywall, token, body: { priceId: getPriceId(place.paywall, 'monthly') } })

describe('on another paywall of the owner, where the user never was', () => {
  test('it gets an error that says so, and nothing changes', async () => {
    const { token } = await person(world, here)
    const before = await stateChecksum(world)
    for (const [name, ask] of Object.entries(READS)) {
      expect(await ask(there, { token }), name).toMatchObject({
        status: 404,
        body: { error: 'identity_not_on_paywall' },
      })
    }
    expect(await stateChecksum(world)).toBe(before)
  })

  test('it gets the structure as a guest does, but nothing that a cache may keep', async () => {
    const { token } = await person(world, here)
    const guest = await call(world, at(there, 'bootstrap'))
    const reply = await call(world, at(there, 'bootstrap'), {
      token,
      headers: { 'if-none-match': guest.headers.etag! },
    })
    expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-store' } })
    expect(reply.body).toEqual(guest.body)
    expect(reply.headers).not.toHaveProperty('etag')
  })

  test.each<[string, (token: string) => Promise<unknown>]>([
    ['a checkout', async (token) => parseOpened(await buyMonthly(there, token))],
    ['a ticket', async (token) => ticketId(await call(world, at(there, 'support/ticket'), { token, body: MESSAGE }))],
  ])('%s makes it a member there, too', async (_what, act) => {
    const { token, id } = await person(world, here)
    await act(token)
    expect(await READS.readUser!(there, { token })).toMatchObject({ status: 200, body: { user: { id } } })
    expect((await call(world, at(there, 'bootstrap'), { token })).body).toMatchObject({ user: { id } })
  })
})

test('on another owner’s paywall it opens nothing, makes nobody a member and learns nothing', async () => {
  const { token } = await person(world, here)
  const before = await stateChecksum(world)
  const more = [
    await call(world, at(foreign, 'bootstrap'), { token }),
    await buyMonthly(foreign, token),
    await call(world, at(foreign, 'support/ticket'), { token, body: MESSAGE }),
    await askForTokens(
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
  test('it is found wherever it is, by our id or the processor’s', async () => {
    const { token, email } = await person(world, here)
    for (const [place, name] of [
      [there, 'purchaseId'],
      [third, 'subscriptionId'],
    ] as const) {
      const subscriber = await subscribe(world, place, 'monthly', email)
      const reply = await cancel(world, { token, body: cancellation(subscriber[name]) })
      expect(parseCancelled(reply).id).toBe(subscriber.purchaseId)
    }
  })

  test('but if `X-Paywall-Id` names one, a subscription of another paywall is not cancelled', async () => {
    const subscriber = await subscribe(world, there)
    await person(world, here, subscriber.email)
    const { token, purchaseId } = subscriber
    const before = await stateChecksum(world)
    const reply = await cancel(world, { token, headers: naming(here), body: cancellation(purchaseId) })
    expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
    expect(await stateChecksum(world)).toBe(before)
    parseCancelled(await cancel(world, { token, headers: naming(there), body: cancellation(purchaseId) }))
  })
})

test('a token that is for a paywall, and not for its owner, is good nowhere', async () => {
  const subscriber = await subscribe(world, here)
  const token = forgeFor(world, subscriber, here.paywall.id).token()
  for (const place of [here, there]) {
    for (const ask of Object.values(READS)) {
      expect(await ask(place, { token })).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    }
  }
  const refused = await cancel(world, { token, body: cancellation(subscriber.purchaseId) })
  expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

describe('an anonymous user of several paywalls who signs in', () => {
  const onBoth = async () => {
    const anonymous = await signInAnonymously(world)
    const { checkoutUrl } = parseOpened(await buyMonthly(there, anonymous.token))
    await pay(world, await openCheckout(world, anonymous.token))
    await pay(world, checkoutUrl)
    await credit(world, anonymous.user.id, 7)
    return anonymous
  }
  const stateAt = (id: string, { paywall, key }: Tenant) => userState(world, id, { paywallId: paywall.id, key })

  test('as a known one transfers what it has on all of them; its tokens and sessions end everywhere', async () => {
    const known = await person(world, third)
    const anonymous = await onBoth()
    const { user } = await signInByMail(world, known.email, { token: anonymous.token })
    expect(user.id).toBe(known.id)
    for (const place of [here, there]) {
      expect(await stateAt(known.id, place)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
      expect(await stateAt(anonymous.user.id, place), 'the id names the known one').toMatchObject({ paid: true })
    }
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 7 })
    for (const place of [here, there, third]) {
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

  test('with a new address on another of them keeps all it has, and is a member there, too', async () => {
    const anonymous = await onBoth()
    const email = newEmail()
    const { user } = await signInByMail(world, email, { token: anonymous.token, paywallId: third.paywall.id })
    expect(user).toMatchObject({ id: anonymous.user.id, email })
    for (const place of [here, there]) expect(await stateAt(user.id, place)).toMatchObject({ paid: true })
    expect(await stateAt(user.id, third)).toMatchObject({ paid: false })
    expect(await refresh(world, anonymous.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })

  /** What a user who was merged must not have. */
  async function leftBehind(userId: string) {
    const { rows } = await world.database.query(
      `select (select count(*)::int from members where user_id = $1 and merged_into is null) as members,
         (select count(*)::int from checkouts where user_id = $1) as checkouts,
         (select count(*)::int from tickets where user_id = $1) as tickets`,
      [userId],
    )
    return rows[0]
  }
  const NOTHING = { members: 0, checkouts: 0, tickets: 0 }
  const writeTo = (place: Tenant, token: string) => call(world, at(place, 'support/ticket'), { token, body: MESSAGE })

  async function strangers() {
    const [known, anonymous] = [await person(world, here), await signInAnonymously(world)]
    const grant = await getGrant(world, known.email)
    return { known, anonymous, signInAsKnown: () => askForTokens(world, grant, { token: anonymous.token }) }
  }

  test.each([
    ['a checkout', buyMonthly],
    ['a ticket', writeTo],
  ])('while %s is to make it a member of one more is gone before it is one', async (_what, act) => {
    const { known, anonymous, signInAsKnown } = await strangers()
    const calls = [signInAsKnown, () => act(there, anonymous.token)]
    const [signedIn, refused] = await runInLockOrder(world, anonymous.user.id, calls)
    expect(sessionIn(signedIn!).user.id).toBe(known.id)
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await leftBehind(anonymous.user.id)).toEqual(NOTHING)
  })

  test('just as it comes to two more of them leaves nothing behind with the user that is gone', async () => {
    for (let round = 0; round < 8; round++) {
      const { known, anonymous, signInAsKnown } = await strangers()
      const [signedIn, ...joins] = await Promise.all([
        signInAsKnown(),
        buyMonthly(there, anonymous.token),
        writeTo(third, anonymous.token),
      ])
      expect(sessionIn(signedIn).user.id).toBe(known.id)
      for (const { status } of joins) expect(status).toBeOneOf([200, 401])
      expect(await leftBehind(anonymous.user.id)).toEqual(NOTHING)
    }
    expect(world.logs.filter(({ message }) => message.includes('unexpected failure'))).toEqual([])
  })
})
