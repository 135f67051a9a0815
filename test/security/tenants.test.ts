import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Names, Subject } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { type Call, call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened } from '../support/checkout.ts'
import { leaksIn } from '../support/leaks.ts'
import { callOperation, onPaywall, shown, takesOwnerKey, takesUserToken } from '../support/operation-call.ts'
import { fileOfBothModes } from '../support/paywall-file.ts'
import { type CodeGrant, getGrant, refresh, type Session, signInAnonymously } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { findLeaks, getUpdates, type Subscriber, subscribe } from '../support/subscriber.ts'
import { getTenants, person, type Tenant } from '../support/tenants.ts'
import { ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

// Every pair of paywalls: of two owners, of one owner's two modes, and of one owner and mode.

/** A paying user of one paywall, with the data that nobody else may see. */
interface Member extends Subscriber {
  externalId: string
  /** A value in its meta. */
  secret: string
}

interface Place extends Tenant {
  owner: number
  /** Identifies the users that it shares: the owner, and the mode. */
  users: string
  members: [Member, Member, Member]
  session: Session
  /** A mailed code that nobody has used. */
  grant: CodeGrant
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
      const members = await Promise.all([member(place), member(place), member(place)])
      const paywallId = paywall.id
      const session = await signInAnonymously(world, { paywallId })
      return { ...place, members, session, grant: await getGrant(world, newEmail(), { paywallId }) }
    }),
  )
}

async function member(place: Tenant): Promise<Member> {
  const [externalId, secret] = [`shop-${randomUUID()}`, `meta-${randomUUID()}`]
  const subscriber = await subscribe(world, place)
  const user = { email: subscriber.email, externalId }
  await ask('exchangeTokens', place, { key: place.key }, { user })
  await ask('getCustomerPortal', place, { key: place.key }, { user, fields: { userMeta: { secret } } })
  return { ...subscriber, externalId, secret }
}

/** A request on a paywall. `subject` is what it is about besides the paywall. */
function ask(name: string, { paywall }: Tenant, caller: Call, subject: Partial<Subject> = {}): Promise<Reply> {
  const headers = { ...(name === 'startCheckout' && { 'idempotency-key': randomUUID() }), ...caller.headers }
  return callOperation(world, name, { ...onPaywall(paywall), ...subject }, { ...caller, headers })
}

/** A request that names a user and its purchase, and writes to its meta if it can. */
const about = ({ email, id, externalId, purchaseId }: Member) => ({
  user: { email, id, externalId },
  purchaseId,
  fields: { userMeta: { taken: true } },
})

const Events = z.object({
  events: z.array(z.object({ id: z.string(), is_test: z.boolean() })),
  next_cursor: z.string(),
  has_more: z.boolean(),
})

const paywallHeader = ({ paywall }: Tenant) => ({ headers: { 'x-paywall-id': paywall.id } })

/** Each way in which an operation lets its caller name a user: by one identifier, and by its address and its id. */
function waysToName(name: string, { email, id, externalId }: Required<Names>): Names[] {
  const { names = {} } = OPERATIONS[name]!
  const single: Names[] = [
    ...(names.email ? [{ email }] : []),
    ...(names.id ? [{ id }] : []),
    ...(names.externalId ? [{ externalId }] : []),
  ]
  return names.email && names.id ? [...single, { email, id }] : single
}

/** The names of a member's fields that a reply leaks. */
function findMentions(reply: Reply, who: Member): string[] {
  const text = JSON.stringify([reply.body, reply.headers])
  const { externalId, secret, token } = who
  const others = Object.entries({ externalId, secret, token }).filter(([, value]) => text.includes(value))
  return [...findLeaks(reply, who), ...others.map(([name]) => name)]
}

function expectRefused(reply: Reply, expected: string, who: Member, name: string): void {
  expect(shown(reply), name).toBe(expected)
  expect(findMentions(reply, who), name).toEqual([])
}

/** All pairs of two different paywalls. */
const pairs = () => places.flatMap((one) => places.flatMap((other) => (one === other ? [] : [{ one, other }])))

/** The pairs that share no users: of two owners, or of one owner's two modes. */
const strangers = () => pairs().filter(({ one, other }) => one.users !== other.users)

const namesWhere = (condition: (name: string) => boolean) => Object.keys(OPERATIONS).filter(condition)

/** Defines a test in which no stored state may change. */
function testUnchanged(name: string, work: () => Promise<void>): void {
  test(name, async () => {
    const before = await stateChecksum(world)
    await work()
    expect(await stateChecksum(world)).toBe(before)
  })
}

test('the checksum detects a change', async () => {
  const before = await stateChecksum(world)
  const [place] = places as [Place]
  await ask('startCheckout', place, { key: place.key }, about(place.members[0]))
  expect(await stateChecksum(world)).not.toBe(before)
})

