import { beforeAll, describe, expect, test } from 'vitest'
import { BAD_KEY, FOREIGN_KEY } from '../support/battery-replies.ts'
import { type Call, call } from '../support/call.ts'
import { takesOwnerKey, testEveryOperation } from '../support/every-operation.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { refresh, type Session, signInAnonymously } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { cancel, findLeaks, getUpdates, type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, getTenants, person, type Tenant } from '../support/tenants.ts'
import { MESSAGE, ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

interface Place extends Tenant {
  /** Identifies the users that it shares: the owner, and the mode. */
  users: string
  owner: number
  members: [Subscriber, Subscriber, Subscriber]
  session: Session
}

const world = useTestWorld()
/** An owner with two test paywalls and a live one, another with one of each, and three subscribers on every paywall. */
let places: Place[]

beforeAll(async () => {
  places = (await Promise.all([2, 1].map(ownerWithPaywalls))).flat()
  await world.stripe.drainWebhooks()
})

async function ownerWithPaywalls(tests: number, owner: number): Promise<Place[]> {
  const file = await fileOfBothModes({ tests })
  await world.apply(file)
  return Promise.all(
    getTenants(file).map(async ({ paywall, key }) => {
      const place = { file, paywall, key, owner, users: `${owner} ${paywall.is_test}` }
      const members = await Promise.all([subscribe(world, place), subscribe(world, place), subscribe(world, place)])
      return { ...place, members, session: await signInAnonymously(world, { paywallId: paywall.id }) }
    }),
  )
}

/** All pairs of two different paywalls. */
const pairs = () => places.flatMap((one) => places.flatMap((other) => (one === other ? [] : [{ one, other }])))

/** Every member of a paywall, with another member there and a member of another paywall. */
const memberTriples = () =>
  pairs().flatMap(({ one, other }) =>
    one.members.map(({ token }, i) => ({ one, other, token, next: one.members[(i + 1) % 3]!, who: other.members[i]! })),
  )

/** Requests about the user `who` on `place`, by the operations that change or open something. */
const requests = {
  changeBalance: (place: Place, caller: Call, who: Subscriber) =>
    call(world, at(place, 'balances'), {
      ...caller,
      body: { op: 'debit', amount: 1, type: 'standard', user_id: who.id, email: who.email },
    }),
  withdrawTokens: (place: Place, caller: Call, who: Subscriber) =>
    call(world, '/api/v1/withdraw-tokens', {
      ...caller,
      body: { paywall_id: place.paywall.id, user_id: who.id, tokens: 1 },
    }),
  getCustomerPortal: (place: Place, caller: Call, who: Subscriber) =>
    call(world, at(place, 'get-customer-portal'), { ...caller, body: { email: who.email, userMeta: { taken: true } } }),
  cancelSubscription: ({ paywall }: Place, caller: Call, { purchaseId, id }: Subscriber, owner = { id }) => {
    const target = { subscriptionId: purchaseId, paywallId: paywall.id, userId: owner.id }
    return cancel(world, { ...caller, body: { ...target, cancellationReason: 'not mine' } })
  },
}

const IN_TENANTS_TEST = ['readUser', 'startCheckout', 'exchangeTokens']
testEveryOperation(Object.keys(requests), { of: takesOwnerKey, elsewhere: IN_TENANTS_TEST })

/** The expected status and error, by operation. */
type Refusals = Record<keyof typeof requests, string>

/** Defines a test in which no stored state may change. */
function testUnchanged(name: string, work: () => Promise<void>): void {
  test(name, async () => {
    const before = await stateChecksum(world)
    await work()
    expect(await stateChecksum(world)).toBe(before)
  })
}

/** Makes all requests; each is refused as expected, and reveals nothing of `who`. */
async function expectRefused(place: Place, caller: Call, who: Subscriber, expected: Refusals): Promise<void> {
  const ask = async (name: keyof Refusals) => {
    const reply = await requests[name](place, caller, who)
    expect(`${reply.status} ${(reply.body as { error?: string }).error}`, name).toBe(expected[name])
    expect(findLeaks(reply, who), name).toEqual([])
  }
  await Promise.all((['changeBalance', 'withdrawTokens', 'getCustomerPortal', 'cancelSubscription'] as const).map(ask))
}

describe('an owner key', () => {
  testUnchanged('of another owner, or of the other mode, is rejected on the paywall', async () => {
    for (const { one, other } of pairs().filter((pair) => pair.one.users !== pair.other.users)) {
      for (const who of other.members) {
        await expectRefused(other, { key: one.key }, who, one.owner === other.owner ? BAD_KEY : FOREIGN_KEY)
      }
    }
  })

  testUnchanged('does not find users of another paywall, even of the same owner', async () => {
    for (const { one, other } of pairs()) {
      for (const who of other.members) {
        await expectRefused(one, { key: one.key }, who, {
          changeBalance: '404 identity_not_found',
          withdrawTokens: '404 No balance found for this user and paywall',
          getCustomerPortal: '404 identity_not_on_paywall',
          cancelSubscription: '404 identity_not_on_paywall',
        })
      }
    }
  })

  testUnchanged(
    'does not cancel a subscription of another paywall, or of another user than the request names',
    async () => {
      const ask = requests.cancelSubscription
      for (const { one, other } of pairs()) {
        const [mine, second] = one.members
        for (const theirs of [other.members[0], second]) {
          for (const purchaseId of [theirs.purchaseId, theirs.subscriptionId]) {
            const reply = await ask(one, { key: one.key }, { ...theirs, purchaseId }, mine)
            expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
          }
        }
      }
    },
  )
})

describe("a user's token", () => {
  testUnchanged('cancels only the subscriptions of its own user', async () => {
    for (const { one, other, token, next, who } of memberTriples()) {
      for (const theirs of [next, who]) {
        for (const place of [one, other]) {
          const reply = await requests.cancelSubscription(place, { token }, theirs)
          expect(reply).toMatchObject({ status: 404, body: { error: 'Subscription not found' } })
        }
      }
    }
  })

  testUnchanged('gets 401 for portals and tickets of another owner or mode, and for balances everywhere', async () => {
    const invalid = { status: 401, body: { error: 'invalid_token' } }
    for (const { one, other, token, who } of memberTriples().filter(({ one, other }) => one.users !== other.users)) {
      expect(await requests.getCustomerPortal(other, { token }, who)).toMatchObject(invalid)
      expect(await call(world, at(other, 'support/ticket'), { token, body: MESSAGE })).toMatchObject(invalid)
      for (const place of [one, other]) {
        expect(await requests.changeBalance(place, { token }, who)).toMatchObject({ status: 401 })
        expect(await requests.withdrawTokens(place, { token }, who)).toMatchObject({ status: 401 })
      }
    }
  })

  test('opens the portal and a ticket of its own user, whoever the body names', async () => {
    for (const place of places) {
      const [me, other] = place.members
      expect(await requests.getCustomerPortal(place, { token: me.token }, other)).toMatchObject({ status: 200 })
      const opened = world.stripe.calls.filter(({ path }) => path === '/v1/billing_portal/sessions').at(-1)
      expect(JSON.stringify(opened)).toContain(me.customer)
      expect(JSON.stringify(opened)).not.toContain(other.customer)

      const body = { ...MESSAGE, customer_email: other.email }
      const id = ticketId(await call(world, at(place, 'support/ticket'), { token: me.token, body }))
      const { rows } = await world.database.query('select user_id, paywall_id from tickets where id = $1', [id])
      expect(rows).toEqual([{ user_id: me.id, paywall_id: place.paywall.id }])
    }
  })
})

test('a refresh token works only on its own paywall, and is not used up by calls on another one', async () => {
  const before = await stateChecksum(world)
  for (const { one, other } of pairs()) {
    const reply = await refresh(world, one.session.refreshToken, { paywallId: other.paywall.id })
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  }
  expect(await stateChecksum(world)).toBe(before)
  for (const { paywall, session } of places) {
    expect(await refresh(world, session.refreshToken, { paywallId: paywall.id })).toMatchObject({ status: 200 })
  }
})

describe('one user on two paywalls of one owner is two members', () => {
  const paywallHeader = ({ paywall }: Place) => ({ headers: { 'x-paywall-id': paywall.id } })
  const notFound = { status: 404, body: { error: 'Subscription not found' } }
  const standard = (count: number) => [
    { type: 'premium', count: 0 },
    { type: 'standard', count },
  ]
  const state = (place: Place, caller: Call, { id }: Subscriber) =>
    call(world, at(place, caller.key ? `user?user_id=${id}` : 'user'), caller)

  test('and a purchase of one gives the other nothing', async () => {
    const [one, other] = places as [Place, Place]
    const payer = await subscribe(world, one, 'yearly')
    const guest = await person(world, other, payer.email)
    expect(guest.id).toBe(payer.id)
    const all = { paid: true, purchases: [{ id: payer.purchaseId }], trial: { purchase_id: payer.purchaseId } }
    expect(await state(one, { token: payer.token }, payer)).toMatchObject({ body: { ...all, balances: standard(10) } })
    await world.stripe.drainWebhooks()
    const before = await stateChecksum(world)
    const nothing = { paid: false, purchases: [], trial: null, balances: standard(10) }
    for (const caller of [{ key: other.key }, { token: guest.token, ...paywallHeader(other) }]) {
      expect(await requests.getCustomerPortal(other, caller, payer)).toMatchObject({ status: 403 })
      for (const purchaseId of [payer.purchaseId, payer.subscriptionId]) {
        expect(await requests.cancelSubscription(other, caller, { ...payer, purchaseId })).toMatchObject(notFound)
      }
    }
    expect(await stateChecksum(world)).toBe(before)
    for (const caller of [{ key: other.key }, { token: guest.token }]) {
      expect(await state(other, caller, payer)).toMatchObject({ status: 200, body: nothing })
    }
  })

  test('and each has its own purchase, portal and balances', async () => {
    const [one, other] = places as [Place, Place]
    const first = await subscribe(world, one)
    const second = await subscribe(world, other, 'monthly', first.email)
    const sides = [
      { place: one, me: first, they: second },
      { place: other, me: second, they: first },
    ]
    for (const { place, me, they } of sides) {
      for (const caller of [{ key: place.key }, { token: me.token, ...paywallHeader(place) }]) {
        expect(await state(place, caller, me)).toMatchObject({ body: { purchases: [{ id: me.purchaseId }] } })
        expect(await requests.getCustomerPortal(place, caller, me)).toMatchObject({ status: 200 })
        expect(world.stripe.calls.at(-1)?.body).toMatchObject({ customer: me.customer })
        expect(await requests.cancelSubscription(place, caller, they)).toMatchObject(notFound)
      }
    }
    const debited = { status: 200, body: { balances: standard(99) } }
    expect(await requests.changeBalance(one, { key: one.key }, first)).toMatchObject(debited)
    expect(await state(other, { key: other.key }, second)).toMatchObject({ body: { balances: standard(100) } })
    expect(await requests.cancelSubscription(one, { token: first.token }, first)).toMatchObject({ status: 200 })
    expect(getUpdates(world, second)).toEqual([])
  })
})
