// What happens to the repeat of a call that succeeded, but whose response was lost, so that the caller got 503. This matches
// docs/operations.md, and `ifResponseLost` and `ifOutcomeUnknown` in the contracts.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { operations } from '../../dev/tools/openapi/operations.ts'
import { changePlan, pricesAtStripe } from '../change-plan/changing.ts'
import { refundedAtStripe } from '../refund-purchase/refunding.ts'
import type { Reply } from '../support/call.ts'
import { newEmail, parseOpened, startCheckout } from '../support/checkout.ts'
import { interruptOnce } from '../support/interrupt.ts'
import { endPurchase, refundPurchase } from '../support/purchase-calls.ts'
import { getGrant, parseSession, refresh, requestCode, requestTokens, signInAnonymously } from '../support/sign-in.ts'
import { alreadyCancelled, cancelAsUser, getUpdates, parseCancelled, subscribe } from '../support/subscriber.ts'
import { useTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld({ rateLimited: true })
const ours = useTenant(world)

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

/** Makes a call whose database function runs, but whose result is lost. Returns the `Retry-After` of its response. */
async function loseResponse(databaseFunction: string, ask: () => Promise<Reply>): Promise<string | undefined> {
  const [reply] = await Promise.all([ask(), interruptOnce(world, { statement: `.${databaseFunction}(` }, 'after')])
  expect(reply).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
  return reply.headers['retry-after']
}

const CASES = {
  async 'issueTokens by refresh token gets the next tokens within 30 seconds, and ends the session later'() {
    const { refreshToken, user } = await signInAnonymously(world)
    expect(await loseResponse('refresh_session', () => refresh(world, refreshToken))).toBe('2')
    const next = parseSession(await refresh(world, refreshToken))
    expect(next.user).toEqual(user)

    expect(await loseResponse('refresh_session', () => refresh(world, next.refreshToken))).toBe('2')
    await world.database.query(
      "update sign_in_sessions set replaced_at = replaced_at - interval '31 seconds' where user_id = $1",
      [user.id],
    )
    expect(await refresh(world, next.refreshToken)).toMatchObject(invalidGrant)
  },

  async 'issueTokens by code is rejected, and the next code works'() {
    const grant = await getGrant(world, newEmail())
    expect(await loseResponse('sign_in_by_code', () => requestTokens(world, grant))).toBeUndefined()
    expect(await requestTokens(world, grant)).toMatchObject(invalidGrant)
    parseSession(await requestTokens(world, await getGrant(world, grant.email)))
  },

  async 'issueTokens for an anonymous user creates a second user'() {
    const count = async () => (await world.database.query('select from users where email is null')).rowCount ?? 0
    const before = await count()
    expect(await loseResponse('sign_in_anonymously', () => requestTokens(world, { grant_type: 'anonymous' }))).toBe('2')
    await signInAnonymously(world)
    expect(await count()).toBe(before + 2)
  },

  async 'sendSignInCode mails a code, unlike the first call, which still counts against the limit'() {
    const email = newEmail()
    const before = await getGrant(world, email)
    expect(await loseResponse('create_challenge', () => requestCode(world, email))).toBe('2')
    for (const _call of [3, 4, 5]) await getGrant(world, email)
    expect(world.mail.received.filter(({ to }) => to === email)).toHaveLength(4)
    expect(await requestCode(world, email)).toMatchObject({ status: 429 })
    parseSession(await requestTokens(world, before))
  },

  async 'cancelSubscription is rejected as already cancelled for 30 seconds without a call to the processor, and then cancels'() {
    const subscriber = await subscribe(world, ours)
    expect(await loseResponse('claim_cancellation', () => cancelAsUser(world, subscriber))).toBe('30')
    expect(await cancelAsUser(world, subscriber)).toMatchObject(alreadyCancelled)
    expect(getUpdates(world, subscriber)).toEqual([])
    await world.database.query(
      "update purchases set cancel_requested_at = cancel_requested_at - interval '30 seconds' where id = $1",
      [subscriber.purchaseId],
    )
    parseCancelled(await cancelAsUser(world, subscriber))
    expect(getUpdates(world, subscriber)).toHaveLength(1)
  },

  async 'startCheckout without a key opens a second page'() {
    const order = { paywall: world.paywall, key: world.key, body: { email: newEmail() } }
    const before = world.stripe.checkoutSessions.length
    expect(await loseResponse('record_checkout', () => startCheckout(world, order))).toBe('2')
    parseOpened(await startCheckout(world, order))
    expect(world.stripe.checkoutSessions).toHaveLength(before + 2)
  },

  async 'endPurchase is refused, since the purchase has ended'() {
    const subscriber = await subscribe(world, ours)
    const end = () => endPurchase(world, subscriber)
    expect(await loseResponse('request_purchase_end', end)).toBe('2')
    expect(await end()).toMatchObject({ status: 409, body: { error: 'purchase_ended', status: 'canceled' } })
  },

  async 'refundPurchase is in progress until the lease ends, and then refunds once'() {
    const subscriber = await subscribe(world, ours)
    const options = { headers: { 'idempotency-key': randomUUID() }, body: { amount: 300 } }
    const refund = () => refundPurchase(world, subscriber, options)
    expect(await loseResponse('claim_refund', refund)).toBe('2')
    expect(await refund()).toMatchObject({ status: 409, body: { error: 'refund_in_progress' } })
    await world.database.query('update refunds set leased_until = now() where purchase_id = $1', [
      subscriber.purchaseId,
    ])
    expect(await refund()).toMatchObject({ status: 200 })
    expect(refundedAtStripe(world, subscriber)).toEqual([300])
  },

  async 'changePlan is in progress until the lease ends, and then changes the plan once'() {
    const subscriber = await subscribe(world, ours)
    const options = { slug: 'yearly', body: { when: 'now' }, headers: { 'idempotency-key': randomUUID() } }
    const change = () => changePlan(world, subscriber, options)
    expect(await loseResponse('claim_plan_change', change)).toBe('2')
    expect(await change()).toMatchObject({ status: 409, body: { error: 'plan_change_in_progress' } })
    await world.database.query('update plan_changes set leased_until = now() where purchase_id = $1', [
      subscriber.purchaseId,
    ])
    expect(await change()).toMatchObject({ status: 200 })
    expect(pricesAtStripe(world, subscriber)).toEqual(['price_yearly'])
    expect(getUpdates(world, subscriber)).toHaveLength(1)
  },
}

describe('a repeat of', () => {
  test.each(Object.entries(CASES))('%s', (_name, run) => run())
})

test('has a case for each operation whose contract describes it', () => {
  const documented = operations.filter(({ ifResponseLost }) => ifResponseLost !== undefined).map(({ id }) => id)
  const ids = new Set(Object.keys(CASES).map((name) => name.split(' ')[0]))
  expect([...ids].toSorted()).toEqual(documented.toSorted())
})