describe('an owner key', () => {
  testUnchanged('of another owner, or of the other mode, is rejected by every operation for owners', async () => {
    for (const { one, other } of strangers()) {
      const modes = one.paywall.is_test ? ['test', 'live'] : ['live', 'test']
      const message = `A ${modes[0]} key cannot be used with a ${modes[1]} paywall`
      for (const who of other.members) {
        await Promise.all(
          namesWhere((name) => takesOwnerKey(name) && !OPERATIONS[name]!.allPaywalls).map(async (name) => {
            const { badKey, foreignKey } = OPERATIONS[name]!.replies
            const reply = await ask(name, other, { key: one.key }, about(who))
            expectRefused(reply, one.owner === other.owner ? badKey : foreignKey, who, name)
            if (one.owner === other.owner) expect(reply.body, name).toMatchObject({ message })
          }),
        )
      }
    }
  })

  describe.each(namesWhere((name) => OPERATIONS[name]!.unknownUser !== undefined))('%s', (name) => {
    const { unknownUser = '', mismatchedUser = unknownUser, notMember = '' } = OPERATIONS[name]!

    testUnchanged('replies as for nobody to users of another owner or mode, and does not find others', async () => {
      for (const { one, other } of pairs()) {
        const nobody = { email: newEmail(), id: randomUUID(), externalId: randomUUID() }
        const bodies = await Promise.all(
          waysToName(name, nobody).map(async (user) => (await ask(name, one, { key: one.key }, { user })).body),
        )
        const isStranger = one.users !== other.users
        for (const who of other.members) {
          await Promise.all(
            waysToName(name, who).map(async (user, way) => {
              const reply = await ask(name, one, { key: one.key }, { ...about(who), user })
              const toUnknown = Object.keys(user).length > 1 ? mismatchedUser : unknownUser
              expectRefused(reply, isStranger ? toUnknown : notMember, who, name)
              if (isStranger) expect(reply.body).toEqual(bodies[way])
            }),
          )
        }
      }
    })
  })

  testUnchanged(
    'does not cancel a subscription of another paywall, or of another user than the request names',
    async () => {
      for (const { one, other } of pairs()) {
        const [mine, second] = one.members
        for (const theirs of [other.members[0], second]) {
          for (const purchaseId of [theirs.purchaseId, theirs.subscriptionId]) {
            const subject = { user: { id: mine.id }, purchaseId }
            const reply = await ask('cancelSubscription', one, { key: one.key }, subject)
            expect(shown(reply)).toBe('404 Subscription not found')
          }
        }
      }
    },
  )

  test("shows each user of its paywall only that user's data", async () => {
    const everybody = places.flatMap(({ members }) => members)
    for (const place of places) {
      for (const who of place.members) {
        const reply = await ask('readUser', place, { key: place.key }, { user: { id: who.id } })
        expect(findMentions(reply, who).toSorted()).toEqual(['purchaseId', 'secret'])
        expect(everybody.filter((other) => other !== who).flatMap((other) => findMentions(reply, other))).toEqual([])
      }
    }
  })

  test('lists the events of its owner and mode only, and leaves those of all others as they are', async () => {
    const listed = (condition: string, values: unknown[]) =>
      world.database.query(`select id, position from events where ${condition} order by id`, values)
    for (const place of places) {
      const owner = places.filter(({ users }) => users === place.users)
      const ours = owner.map(({ paywall }) => paywall.id)
      const before = await listed('paywall_id <> all ($1)', [ours])
      const reply = await ask('listEvents', place, { key: place.key })
      const { rows } = await listed('paywall_id = any ($1)', [ours])
      const { events, has_more } = Events.parse(reply.body)
      expect(has_more).toBe(false)
      expect(events.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id))
      for (const { is_test } of events) expect(is_test).toBe(place.paywall.is_test)
      const others = places.filter((other) => !owner.includes(other)).flatMap(({ members }) => members)
      expect(others.flatMap((who) => findMentions(reply, who))).toEqual([])
      expect((await listed('paywall_id <> all ($1)', [ours])).rows).toEqual(before.rows)
    }
  })

  test('a cursor of another owner or mode shows nothing of it', async () => {
    for (const { one, other } of strangers()) {
      const { next_cursor: cursor } = Events.parse((await ask('listEvents', other, { key: other.key })).body)
      const reply = await call(world, `/api/v1/events?after=${cursor}`, { key: one.key })
      expect(reply).toMatchObject({ status: 200 })
      expect(other.members.flatMap((who) => findMentions(reply, who))).toEqual([])
    }
  })

  test("does not sell another paywall's prices, and does not find a user by an id and an e-mail of two users", async () => {
    for (const { one, other } of pairs()) {
      const [mine, theirs] = [one.members[0], other.members[0]]
      const subject = { user: { email: mine.email }, priceId: getPriceId(other.paywall, 'monthly') }
      expect(shown(await ask('startCheckout', one, { key: one.key }, subject))).toBe('404 price_not_found')
      const mixed = { user: { id: mine.id, email: theirs.email } }
      expect(shown(await ask('readUser', one, { key: one.key }, mixed))).toBe('404 identity_not_found')
    }
  })

  test('that is revoked is rejected from the next request on', async () => {
    const [place] = places as [Place]
    const { file } = place
    const second = `pk_test_second_${randomUUID()}`
    await world.apply({ ...file, keys: [...file.keys, { name: 'second', is_test: true, secret: second }] })
    const read = () => ask('readUser', place, { key: second }, about(place.members[1]))
    expect(await read()).toMatchObject({ status: 200 })
    await world.apply(file)
    expect(shown(await read())).toBe('401 Invalid API key')
  })
})

