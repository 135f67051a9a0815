import { beforeAll, expect, test } from 'vitest'
import { anonymousBuyer, credit, getSubscription, pay, payOnPage } from '../support/anonymous.ts'
import { call, type Reply } from '../support/call.ts'
import { getPriceId, newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { runInLockOrder } from '../support/held-member.ts'
import { findSequenceErrors, ownerEvents } from '../support/owner-events.ts'
import { getGrant, parseSession, refresh, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { MESSAGE, ticketPath } from '../support/tickets.ts'
import { changeBalance } from '../support/token-calls.ts'
import { until } from '../support/until.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let userPath: string

beforeAll(() => {
  userPath = `/api/v1/paywall/${world.paywall.id}/user`
})

/** An anonymous user with an open checkout, a known user, and a function that signs the former in as the latter. */
async function createUsers() {
  const [anonymous, known] = [await anonymousBuyer(world), await signIn(world)]
  await credit(world, anonymous.user.id, 7)
  const grant = await getGrant(world, known.email)
  return { anonymous, known, signInAsKnown: () => requestTokens(world, grant, { token: anonymous.token }) }
}

test.each(['before', 'after'])('a purchase stored just %s the merge belongs to the known user', async (when) => {
  const { anonymous, known, signInAsKnown } = await createUsers()
  world.stripe.holdWebhooks()
  const returnUrl = await payOnPage(anonymous.checkoutUrl)
  const visitReturnUrl = () => call(world, returnUrl)
  const [signedIn] =
    when === 'before'
      ? (await runInLockOrder(world, anonymous.user.id, [visitReturnUrl, signInAsKnown])).toReversed()
      : await runInLockOrder(world, anonymous.user.id, [signInAsKnown, visitReturnUrl])
  expect(parseSession(signedIn!).user.id).toBe(known.id)
  await world.stripe.sendHeldWebhooks()
  await world.stripe.drainWebhooks()

  expect(await userState(world, known.id)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  // The 100 of the price. The top-up of 10, from before the purchase, stays with the anonymous member.
  expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 7, standard: 100 })
  const owners = await world.database.query('select user_id from purchases where user_id = any ($1)', [
    [known.id, anonymous.user.id],
  ])
  expect(owners.rows).toEqual([{ user_id: known.id }])
  const [knownEvents, anonymousEvents] = [
    await ownerEvents(world, known.id),
    await ownerEvents(world, anonymous.user.id),
  ]
  expect([...findSequenceErrors(knownEvents), ...findSequenceErrors(anonymousEvents)]).toEqual([])
  const created = [...knownEvents, ...anonymousEvents].filter(({ type }) => type === 'subscription.created')
  expect(created.map(({ data }) => data.user.id)).toEqual([when === 'before' ? anonymous.user.id : known.id])
})

test.each(['before', 'after'])('tokens credited or debited just %s the merge count', async (when) => {
  const { anonymous, known, signInAsKnown } = await createUsers()
  const change = (op: string, amount: number) => () =>
    changeBalance(world, { user_id: anonymous.user.id, op, amount, type: 'premium' })
  const changes = [change('credit', 5), change('debit', 2), change('credit', 1)]
  const calls = when === 'before' ? [...changes, signInAsKnown] : [signInAsKnown, ...changes]
  const replies = await runInLockOrder(world, anonymous.user.id, calls)
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 11 })
  expect(await verifiedBalances(world, anonymous.user.id)).toMatchObject({ premium: 0 })
})

const startYearly = (anonymous: { token: string }) => () => {
  const body = { priceId: getPriceId(world.paywall, 'yearly'), userMeta: { source: 'ad' } }
  return startCheckout(world, { paywall: world.paywall, token: anonymous.token, body })
}

async function readCheckouts(users: { id: string }[]) {
  const { rows } = await world.database.query(
    'select user_id, count(*)::int from checkouts where user_id = any ($1) group by 1',
    [users.map(({ id }) => id)],
  )
  return rows
}

test('a checkout opened just before the merge belongs to the known user', async () => {
  const { anonymous, known, signInAsKnown } = await createUsers()
  const [opened] = await runInLockOrder(world, anonymous.user.id, [startYearly(anonymous), signInAsKnown])
  expect(opened).toMatchObject({ status: 200 })
  expect(await readCheckouts([anonymous.user, known])).toEqual([{ user_id: known.id, count: 2 }])
  expect(await call(world, userPath, { token: known.token })).toMatchObject({ body: { meta: { source: 'ad' } } })
})

