import { describe, expect, test } from 'vitest'
import { anonymousBuyer, credit, openCheckout, pay } from '../support/anonymous.ts'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { getGrant, refresh, requestTokens, signInAnonymously, signInByMail, wrong } from '../support/sign-in.ts'
import { changeBalance, readLedger, withdraw } from '../support/token-calls.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const readState = (token: string) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }
const deadToken = { status: 401, body: { error: 'invalid_token' } }

describe('an anonymous user who signs in with a new address', () => {
  test('stays the same user, with its purchase, balances and meta', async () => {
    const anonymous = await anonymousBuyer(world, { theme: 'dark' })
    await pay(world, anonymous.checkoutUrl)
    await credit(world, anonymous.user.id, 7)
    const before = await userState(world, anonymous.user.id)
    expect(before).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })

    const email = newEmail()
    const known = await signInByMail(world, email, { token: anonymous.token })
    expect(known.user).toEqual({ ...anonymous.user, email })
    expect(await userState(world, known.user.id)).toEqual(before)
    expect(await readState(known.token)).toMatchObject({ body: { user: { email }, meta: { theme: 'dark' } } })
    expect(await verifiedBalances(world, known.user.id)).toEqual({ premium: 7, standard: 100 })
    expect((await signInByMail(world, email)).user).toEqual(known.user)
  })

  test('has one session from then on', async () => {
    const anonymous = await signInAnonymously(world)
    const known = await signInByMail(world, newEmail(), { token: anonymous.token })
    expect(await refresh(world, anonymous.refreshToken)).toMatchObject(invalidGrant)
    expect(await refresh(world, known.refreshToken)).toMatchObject({ status: 200 })
  })

  test('has that address in its events', async () => {
    const { user, token, checkoutUrl } = await anonymousBuyer(world)
    const email = newEmail()
    await signInByMail(world, email, { token })
    await pay(world, checkoutUrl)
    const events = await ownerEvents(world, user.id)
    expect(events.map(({ type }) => type)).toContain('subscription.created')
    expect(new Set(events.map(({ data }) => data.user.email))).toEqual(new Set([email]))
  })
})

