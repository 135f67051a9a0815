import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../support/call.ts'
import { buy, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { takesOwnerKey, testEveryOperation } from '../support/every-operation.ts'
import { getGrant, requestCode, signInByMail } from '../support/sign-in.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, startTenants, type Tenants } from '../support/tenants.ts'
import { changeBalance, withdraw } from '../support/token-calls.ts'

// Two owners each have a customer with the same e-mail address. Neither can learn about the other's customer.

let all: Tenants
/** Our customer, whom the other owner asks about. */
let ours: Subscriber & { externalId: string }

beforeAll(async () => {
  all = await startTenants()
  const { world } = all
  const externalId = `ours-${randomUUID()}`
  const subscriber = await subscribe(world, all.ours)
  await call(world, at(all.ours, 'sign-in/exchange'), {
    key: all.ours.key,
    body: { email: subscriber.email, external_id: externalId },
  })
  ours = { ...subscriber, externalId }
})
afterAll(() => all.close())

/** The identifiers that the other owner may send. */
interface Identifiers {
  email: string
  id: string
  externalId: string
  purchaseId: string
}

/** Every call about a user that the other owner can make with its own key on its own paywall. */
const REQUESTS: Record<string, (user: Identifiers) => Promise<Reply[]>> = {
  readUser: ({ email, id, externalId }) =>
    Promise.all(
      [`email=${email}`, `user_id=${id}`, `external_id=${externalId}`, `email=${email}&user_id=${id}`].map((query) =>
        call(all.world, at(all.foreign, `user?${query}`), { key: all.foreign.key }),
      ),
    ),
  changeBalance: ({ email, id, externalId }) =>
    Promise.all(
      [{ email }, { user_id: id }, { external_id: externalId }].map((fields) =>
        changeBalance(all.world, fields, { paywallId: all.foreign.paywall.id, key: all.foreign.key }),
      ),
    ),
  withdrawTokens: ({ id, externalId }) =>
    Promise.all(
      [{ user_id: id }, { external_id: externalId }].map((fields) =>
        withdraw(all.world, { paywall_id: all.foreign.paywall.id, ...fields }, { key: all.foreign.key }),
      ),
    ),
  getCustomerPortal: ({ email, externalId }) =>
    Promise.all(
      [{ email }, { externalId }].map((body) =>
        call(all.world, at(all.foreign, 'get-customer-portal'), { key: all.foreign.key, body }),
      ),
    ),
  cancelSubscription: ({ email, id, externalId, purchaseId }) =>
    Promise.all(
      [{ email }, { userId: id }, { externalId }, { email, userId: id }].map((names) =>
        call(all.world, '/api/paywall/cancel-subscription', {
          key: all.foreign.key,
          body: { paywallId: all.foreign.paywall.id, subscriptionId: purchaseId, cancellationReason: 'none', ...names },
        }),
      ),
    ),
}

/** The operations `elsewhere` create the user: the tests below check what they return. */
testEveryOperation(Object.keys(REQUESTS), { of: takesOwnerKey, elsewhere: ['startCheckout', 'exchangeTokens'] })

const statusesAndBodies = (replies: Reply[]) => replies.map(({ status, body }) => ({ status, body }))

describe('an owner that asks about another owner’s customer gets the same response as for an unknown user', () => {
  test.each(Object.keys(REQUESTS))('%s', async (operation) => {
    const nobody = { email: newEmail(), id: randomUUID(), externalId: randomUUID(), purchaseId: randomUUID() }
    const [known, unknown] = [await REQUESTS[operation]!(ours), await REQUESTS[operation]!(nobody)]
    expect(statusesAndBodies(known)).toEqual(statusesAndBodies(unknown))
    expect(known.every(({ status }) => status === 404)).toBe(true)
  })
})

describe('an owner that uses the same e-mail address has its own user:', () => {
  const exchange = async (body: object, { paywall, key } = all.foreign) => {
    const reply = await call(all.world, `/api/v1/paywall/${paywall.id}/sign-in/exchange`, { key, body })
    expect(reply.status).toBe(200)
    return reply.body as { access_token: string; user: { id: string; created_at: string; external_id: string | null } }
  }

  test('with its own id and creation date, without an external id, and the same one in every operation', async () => {
    const startedAt = Date.now()
    const { user } = await exchange({ email: ours.email })
    expect(user.id).not.toBe(ours.id)
    expect(user.external_id).toBeNull()
    expect(Date.parse(user.created_at)).toBeGreaterThanOrEqual(startedAt - 1000)
    const body = { email: ours.email }
    expect(parseOpened(await startCheckout(all.world, { ...all.foreign, body })).userId).toBe(user.id)
    expect((await signInByMail(all.world, ours.email, { paywallId: all.foreign.paywall.id })).user.id).toBe(user.id)
    expect((await exchange(body, all.ours)).user).toMatchObject({ id: ours.id, external_id: ours.externalId })
  })

  test('the same external id identifies another user', async () => {
    const email = newEmail()
    const { user } = await exchange({ email, external_id: ours.externalId })
    expect(user.id).not.toBe(ours.id)
    expect((await exchange({ external_id: ours.externalId }, all.ours)).user.id).toBe(ours.id)
  })

  test('a purchase from one owner is not shown for the other owner’s user', async () => {
    const email = newEmail()
    await buy(all.world, { ...all.ours, email })
    const { user } = await exchange({ email })
    const reply = await call(all.world, at(all.foreign, `user?user_id=${user.id}`), { key: all.foreign.key })
    expect(reply).toMatchObject({ status: 200, body: { paid: false, purchases: [], meta: {} } })
  })

  test('its token gets 401 invalid_token on the other owner’s paywall', async () => {
    const { access_token: token } = await exchange({ email: ours.email })
    expect(await call(all.world, at(all.ours, 'user'), { token })).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
  })

  test('a code mailed on one owner’s paywall is rejected on the other’s', async () => {
    const email = newEmail()
    const grant = await getGrant(all.world, email)
    expect((await requestCode(all.world, email, { paywallId: all.foreign.paywall.id })).status).toBe(200)
    const reply = await call(all.world, at(all.foreign, 'sign-in/token'), { body: grant })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })
})

test('no member belongs to two owners, and a foreign key rejects such a member', async () => {
  const { rows } = await all.world.database.query(
    `select from members m join paywalls p on p.id = m.paywall_id join users u on u.id = m.user_id
     where u.owner_id <> p.owner_id or m.owner_id <> p.owner_id`,
  )
  expect(rows).toEqual([])
  const mixed = all.world.database.query(
    'insert into members (paywall_id, user_id, owner_id, is_test) select $1, id, owner_id, is_test from users where id = $2',
    [all.foreign.paywall.id, ours.id],
  )
  await expect(mixed).rejects.toThrow('members_owner_id_is_test_paywall_id_fkey')
})
