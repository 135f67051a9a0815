import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, startCheckout } from '../support/checkout.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { getGrant, refresh, requestTokens, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { cancel, type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, getTenants, person, type Tenant } from '../support/tenants.ts'
import { MESSAGE } from '../support/tickets.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

// One owner has a test paywall and a live one. Whoever has the test key, or signs in on the test paywall, can do nothing to a live user.

const world = useTestWorld()
let testing: Tenant
let live: Tenant
/** A live user who pays, with the owner's external id. */
let payer: Subscriber & { externalId: string }

beforeAll(async () => {
  const file = await fileOfBothModes()
  await world.apply(file)
  ;[testing, live] = getTenants(file) as [Tenant, Tenant]
  const [email, externalId] = [newEmail(), `shop-${randomUUID()}`]
  await exchange(live, { email, external_id: externalId })
  payer = { ...(await subscribe(world, live, 'monthly', email)), externalId }
})

async function exchange({ paywall, key }: Tenant, body: object) {
  const reply = await call(world, `/api/v1/paywall/${paywall.id}/sign-in/exchange`, { key, body })
  expect(reply.status).toBe(200)
  return reply.body as { access_token: string; user: { id: string; email: string | null; external_id: string | null } }
}

const readUser = (place: Tenant, query: string, caller: Call = { key: place.key }) =>
  call(world, at(place, `user${query}`), caller)

/** The stored rows of the live user. */
async function readStoredUser() {
  const { rows } = await world.database.query(
    `select (select to_jsonb(u) from users u where u.id = $1) as user,
       (select jsonb_agg(to_jsonb(m)) from members m where m.user_id = $1) as members,
       (select jsonb_agg(to_jsonb(b) order by b.type) from balances b where b.user_id = $1) as balances,
       (select jsonb_agg(to_jsonb(p)) from purchases p where p.user_id = $1) as purchases,
       (select jsonb_agg(to_jsonb(s) order by s.id) from sign_in_sessions s where s.user_id = $1) as sessions`,
    [payer.id],
  )
  return rows[0]
}

describe('an identifier of a live user', () => {
  const notFound = { status: 404, body: { error: 'identity_not_found' } }

  test('identifies nobody on the test paywall, as long as nobody uses it there', async () => {
    for (const query of [`email=${payer.email}`, `user_id=${payer.id}`, `external_id=${payer.externalId}`]) {
      expect(await readUser(testing, `?${query}`), query).toMatchObject(notFound)
    }
    const at = { paywallId: testing.paywall.id, key: testing.key }
    for (const name of [{ email: payer.email }, { user_id: payer.id }, { external_id: payer.externalId }]) {
      expect(await changeBalance(world, name, at)).toMatchObject(notFound)
    }
    expect(await withdraw(world, { paywall_id: at.paywallId, user_id: payer.id }, at)).toMatchObject({ status: 404 })
  })

  test('can be used by a test user, who is another user with another id', async () => {
    const before = await readStoredUser()
    const { user } = await exchange(testing, { email: payer.email, external_id: payer.externalId })
    expect(user).toMatchObject({ email: payer.email, external_id: payer.externalId })
    expect(user.id).not.toBe(payer.id)
    expect(await readUser(testing, `?email=${payer.email}`)).toMatchObject({ status: 200, body: { paid: false } })
    expect(await readUser(live, `?email=${payer.email}`)).toMatchObject({
      status: 200,
      body: { paid: true, purchases: [{ id: payer.purchaseId }] },
    })
    expect((await signInByMail(world, payer.email, { paywallId: testing.paywall.id })).user.id).toBe(user.id)
    expect(await readStoredUser()).toEqual(before)
  })

  test('can be used for a purchase on the test paywall, which does not change the live user', async () => {
    const before = await readStoredUser()
    const bought = await subscribe(world, testing, 'monthly', payer.email)
    expect(bought.id).not.toBe(payer.id)
    const fields = { email: payer.email, amount: 500 }
    const credit = await changeBalance(world, fields, { paywallId: testing.paywall.id, key: testing.key })
    expect(credit).toMatchObject({ status: 200 })
    expect(await readStoredUser()).toEqual(before)
  })
})

