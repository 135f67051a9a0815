import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { fileOfBothModes, paywallFile } from '../support/paywall-file.ts'
import { getGrant, requestCode, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { cancel, type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, getTenants, person, type Tenant, tenant } from '../support/tenants.ts'
import { changeBalance } from '../support/token-calls.ts'
import { useTestWorld } from '../support/world.ts'

// Two owners, or the two modes of one owner, each have a customer with the same e-mail address and external id. These are two users.
// tenants.test.ts tests that nobody finds the other one.

const world = useTestWorld()
/** The paywall of the customer, and of the same owner's other mode. */
let live: Tenant
let testing: Tenant
let foreign: Tenant
/** A live user who pays. */
let payer: Subscriber & { externalId: string }

beforeAll(async () => {
  const file = await fileOfBothModes()
  foreign = tenant(await paywallFile())
  for (const each of [file, foreign.file]) await world.apply(each)
  ;[testing, live] = getTenants(file) as [Tenant, Tenant]
  const [email, externalId] = [newEmail(), `shop-${randomUUID()}`]
  await exchange(live, { email, external_id: externalId })
  payer = { ...(await subscribe(world, live, 'monthly', email)), externalId }
})

async function exchange(place: Tenant, body: object) {
  const reply = await call(world, at(place, 'sign-in/exchange'), { key: place.key, body })
  expect(reply.status).toBe(200)
  return reply.body as {
    access_token: string
    user: { id: string; email: string | null; created_at: string; external_id: string | null }
  }
}

/** The stored rows of the payer. */
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

describe.each([
  ['another owner', () => foreign],
  ['the other mode of the owner', () => testing],
])('%s, with the same e-mail address,', (_who, getPlace) => {
  /** Whatever is done does not change the payer's rows. */
  async function expectUnchanged(work: (place: Tenant, paywallId: string) => Promise<void>) {
    const before = await readStoredUser()
    const place = getPlace()
    await work(place, place.paywall.id)
    expect(await readStoredUser()).toEqual(before)
  }

  test('has its own user, with its own id and creation date, no external id, and the same one in every operation', async () => {
    await expectUnchanged(async (place, paywallId) => {
      const startedAt = Date.now()
      const { user } = await exchange(place, { email: payer.email })
      expect(user.id).not.toBe(payer.id)
      expect(user.external_id).toBeNull()
      expect(Date.parse(user.created_at)).toBeGreaterThanOrEqual(startedAt - 1000)
      const body = { email: payer.email }
      const headers = { 'idempotency-key': randomUUID() }
      expect(parseOpened(await startCheckout(world, { ...place, headers, body })).userId).toBe(user.id)
      expect((await signInByMail(world, payer.email, { paywallId })).user.id).toBe(user.id)
    })
    const { user } = await exchange(live, { email: payer.email })
    expect(user).toMatchObject({ id: payer.id, external_id: payer.externalId })
  })

  test('can give another user the same external id', async () => {
    await expectUnchanged(async (place) => {
      const email = newEmail()
      const { user } = await exchange(place, { email, external_id: payer.externalId })
      expect(user).toMatchObject({ email, external_id: payer.externalId })
      expect(user.id).not.toBe(payer.id)
      expect((await exchange(place, { external_id: payer.externalId })).user.id).toBe(user.id)
    })
    expect((await exchange(live, { external_id: payer.externalId })).user.id).toBe(payer.id)
  })

  test('can give its user the same external id', () =>
    expectUnchanged(async (place) => {
      const email = newEmail()
      const external_id = `shop-${randomUUID()}`
      const known = await exchange(live, { email, external_id })
      const { user } = await exchange(place, { email, external_id })
      expect(user).toMatchObject({ email, external_id })
      expect(user.id).not.toBe(known.user.id)
    }))

  test('shows no purchase of the other user, and can sell to its own and credit tokens', () =>
    expectUnchanged(async (place, paywallId) => {
      const read = (of: Tenant) => call(world, at(of, `user?email=${payer.email}`), { key: of.key })
      expect(await read(place)).toMatchObject({ status: 200, body: { paid: false, purchases: [], meta: {} } })
      const paid = { status: 200, body: { paid: true, purchases: [{ id: payer.purchaseId }] } }
      expect(await read(live)).toMatchObject(paid)
      const bought = await subscribe(world, place, 'monthly', payer.email)
      expect(bought.id).not.toBe(payer.id)
      const credit = await changeBalance(world, { email: payer.email, amount: 500 }, { paywallId, key: place.key })
      expect(credit).toMatchObject({ status: 200 })
      expect(await read(live)).toMatchObject(paid)
    }))

  test('gives it a token that is invalid on the other paywall, and does not cancel there if no paywall is named', () =>
    expectUnchanged(async (place) => {
      const { access_token: token } = await exchange(place, { email: payer.email })
      expect(await call(world, at(live, 'user'), { token })).toMatchObject({
        status: 401,
        body: { error: 'invalid_token' },
      })
      for (const subscriptionId of [payer.purchaseId, payer.subscriptionId]) {
        const reply = await cancel(world, { token, body: { subscriptionId, cancellationReason: 'not mine' } })
        expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
      }
    }))

  test('rejects a code that was mailed on the other paywall', () =>
    expectUnchanged(async (place, paywallId) => {
      const email = newEmail()
      const grant = await getGrant(world, email, { paywallId: live.paywall.id })
      expect((await requestCode(world, email, { paywallId })).status).toBe(200)
      const reply = await call(world, at(place, 'sign-in/token'), { body: grant })
      expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }))

  test('makes an anonymous user who signs in with it a user of its own, who is not merged', async () => {
    const paywallId = getPlace().paywall.id
    const email = newEmail()
    const known = await person(world, live, email)
    const anonymous = await signInAnonymously(world, { paywallId })
    const signedIn = await signInByMail(world, email, { paywallId, token: anonymous.token })
    expect(signedIn.user.id).toBe(anonymous.user.id)
    expect((await person(world, live, email)).id).toBe(known.id)
  })
})

test('no member belongs to two owners or modes', async () => {
  const { rows } = await world.database.query(
    `select from members m join paywalls p on p.id = m.paywall_id join users u on u.id = m.user_id
     where (u.owner_id, u.is_test) <> (p.owner_id, p.is_test) or (m.owner_id, m.is_test) <> (p.owner_id, p.is_test)`,
  )
  expect(rows).toEqual([])
})

describe('foreign keys reject', () => {
  const expectRejected = async (statement: string, ...values: unknown[]) => {
    await expect(world.database.query(statement, values)).rejects.toMatchObject({
      constraint: expect.stringContaining('_is_test_'),
    })
  }

  test('a member whose user and paywall are of two owners', async () => {
    const mixed = world.database.query(
      'insert into members (paywall_id, user_id, owner_id, is_test) select $1, id, owner_id, true from users where id = $2',
      [foreign.paywall.id, (await person(world, testing)).id],
    )
    await expect(mixed).rejects.toThrow('members_owner_id_is_test_paywall_id_fkey')
  })

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