describe("a user's token", () => {
  /** Whichever reads a credential: the operations for owners ignore a token, and refuse the call. */
  const refusing = namesWhere((name) => takesOwnerKey(name) || takesUserToken(name))

  testUnchanged('of another owner or mode is rejected by every operation that reads one', async () => {
    for (const { one, other } of strangers()) {
      for (const [i, { token }] of one.members.entries()) {
        const who = other.members[i]!
        const guest = one.session.token
        await Promise.all(
          refusing.map(async (name) => {
            const { foreignToken, anonymous } = OPERATIONS[name]!.replies
            const subject = { ...about(who), grant: other.grant }
            expectRefused(await ask(name, other, { token }, subject), foreignToken, who, name)
            // An anonymous user cannot cancel or change a plan, whatever the paywall.
            const isManaging = name === 'cancelSubscription' || name === 'changePlan'
            const toGuest = isManaging ? anonymous : foreignToken
            expectRefused(await ask(name, other, { token: guest }, subject), toGuest, who, name)
          }),
        )
        const cancelling = { token, ...paywallHeader(other) }
        expect(shown(await ask('cancelSubscription', other, cancelling, about(who)))).toBe('401 invalid_token')
      }
    }
  })

  testUnchanged('cancels only the subscriptions of its own user', async () => {
    for (const { one, other } of pairs()) {
      for (const [i, { token }] of one.members.entries()) {
        for (const theirs of [one.members[(i + 1) % 3]!, other.members[i]!]) {
          for (const place of [one, other]) {
            const reply = await ask('cancelSubscription', place, { token }, about(theirs))
            expect(shown(reply)).toBe('404 Subscription not found')
          }
        }
      }
    }
  })

  test('identifies its own user, whoever the request names', async () => {
    for (const place of places) {
      const [me, other] = place.members
      for (const user of waysToName('readUser', other)) {
        const reply = await ask('readUser', place, { token: me.token }, { user })
        expect(reply).toMatchObject({ status: 200, body: { user: { id: me.id } } })
        expect(findMentions(reply, other)).toEqual([])
      }
      const checkout = await ask('startCheckout', place, { token: me.token }, about(other))
      expect(parseOpened(checkout).userId).toBe(me.id)

      expect(await ask('getCustomerPortal', place, { token: me.token }, about(other))).toMatchObject({ status: 200 })
      const opened = world.stripe.calls.filter(({ path }) => path === '/v1/billing_portal/sessions').at(-1)
      expect(JSON.stringify(opened)).toContain(me.customer)
      expect(JSON.stringify(opened)).not.toContain(other.customer)

      const id = ticketId(await ask('openTicket', place, { token: me.token }, about(other)))
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
  const notFound = '404 Subscription not found'
  const standard = (count: number) => [
    { type: 'premium', count: 0 },
    { type: 'standard', count },
  ]
  const state = (place: Place, caller: Call, { id }: Subscriber) =>
    ask('readUser', place, caller, caller.key ? { user: { id } } : {})
  const portal = (place: Place, caller: Call, { email }: Subscriber) =>
    ask('getCustomerPortal', place, caller, { user: { email } })
  const cancel = (place: Place, caller: Call, { id, purchaseId }: Pick<Subscriber, 'id' | 'purchaseId'>) =>
    ask('cancelSubscription', place, caller, { user: { id }, purchaseId })

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
      expect(await portal(other, caller, payer)).toMatchObject({ status: 403 })
      for (const purchaseId of [payer.purchaseId, payer.subscriptionId]) {
        expect(shown(await cancel(other, caller, { ...payer, purchaseId }))).toBe(notFound)
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
        expect(await portal(place, caller, me)).toMatchObject({ status: 200 })
        expect(world.stripe.calls.at(-1)?.body).toMatchObject({ customer: me.customer })
        expect(shown(await cancel(place, caller, they))).toBe(notFound)
      }
    }
    const credited = await ask('changeBalance', one, { key: one.key }, { user: { id: first.id } })
    expect(credited).toMatchObject({ status: 200, body: { balances: standard(101) } })
    expect(await state(other, { key: other.key }, second)).toMatchObject({ body: { balances: standard(100) } })
    const withdrawal = { user: { id: first.id }, fields: { tokens: 2 } }
    const withdrawn = await ask('withdrawTokens', one, { key: one.key }, withdrawal)
    expect(withdrawn).toMatchObject({ status: 200, body: { remaining: 99 } })
    expect(await state(other, { key: other.key }, second)).toMatchObject({ body: { balances: standard(100) } })
    expect(await cancel(one, { token: first.token }, first)).toMatchObject({ status: 200 })
    expect(getUpdates(world, second)).toEqual([])
  })
})

test('no key, token or address is in the logs', () => {
  expect(world.logs.length).toBeGreaterThan(200)
  const keys = places.map(({ key }) => key)
  expect(leaksIn(world, keys)).toEqual([])
})