describe('a token', () => {
  const invalid = { status: 401, body: { error: 'invalid_token' } }

  /** What a user's token can request on a paywall. */
  const REQUESTS: Record<string, (place: Tenant, token: string) => Promise<Reply>> = {
    bootstrap: (place, token) => call(world, at(place, 'bootstrap'), { token }),
    readUser: (place, token) => readUser(place, '', { token }),
    getCustomerPortal: (place, token) => call(world, at(place, 'get-customer-portal'), { token, method: 'POST' }),
    startCheckout: (place, token) =>
      startCheckout(world, {
        paywall: place.paywall,
        token,
        headers: { 'idempotency-key': randomUUID() },
        body: { priceId: getPriceId(place.paywall, 'monthly') },
      }),
    openTicket: (place, token) => call(world, at(place, 'support/ticket'), { token, body: MESSAGE }),
    cancelSubscription: (place, token) =>
      cancel(world, {
        token,
        headers: { 'x-paywall-id': place.paywall.id },
        body: { subscriptionId: payer.purchaseId, cancellationReason: 'not mine' },
      }),
    giveTokens: async (place, token) => {
      const grant = await getGrant(world, newEmail(), { paywallId: place.paywall.id })
      return requestTokens(world, grant, { token, paywallId: place.paywall.id })
    },
  }

  test.each(Object.keys(REQUESTS))('of one mode is invalid on a paywall of the other: %s', async (name) => {
    const [tester, buyer] = [await person(world, testing), await person(world, live)]
    const guest = await signInAnonymously(world, { paywallId: testing.paywall.id })
    const before = await stateChecksum(world)
    expect(await REQUESTS[name]!(live, tester.token)).toMatchObject(invalid)
    expect(await REQUESTS[name]!(testing, buyer.token)).toMatchObject(invalid)
    const byGuest = name === 'cancelSubscription' ? { status: 403, body: { error: 'Unauthorized' } } : invalid
    expect(await REQUESTS[name]!(live, guest.token)).toMatchObject(byGuest)
    expect(await stateChecksum(world)).toBe(before)
  })

  test('of a test user with the same address does not cancel, even if the request names no paywall', async () => {
    const { token } = await person(world, testing, payer.email)
    const before = await readStoredUser()
    for (const subscriptionId of [payer.purchaseId, payer.subscriptionId]) {
      const reply = await cancel(world, { token, body: { subscriptionId, cancellationReason: 'not mine' } })
      expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
    }
    expect(await readStoredUser()).toEqual(before)
  })

  test('of a session is refreshed only on its own paywall', async () => {
    const session = await signInAnonymously(world, { paywallId: testing.paywall.id })
    const elsewhere = await refresh(world, session.refreshToken, { paywallId: live.paywall.id })
    expect(elsewhere).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const here = await refresh(world, session.refreshToken, { paywallId: testing.paywall.id })
    expect(here).toMatchObject({ status: 200 })
  })
})

describe('an anonymous user of the test paywall', () => {
  test('who signs in with a live user’s address becomes a test user, and is not merged', async () => {
    const email = newEmail()
    const known = await person(world, live, email)
    const anonymous = await signInAnonymously(world, { paywallId: testing.paywall.id })
    const at = { paywallId: testing.paywall.id, token: anonymous.token }
    expect((await signInByMail(world, email, at)).user.id).toBe(anonymous.user.id)
    expect((await person(world, live, email)).id).toBe(known.id)
  })
})

describe('foreign keys reject a mixture of the modes:', () => {
  const expectRejected = async (statement: string, ...values: unknown[]) => {
    await expect(world.database.query(statement, values)).rejects.toMatchObject({
      constraint: expect.stringContaining('_is_test_'),
    })
  }

  test('a member whose user and paywall are of different modes', async () => {
    for (const isTest of [true, false]) {
      await expectRejected(
        `insert into members (paywall_id, user_id, owner_id, is_test) select $1, id, owner_id, ${isTest} from users where id = $2`,
        testing.paywall.id,
        payer.id,
      )
    }
  })

  test('a user merged into one of the other mode, by an update or by merge_users', async () => {
    const tester = await person(world, testing)
    await expectRejected('update members set merged_into = $2 where user_id = $1', tester.id, payer.id)
    const { rows } = await world.database.query('select name from releases order by installed_at desc limit 1')
    await expectRejected(
      `select ${rows[0].name}.merge_users($1, $2) from set_config('search_path', '${rows[0].name}, public', true)`,
      tester.id,
      payer.id,
    )
  })

  test('a paywall or a user that changes its mode once the user is a member', async () => {
    await expectRejected('update paywalls set is_test = true where id = $1', live.paywall.id)
    await expectRejected('update users set is_test = true where id = $1', payer.id)
  })
})