test('a checkout opened just after the merge is refused', async () => {
  const { anonymous, known, signInAsKnown } = await createUsers()
  const [, refused] = await runInLockOrder(world, anonymous.user.id, [signInAsKnown, startYearly(anonymous)])
  expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  expect(await readCheckouts([anonymous.user, known])).toEqual([{ user_id: known.id, count: 1 }])
})

test.each<[string, (token: string) => Promise<Reply>]>([
  ['read of the user', (token) => call(world, userPath, { token })],
  ['bootstrap', (token) => call(world, `/api/v1/paywall/${world.paywall.id}/bootstrap`, { token })],
  ['support ticket', (token) => call(world, ticketPath(world.paywall.id), { token, body: MESSAGE })],
])('a %s just after the merge is refused, since it ends the anonymous token', async (_name, send) => {
  const { anonymous, signInAsKnown } = await createUsers()
  await world.clock.advance(world.paywall.id, '1d')
  const [, refused] = await runInLockOrder(world, anonymous.user.id, [signInAsKnown, () => send(anonymous.token)])
  expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
})

test('a page that the processor opens only after the merge is superseded by the known user’s next checkout', async () => {
  const { anonymous, known, signInAsKnown } = await createUsers()
  const merged = Promise.withResolvers<void>()
  const arrival = Promise.withResolvers<void>()
  world.stripe.onCall = async (_, run) => {
    arrival.resolve()
    await merged.promise
    return run()
  }
  const opening = startYearly(anonymous)()
  await arrival.promise
  world.stripe.onCall = undefined
  await signInAsKnown()
  merged.resolve()
  const page = parseOpened(await opening).checkoutUrl

  await startYearly(known)()
  await until('the earlier page is closed', async () =>
    world.stripe.checkoutSessions.some(({ id, status }) => page.endsWith(`/${id}`) && status === 'expired'),
  )
})

test('a refresh of the anonymous session just before or after the merge returns a session that has ended', async () => {
  for (let round = 0; round < 5; round++) {
    const { anonymous, signInAsKnown } = await createUsers()
    const [refreshed] = await Promise.all([refresh(world, anonymous.refreshToken), signInAsKnown()])
    const token = refreshed.status === 200 ? parseSession(refreshed).refreshToken : anonymous.refreshToken
    expect(await refresh(world, token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  }
})

test('an anonymous user who signs in twice at once is merged into one of the two', async () => {
  for (let round = 0; round < 4; round++) {
    const anonymous = await signInAnonymously(world)
    await credit(world, anonymous.user.id, 7)
    const known = round % 2 === 0 ? (await signIn(world)).email : newEmail()
    const emails = [known, newEmail()]
    const grants = await Promise.all(emails.map((email) => getGrant(world, email)))
    const replies = await Promise.all(grants.map((grant) => requestTokens(world, grant, { token: anonymous.token })))
    const users = replies.map((reply) => parseSession(reply).user)
    expect(users.map(({ email }) => email)).toEqual(emails)
    const balances = await Promise.all(users.map(({ id }) => verifiedBalances(world, id)))
    expect(balances.map(({ premium = 0 }) => premium).toSorted()).toEqual([0, 7])
  }
})

test('merges concurrent with webhooks, renewals, credits and reads lose nothing and do not deadlock', async () => {
  for (let round = 0; round < 4; round++) {
    const { anonymous, known, signInAsKnown } = await createUsers()
    const subscriptionId = await pay(world, anonymous.checkoutUrl)
    const user = (token: string) => call(world, userPath, { token })
    const [signedIn, ...others] = await Promise.all([
      signInAsKnown(),
      user(known.token),
      ...Array.from({ length: 6 }, (_, index) =>
        changeBalance(world, { user_id: index % 2 ? known.id : anonymous.user.id, amount: 1, type: 'premium' }),
      ),
      world.stripe.renew(subscriptionId).then(() => ({ status: 200 })),
    ])
    expect(parseSession(signedIn).user.id).toBe(known.id)
    expect(others.filter(({ status }) => status !== 200)).toEqual([])
    await world.stripe.drainWebhooks()
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 13 })
    expect(await verifiedBalances(world, anonymous.user.id)).toEqual({ premium: 0, standard: 0 })
    const { purchases } = await userState(world, known.id)
    expect(purchases).toHaveLength(1)
    expect(getSubscription(world, anonymous.checkoutUrl)).toBe(subscriptionId)
    expect(findSequenceErrors(await ownerEvents(world, known.id))).toEqual([])
    expect(world.logs.filter(({ message }) => message.includes('unexpected failure'))).toEqual([])
  }
})
