import { beforeAll, expect, test } from 'vitest'
import { anonymousBuyer, credit, pay, payOnPage } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { findSequenceErrors, ownerEvents, untilAllDelivered } from '../support/owner-events.ts'
import { paywall } from '../support/paywall.ts'
import { getGrant, parseSession, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { at, person, type Tenant, tenant } from '../support/tenants.ts'
import { verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// An owner that stored the id of a user hears of it when that user is merged into another one.

const world = useTestWorld({ file: { paywalls: [{}, {}, {}] } })
let first: Tenant
let second: Tenant

beforeAll(() => {
  const [one, other] = world.file.paywalls.map((each) => ({ ...tenant(world.file), paywall: each }))
  first = one!
  second = other!
})

/** The `user.merged` events about a user, in the order of arrival. */
const merges = async (userId: string) => (await ownerEvents(world, userId)).filter(({ type }) => type === 'user.merged')

/** Merges a user into another one, as the owner's operator does. */
const mergeByOperator = (from: string, into: string) =>
  paywall(world, ['users', 'merge', from, into, '--owner', world.file.owner.email])

test('an anonymous user who signs in as a known one is reported at once, in the sequence of the known one', async () => {
  const [anonymous, known] = [await anonymousBuyer(world), await signIn(world)]
  await pay(world, anonymous.checkoutUrl)
  await credit(world, anonymous.user.id, 7)
  const grant = await getGrant(world, known.email)
  parseSession(await requestTokens(world, grant, { token: anonymous.token }))

  const { id, email } = known
  expect(await ownerEvents(world, id)).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'user.merged',
      timestamp: expect.any(String),
      data: {
        paywall_id: world.paywall.id,
        user: { id, email, external_id: null },
        sequence: 1,
        merged_user: { id: anonymous.user.id, email: null, external_id: null },
      },
      times: 1,
    },
  ])
  const queued = world.logs.filter(({ message }) => message.includes('deliver-events woken'))
  expect(queued, 'the queue woke the consumer, and no cron has run').not.toEqual([])

  const retry = await requestTokens(world, grant, { token: anonymous.token })
  expect(retry).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await merges(id)).toHaveLength(1)
})

test('a restored purchase is reported with the user who had made it', async () => {
  const email = newEmail()
  const buyer = await anonymousBuyer(world)
  await payOnPage(buyer.checkoutUrl, email)
  await world.stripe.drainWebhooks()
  const { user } = parseSession(await requestTokens(world, await getGrant(world, email)))
  expect(await merges(user.id)).toMatchObject([{ data: { user: { email }, merged_user: { id: buyer.user.id } } }])
})

test('a merge by the operator is reported on each paywall where the user was a member, once, with its former names', async () => {
  const [from, into] = [await person(world, first), await person(world, first)]
  await call(world, at(second, 'sign-in/exchange'), {
    key: second.key,
    body: { email: from.email, external_id: from.id },
  })
  const names = { id: from.id, email: from.email, external_id: from.id }
  expect(await mergeByOperator(from.id, into.id)).toMatchObject({ code: 0 })
  expect(await mergeByOperator(from.id, into.id)).toMatchObject({ code: 1 })
  await world.workers.scheduled('deliver-events')

  const events = await merges(into.id)
  expect(events.map(({ data }) => data.paywall_id).toSorted()).toEqual(
    [first, second].map((each) => each.paywall.id).toSorted(),
  )
  for (const { data } of events) {
    expect(data).toMatchObject({
      user: { id: into.id, email: into.email, external_id: from.id },
      sequence: 1,
      merged_user: names,
    })
  }
})

test('each merge of a chain is reported', async () => {
  const [one, two, three] = [await signIn(world), await signIn(world), await signIn(world)]
  await mergeByOperator(one.id, two.id)
  await mergeByOperator(two.id, three.id)
  await world.workers.scheduled('deliver-events')
  expect(await merges(two.id)).toMatchObject([{ data: { merged_user: { id: one.id } } }])
  expect(await merges(three.id)).toMatchObject([{ data: { merged_user: { id: two.id } } }])
})

test('20 concurrent merges into one user have one event each, without gaps', async () => {
  const known = await signIn(world)
  const anonymous = await Promise.all(Array.from({ length: 20 }, () => signInAnonymously(world)))
  const grants = []
  for (const _ of anonymous) grants.push(await getGrant(world, known.email))
  await Promise.all(grants.map((grant, place) => requestTokens(world, grant, { token: anonymous[place]!.token })))

  const events = await merges(known.id)
  const merged = events.map(({ data }) => data.merged_user?.id)
  expect(merged.toSorted()).toEqual(anonymous.map(({ user }) => user.id).toSorted())
  expect(findSequenceErrors(await ownerEvents(world, known.id))).toEqual([])
})

test('20 concurrent sign-ins of one anonymous user merge it once, into one of two', async () => {
  const anonymous = await signInAnonymously(world)
  await credit(world, anonymous.user.id, 7)
  const known = [await signIn(world), await signIn(world)]
  const grants = []
  for (let place = 0; place < 20; place += 1) grants.push(await getGrant(world, known[place % 2]!.email))
  await Promise.all(grants.map((grant) => requestTokens(world, grant, { token: anonymous.token })))

  const events = (await Promise.all(known.map(({ id }) => merges(id)))).flat()
  expect(events).toMatchObject([{ data: { merged_user: { id: anonymous.user.id } } }])
  expect(await verifiedBalances(world, events[0]!.data.user.id!)).toMatchObject({ premium: 7 })
})

test('the event comes after all pending ones about the merged user', async () => {
  const [anonymous, known] = [await anonymousBuyer(world), await signIn(world)]
  const isAboutAnonymous = ({ body }: { body: string }) => JSON.parse(body).data.user.id === anonymous.user.id
  world.receiver.answer = (received) => (isAboutAnonymous(received) ? { status: 503 } : {})
  await pay(world, anonymous.checkoutUrl)
  await world.stripe.drainWebhooks()
  await world.receiver.waitFor(isAboutAnonymous)
  parseSession(await requestTokens(world, await getGrant(world, known.email), { token: anonymous.token }))
  await world.workers.scheduled('deliver-events')
  await world.clock.advance(world.paywall.id, '1h')
  const received = () =>
    world.receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ data }) => [anonymous.user.id, known.id].includes(data.user.id))
  expect(received().filter(({ type }) => type === 'user.merged')).toEqual([])

  world.receiver.answer = () => ({})
  await world.clock.advance(world.paywall.id, '1d')
  await untilAllDelivered(world)
  const types = received().map(({ type }) => type)
  expect(types.filter((type) => type === 'user.merged')).toHaveLength(1)
  expect(types.at(-1)).toBe('user.merged')
  expect(types).toContain('subscription.created')
})