describe('an anonymous user who signs in as a known user', () => {
  test('transfers its purchase, balances and meta, except meta fields that the known user has', async () => {
    const known = await signIn(world)
    await openCheckout(world, known.token, { theme: 'light', plan: 'old' })
    await credit(world, known.id, 5)
    await credit(world, known.id, 1, 'standard')
    const anonymous = await anonymousBuyer(world, { theme: 'dark', source: 'ad' })
    await pay(world, anonymous.checkoutUrl)
    await credit(world, anonymous.user.id, 7)
    const [bought] = (await userState(world, anonymous.user.id)).purchases

    const { user, token } = await signInByMail(world, known.email, { token: anonymous.token })
    expect(user).toMatchObject({ id: known.id, email: known.email })
    expect(await userState(world, known.id)).toMatchObject({ paid: true, purchases: [bought] })
    expect(await readState(token)).toMatchObject({ body: { meta: { theme: 'light', plan: 'old', source: 'ad' } } })

    // The known user was topped up to 10 when it was credited; the anonymous user had paid before.
    expect(await verifiedBalances(world, known.id)).toEqual({ premium: 12, standard: 111 })
    expect(await verifiedBalances(world, anonymous.user.id)).toEqual({ premium: 0, standard: 0 })
    expect((await readLedger(world, known.id)).filter(([, reason]) => reason === 'merge').toSorted()).toEqual([
      ['premium', 'merge', 7],
      ['standard', 'merge', 100],
    ])
  })

  test('transfers later renewals, with their events and tokens', async () => {
    const known = await signIn(world)
    const { checkoutUrl, token, user } = await anonymousBuyer(world)
    const subscriptionId = await pay(world, checkoutUrl)
    await world.stripe.drainWebhooks()
    await signInByMail(world, known.email, { token })
    const before = (await userState(world, known.id)).purchases[0]

    await world.stripe.renew(subscriptionId)
    await world.stripe.drainWebhooks()
    const after = (await userState(world, known.id)).purchases[0]
    expect(after).toMatchObject({ id: before?.id, status: 'active' })
    expect(Date.parse(after?.current_period_end ?? '')).toBeGreaterThan(Date.parse(before?.current_period_end ?? ''))
    expect(await verifiedBalances(world, known.id)).toMatchObject({ standard: 200 })
    const events = await ownerEvents(world, known.id)
    expect(events.map(({ type }) => type)).toEqual(['user.merged', 'subscription.renewed', 'payment.succeeded'])
    expect(events[1]?.data).toMatchObject({ sequence: 2, user: { id: known.id, email: known.email } })
    expect((await ownerEvents(world, user.id)).map(({ type }) => type)).not.toContain('subscription.renewed')
  })

  test('transfers a purchase that is paid only afterwards', async () => {
    const known = await signIn(world)
    const { checkoutUrl, token } = await anonymousBuyer(world)
    await signInByMail(world, known.email, { token })
    await pay(world, checkoutUrl)
    expect(await userState(world, known.id)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test('is merged into a known user who has never been on this paywall', async () => {
    const email = newEmail()
    await world.database.query(
      'insert into users (owner_id, is_test, email) select owner_id, is_test, $1 from paywalls',
      [email],
    )
    const { checkoutUrl, token } = await anonymousBuyer(world, { source: 'ad' })
    await pay(world, checkoutUrl)
    const known = await signInByMail(world, email, { token })
    expect(await readState(known.token)).toMatchObject({ body: { paid: true, meta: { source: 'ad' } } })
  })

  test('ceases to exist: its tokens are refused, and its id identifies the known user', async () => {
    const known = await signIn(world)
    const anonymous = await signInAnonymously(world)
    await signInByMail(world, known.email, { token: anonymous.token })
    expect(await readState(anonymous.token)).toMatchObject(deadToken)
    expect(await refresh(world, anonymous.refreshToken)).toMatchObject(invalidGrant)

    const id = anonymous.user.id
    await credit(world, id, 3)
    expect(await verifiedBalances(world, known.id)).toMatchObject({ premium: 3 })
    const readUser = (query: string) =>
      call(world, `/api/v1/paywall/${world.paywall.id}/user?${query}`, { key: world.key })
    expect(await readUser(`user_id=${id}&email=${known.email}`)).toMatchObject({ status: 200 })
    expect(await readUser(`user_id=${id}&email=${newEmail()}`)).toMatchObject({
      status: 404,
      body: { error: 'identity_not_found' },
    })
  })

  test('does not transfer its daily top-up, since anonymous users cost nothing to create', async () => {
    const known = await signIn(world)
    await readState(known.token)
    for (const credited of [0, 25]) {
      const anonymous = await signInAnonymously(world)
      await readState(anonymous.token)
      expect(await verifiedBalances(world, anonymous.user.id)).toEqual({ standard: 10 })
      if (credited > 0) await credit(world, anonymous.user.id, credited, 'standard')
      await signInByMail(world, known.email, { token: anonymous.token })
      expect(await verifiedBalances(world, known.id)).toEqual({ standard: 10 + credited })
    }
  })

  test('transfers its credits, even if its top-up was spent before', async () => {
    const known = await signIn(world)
    const anonymous = await signInAnonymously(world)
    await readState(anonymous.token)
    await changeBalance(world, { user_id: anonymous.user.id, op: 'debit', amount: 10 })
    await credit(world, anonymous.user.id, 9, 'standard')
    await signInByMail(world, known.email, { token: anonymous.token })
    expect(await verifiedBalances(world, known.id)).toEqual({ standard: 9 })
  })

  test('transfers token types that it has used up', async () => {
    const known = await signIn(world)
    const anonymous = await signInAnonymously(world)
    await credit(world, anonymous.user.id, 5)
    await changeBalance(world, { user_id: anonymous.user.id, op: 'debit', amount: 5, type: 'premium' })
    await signInByMail(world, known.email, { token: anonymous.token })
    expect(await withdraw(world, { user_id: known.id, token_type: 'premium' })).toMatchObject({
      status: 400,
      body: { error: 'Insufficient tokens', available: 0, requested: 1 },
    })
  })

  test('transfers nothing twice', async () => {
    const [first, second] = [await signIn(world), await signIn(world)]
    const anonymous = await signInAnonymously(world)
    await credit(world, anonymous.user.id, 7)
    await signInByMail(world, first.email, { token: anonymous.token })
    const { user } = await signInByMail(world, second.email, { token: anonymous.token })
    expect(user.id).toBe(second.id)
    expect(await verifiedBalances(world, first.id)).toMatchObject({ premium: 7 })
    expect(await verifiedBalances(world, second.id)).toEqual({})
    const { user: fresh } = await signInByMail(world, newEmail(), { token: anonymous.token })
    expect(fresh.id).not.toBe(anonymous.user.id)
  })
})

test('a known user who signs in with another address is not merged: both users keep what they have', async () => {
  const [one, other] = [await signInByMail(world, newEmail()), await signIn(world)]
  await credit(world, one.user.id, 7)
  const signedIn = await signInByMail(world, other.email, { token: one.token })
  expect(signedIn.user.id).toBe(other.id)
  expect(await readState(one.token)).toMatchObject({ status: 200, body: { user: { id: one.user.id } } })
  expect(await verifiedBalances(world, one.user.id)).toMatchObject({ premium: 7 })
})

test('a wrong code transfers nothing', async () => {
  const known = await signIn(world)
  const anonymous = await signInAnonymously(world)
  await credit(world, anonymous.user.id, 7)
  const grant = wrong(await getGrant(world, known.email))
  expect(await requestTokens(world, grant, { token: anonymous.token })).toMatchObject(invalidGrant)
  expect(await verifiedBalances(world, anonymous.user.id)).toMatchObject({ premium: 7 })
  expect(await refresh(world, anonymous.refreshToken)).toMatchObject({ status: 200 })
})
