import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Call, call, type Reply } from '../support/call.ts'
import { buy, getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { takesOwnerKey, testEveryOperation } from '../support/every-operation.ts'
import { leaksIn } from '../support/leaks.ts'
import { fileOfBothModes, livePaywallFile } from '../support/paywall-file.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { at, getTenants, type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

/** A user of one paywall, with the data that nobody else may see. */
interface Member extends Person {
  userId: string
  secret: string
  purchase: string
}

interface Place extends Tenant {
  owner: number
  /** Identifies the users that it shares: the owner, and the mode. */
  users: string
  members: Member[]
}

const world = useTestWorld()
/** An owner with two test paywalls and a live one, another with one of each, and three users on every paywall. */
let places: Place[]
let live: Tenant

beforeAll(async () => {
  places = (await Promise.all([2, 1].map(ownerWithPaywalls))).flat()
  live = tenant(await livePaywallFile())
  await world.apply(live.file)
})

async function ownerWithPaywalls(tests: number, owner: number): Promise<Place[]> {
  const file = await fileOfBothModes({ tests })
  await world.apply(file)
  return Promise.all(
    getTenants(file).map(async ({ paywall, key }) => {
      const place = { file, paywall, key, owner, users: `${owner} ${paywall.is_test}` }
      return { ...place, members: await Promise.all([1, 2, 3].map(() => member(place))) }
    }),
  )
}

async function member(place: Tenant): Promise<Member> {
  const [email, secret] = [newEmail(), `meta-${randomUUID()}`]
  const { userId } = await buy(world, { paywall: place.paywall, key: place.key, email, body: { userMeta: { secret } } })
  const { rows } = await world.database.query('select id from purchases where user_id = $1', [userId])
  return { ...(await person(world, place, email)), userId, secret, purchase: String(rows[0]?.id) }
}

/** The names of a member's fields that occur in a response. */
function findMentions({ body, headers }: Reply, { id, email, secret, purchase, token }: Member): string[] {
  const shown = JSON.stringify([body, headers])
  return Object.entries({ id, email, secret, purchase, token }).flatMap(([name, text]) =>
    shown.includes(text) ? [name] : [],
  )
}

/** The responses to lookups of `who` on `place`, by each kind of identifier. */
function lookUp(place: Tenant, caller: Call, who: Member): Promise<Reply[]> {
  const queries = [`email=${who.email}`, `user_id=${who.id}`, `user_id=${who.id}&email=${who.email}`]
  return Promise.all(queries.map((query) => call(world, at(place, `user?${query}`), caller)))
}

const exchange = (place: Tenant, caller: Call, { email }: Member) =>
  call(world, at(place, 'sign-in/exchange'), { ...caller, body: { email } })

const checkout = (place: Tenant, caller: Call, { email }: Member, body = {}) =>
  startCheckout(world, {
    ...caller,
    paywall: place.paywall,
    headers: { 'idempotency-key': randomUUID() },
    body: { email, ignoreActivePurchase: true, ...body },
  })

/** What an owner key can request about a user, by operation. */
const REQUESTS = { readUser: lookUp, exchangeTokens: exchange, startCheckout: checkout }

testEveryOperation(Object.keys(REQUESTS), {
  of: takesOwnerKey,
  elsewhere: ['changeBalance', 'withdrawTokens', 'getCustomerPortal', 'cancelSubscription'], // matrix.test.ts
})

async function requestAll(place: Tenant, caller: Call, who: Member): Promise<Reply[]> {
  return (await Promise.all(Object.values(REQUESTS).map((ask) => ask(place, caller, who)))).flat()
}

/** All pairs of two different paywalls. */
const pairs = () =>
  places.flatMap((one, i) =>
    places.flatMap((other, j) =>
      i === j ? [] : [{ one, other, sameOwner: one.owner === other.owner, sameUsers: one.users === other.users }],
    ),
  )

describe('a key of another owner', () => {
  test('gets 403 on every endpoint of every paywall, reveals nothing and changes nothing', async () => {
    const before = await stateChecksum(world)
    for (const { one, other } of pairs().filter(({ sameOwner }) => !sameOwner)) {
      for (const who of other.members) {
        for (const reply of await requestAll(other, { key: one.key }, who)) {
          expect(reply).toMatchObject({
            status: 403,
            body: { error: 'Access denied: API key owner does not match paywall owner' },
          })
          expect(findMentions(reply, who)).toEqual([])
        }
      }
    }
    expect(await stateChecksum(world)).toBe(before)
  })
})

describe('a key of our own account', () => {
  test("does not find another paywall's users, and does not reveal whether another owner has them", async () => {
    const before = await stateChecksum(world)
    for (const { one, other, sameUsers } of pairs()) {
      for (const who of other.members) {
        const error = sameUsers ? 'identity_not_on_paywall' : 'identity_not_found'
        for (const reply of await lookUp(one, { key: one.key }, who)) {
          expect(reply).toMatchObject({ status: 404, body: { error } })
          expect(findMentions(reply, who)).toEqual([])
        }
      }
    }
    expect(await stateChecksum(world)).toBe(before)
    await checkout(places[0]!, { key: places[0]!.key }, places[0]!.members[0]!)
    expect(await stateChecksum(world), 'the checksum does detect a change').not.toBe(before)
  })

  test("shows each user of its paywall only that user's data", async () => {
    for (const place of places) {
      for (const who of place.members) {
        const reply = await call(world, at(place, `user?user_id=${who.id}`), { key: place.key })
        expect(findMentions(reply, who)).toEqual(['secret', 'purchase'])
        const others = places.flatMap(({ members }) => members).filter(({ id }) => id !== who.id)
        expect(others.flatMap((other) => findMentions(reply, other))).toEqual([])
      }
    }
  })

  test("does not sell another paywall's prices, and does not find a user by an id and an e-mail of two users", async () => {
    for (const { one, other } of pairs()) {
      const body = { priceId: getPriceId(other.paywall, 'monthly') }
      const reply = await checkout(one, { key: one.key }, one.members[0]!, body)
      expect(reply).toMatchObject({ status: 404, body: { error: 'price_not_found' } })
      const [mine, theirs] = [one.members[0]!, other.members[0]!]
      const mixed = `user?user_id=${mine.id}&email=${theirs.email}`
      expect(await call(world, at(one, mixed), { key: one.key })).toMatchObject({
        status: 404,
        body: { error: 'identity_not_found' },
      })
    }
  })
})

describe("a user's token", () => {
  test("works only on its owner's paywalls of its mode: elsewhere it gets 401 and changes nothing", async () => {
    const before = await stateChecksum(world)
    for (const { one, other } of pairs().filter(({ sameUsers }) => !sameUsers)) {
      for (const [i, { token }] of one.members.entries()) {
        const who = other.members[i]!
        const refused = [
          await call(world, at(other, 'bootstrap'), { token }),
          ...(await lookUp(other, { token }, who)),
          await checkout(other, { token }, who),
        ]
        for (const reply of refused) {
          expect(reply).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
          expect(findMentions(reply, who)).toEqual([])
        }
      }
    }
    expect(await stateChecksum(world)).toBe(before)
  })

  test('identifies its own user, whoever the request names', async () => {
    const [place] = places
    const [me, other] = place!.members
    for (const reply of await lookUp(place!, { token: me!.token }, other!)) {
      expect(reply).toMatchObject({ status: 200, body: { user: { id: me!.id } } })
      expect(findMentions(reply, other!)).toEqual([])
    }
    const { userId } = parseOpened(await checkout(place!, { token: me!.token }, other!))
    expect(userId).toBe(me!.id)
  })

  test('gets 401 from an endpoint for owners', async () => {
    const [place] = places
    const { token, email } = place!.members[0]!
    expect(await call(world, at(place!, 'sign-in/exchange'), { token, body: { email } })).toMatchObject({ status: 401 })
  })
})

describe('test and live', () => {
  test.each([
    ['test', 'live', () => ({ from: live, key: `pk_test_${'a'.repeat(40)}`, is_test: true })],
    ['live', 'test', () => ({ from: places[0]!, key: `pk_live_${'b'.repeat(40)}`, is_test: false })],
  ])(
    'a %s key is rejected on a %s paywall of the same owner, with a message that says why',
    async (mode, other, given) => {
      const { from, key, is_test } = given()
      const message = `A ${mode} key cannot be used with a ${other} paywall`
      const keys = [...from.file.keys, { name: 'other mode', is_test, secret: key }]
      await world.apply({ ...from.file, keys })
      const before = await stateChecksum(world)
      for (const reply of await requestAll(from, { key }, places[0]!.members[0]!)) {
        expect(reply).toMatchObject({ status: 401, body: { error: 'Invalid API key', message } })
      }
      expect(await stateChecksum(world)).toBe(before)
      await world.apply(from.file)
    },
  )

  test('a revoked key is rejected from the next request on', async () => {
    const { file, paywall } = places[0]!
    const second = `pk_test_second_${randomUUID()}`
    await world.apply({ ...file, keys: [...file.keys, { name: 'second', is_test: true, secret: second }] })
    const who = places[0]!.members[1]!
    const ask = () => call(world, `/api/v1/paywall/${paywall.id}/user?user_id=${who.id}`, { key: second })
    expect(await ask()).toMatchObject({ status: 200 })
    await world.apply(file)
    expect(await ask()).toMatchObject({ status: 401, body: { error: 'Invalid API key' } })
  })
})

test('no key, token or address is in the logs', () => {
  expect(world.logs.length).toBeGreaterThan(200)
  expect(
    leaksIn(
      world,
      places.map(({ key }) => key),
    ),
  ).toEqual([])
})
