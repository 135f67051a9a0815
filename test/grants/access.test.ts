import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { buy, startCheckout } from '../support/checkout.ts'
import { createGrant, endGrant, parseGranted } from '../support/grant-calls.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { monthly } from '../support/paywall-file.ts'
import { subscribe } from '../support/subscriber.ts'
import { at, atNewPaywall, type Person, person, type Tenant, tenant } from '../support/tenants.ts'
import { readLedger } from '../support/token-calls.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

// What a grant changes for its user, and when it ends. Each test has a paywall of its own, whose clock it moves.

const world = useTestWorld()
const PRICES = {
  prices: [
    monthly({ features: ['export'] }),
    monthly({ slug: 'team', amount: 20, processorPrice: 'price_team', features: ['seats', 'export'] }),
  ],
}

let here: TestWorld & Tenant
let user: Person

async function atOwnPaywall() {
  const own = await atNewPaywall(world, PRICES)
  return Object.assign(own, tenant(own.file))
}

beforeAll(async () => {
  here = await atOwnPaywall()
  user = await person(here, here)
})

/** The user's state, as the owner and as the user read it. */
async function readStates(place: TestWorld & Tenant, { id, token }: Person) {
  const byOwner = await call(place, at(place, `user?user_id=${id}`), { key: place.key })
  const byUser = await call(place, at(place, 'bootstrap'), { token })
  return [byOwner.body, Object(byUser.body).user]
}

const NOTHING = { paid: false, access_until: null, features: [], grants: [], purchases: [] }
const daysAfter = (days: number, start: Date) => new Date(start.getTime() + days * 24 * 3600 * 1000)
const seconds = (time: string | Date) => Math.round(new Date(time).getTime() / 1000)

describe('a grant', () => {
  test('gives access with the features of its price until it ends by the paywall’s clock, and then none', async () => {
    const place = await atOwnPaywall()
    const member = await person(place, place)
    await place.clock.advance(place.paywall.id, '400d')
    const before = await place.clock.now(place.paywall.id)
    const { grant, user_id } = parseGranted(
      await createGrant(place, { email: member.email.toUpperCase(), price: 'monthly', days: 30 }),
    )
    expect(user_id).toBe(member.id)
    expect(grant).toMatchObject({ price_slug: 'monthly', features: ['export'], ended_at: null })
    expect(Math.abs(seconds(grant.ends_at) - seconds(daysAfter(30, before)))).toBeLessThan(30)

    const access = { paid: true, access_until: grant.ends_at, features: ['export'], purchases: [], grants: [grant] }
    const [byOwner, byUser] = await readStates(place, member)
    expect(byOwner).toMatchObject(access)
    expect(byUser).toMatchObject({ ...access, has_active_subscription: false })

    await place.clock.moveTo(place.paywall.id, new Date(new Date(grant.ends_at).getTime() - 60_000))
    expect(await readStates(place, member)).toMatchObject([access, access])
    await place.clock.moveTo(place.paywall.id, new Date(grant.ends_at))
    expect(await readStates(place, member)).toMatchObject([NOTHING, NOTHING])

    const events = await ownerEvents(place, member.id)
    const { data, ...ended } = events[1]!
    expect(events.map(({ type }) => type)).toEqual(['grant.created', 'grant.ended'])
    expect(events[0]?.data.grant).toEqual({ ...grant, reason: 'Apology for the outage', end_reason: null })
    expect(data.grant).toEqual({
      ...grant,
      ended_at: grant.ends_at,
      reason: 'Apology for the outage',
      end_reason: null,
    })
    expect(Math.abs(seconds(ended.timestamp) - seconds(grant.ends_at))).toBeLessThan(30)
    expect(findSequenceErrors(events)).toEqual([])
  })

  test('ends at `ends_at`, in whatever zone that is written', async () => {
    const now = await here.clock.now(here.paywall.id)
    const end = daysAfter(10, now)
    const written = `${new Date(end.getTime() + 5.5 * 3600 * 1000).toISOString().slice(0, -1)}+05:30`
    const { grant } = parseGranted(await createGrant(here, { user_id: user.id, ends_at: written }))
    expect(grant).toMatchObject({ ends_at: end.toISOString(), price_id: null, price_slug: null, features: [] })
  })

  test('overlaps with others: the access ends with the latest, the features with their own', async () => {
    const place = await atOwnPaywall()
    const member = await person(place, place)
    const give = async (fields: object) =>
      parseGranted(await createGrant(place, { user_id: member.id, ...fields })).grant
    const [short, long, plain] = [
      await give({ price: 'team', days: 5 }),
      await give({ price: 'monthly', days: 20 }),
      await give({ days: 10 }),
    ]
    const state = (grants: object[], features: string[]) => ({
      paid: true,
      access_until: long.ends_at,
      grants,
      features,
    })
    const read = async () => (await readStates(place, member))[0]
    expect(await read()).toMatchObject(state([long, plain, short], ['export', 'seats']))
    await place.clock.advance(place.paywall.id, '6d')
    expect(await read()).toMatchObject(state([long, plain], ['export']))
    await place.clock.advance(place.paywall.id, '20d')
    expect(await read()).toMatchObject(NOTHING)
    const ended = (await ownerEvents(place, member.id)).filter(({ type }) => type === 'grant.ended')
    expect(ended.map(({ data }) => Object(data.grant).id)).toEqual([short.id, plain.id, long.id])
  })

  test('gives the features that the paywall file gives its price now', async () => {
    const place = await atOwnPaywall()
    const member = await person(place, place)
    const { grant } = parseGranted(await createGrant(place, { user_id: member.id, price: place.paywall.prices[0]!.id }))
    const [price, ...prices] = place.file.paywalls[0]!.prices
    await place.apply({
      ...place.file,
      paywalls: [{ ...place.paywall, prices: [{ ...price!, features: ['export', 'api'] }, ...prices] }],
    })
    expect(await readStates(place, member)).toMatchObject([
      { features: ['api', 'export'], grants: [{ id: grant.id, price_id: price!.id, features: ['export', 'api'] }] },
      { features: ['api', 'export'] },
    ])
  })

  test('is taken back at once, repeatedly, with one event', async () => {
    const member = await person(here, here)
    const { grant } = parseGranted(await createGrant(here, { user_id: member.id, price: 'monthly' }))
    const ended = parseGranted(await endGrant(here, grant.id, { body: { reason: ' Wrong user ' } }))
    expect(ended).toMatchObject({ user_id: member.id, grant: { ...grant, ended_at: expect.any(String) } })
    expect(await readStates(here, member)).toMatchObject([NOTHING, NOTHING])
    expect(parseGranted(await endGrant(here, grant.id, { body: { reason: 'Once more' } }))).toEqual(ended)
    const events = await ownerEvents(here, member.id)
    expect(events.map(({ type }) => type)).toEqual(['grant.created', 'grant.ended'])
    expect(events[1]?.data.grant).toMatchObject({ ended_at: ended.grant.ended_at, end_reason: 'Wrong user' })
  })

  test('that ended by itself cannot be ended earlier afterwards, whether or not its end was recorded', async () => {
    const member = await person(here, here)
    const { grant } = parseGranted(await createGrant(here, { user_id: member.id }))
    const { rows } = await here.database.query<{ at: Date }>(
      `update grants set created_at = now() - interval '2 days', ends_at = date_trunc('second', now() - interval '1 day')
       where id = $1 returning ends_at as at`,
      [grant.id],
    )
    const ended = { grant: { id: grant.id, ended_at: rows[0]!.at.toISOString() } }
    expect(parseGranted(await endGrant(here, grant.id))).toMatchObject(ended)
    await here.workers.scheduled('reconcile')
    expect(parseGranted(await endGrant(here, grant.id))).toMatchObject(ended)
    const events = (await ownerEvents(here, member.id)).filter(({ type }) => type === 'grant.ended')
    expect(events).toMatchObject([{ data: { grant: { ...ended.grant, end_reason: null } } }])
  })
})

describe('a grant is no purchase', () => {
  test('its user can buy, has no portal and no tokens of the price, and keeps the daily top-up', async () => {
    const member = await person(here, here)
    parseGranted(await createGrant(here, { user_id: member.id, price: 'monthly' }))
    expect(await call(here, at(here, 'get-customer-portal'), { method: 'POST', token: member.token })).toMatchObject({
      status: 403,
      body: { error: 'portal_unavailable' },
    })
    expect(await readStates(here, member)).toMatchObject([{ paid: true }, { paid: true }])
    expect(await readLedger(here, member.id)).toEqual([['standard', 'top_up', 10]])

    expect(await startCheckout(here, { paywall: here.paywall, token: member.token })).toMatchObject({ status: 200 })
    await buy(here, { paywall: here.paywall, key: here.key, email: member.email })
    const [byOwner, byUser] = await readStates(here, member)
    expect(byOwner).toMatchObject({
      paid: true,
      purchases: [{ status: 'active' }],
      grants: [{ price_slug: 'monthly' }],
    })
    expect(byUser).toMatchObject({ has_active_subscription: true })
  })

  test('and does not shorten the access of a purchase, nor does its end', async () => {
    const member = await subscribe(here, here)
    const { grant } = parseGranted(await createGrant(here, { user_id: member.id, price: 'team', days: 1 }))
    const state = (await readStates(here, member))[0]
    const [{ access_until: purchaseEnd }] = Object(state).purchases
    expect(state).toMatchObject({ paid: true, access_until: purchaseEnd, features: ['export', 'seats'] })
    parseGranted(await endGrant(here, grant.id))
    expect((await readStates(here, member))[0]).toMatchObject({ paid: true, access_until: purchaseEnd, grants: [] })
  })
})
