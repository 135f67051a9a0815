// How long a session lasts, and what ends it.
import { beforeAll, describe, expect, test } from 'vitest'
import { anonymousBuyer, pay } from '../support/anonymous.ts'
import type { Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { parseSession, refresh, type Session, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

let otherPaywall: string

const world = useTestWorld()
beforeAll(async () => {
  const file = await paywallFile()
  await world.apply(file)
  otherPaywall = file.paywalls[0]!.id
})

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

/** Ages a user's sessions by this time. */
async function age({ user }: Session, time: string): Promise<void> {
  await world.database.query(
    `update sign_in_sessions set created_at = created_at - $2::interval, expires_at = expires_at - $2::interval,
       replaced_at = replaced_at - $2::interval, ended_at = ended_at - $2::interval
     where user_id = $1`,
    [user.id, time],
  )
}

/** Refreshes a session. */
const next = async (session: Session) => parseSession(await refresh(world, session.refreshToken))

describe('two tabs', () => {
  test.each([2, 2, 2, 10])('that refresh at once (%i calls) get the same next token, which works', async (calls) => {
    const anonymous = await anonymousBuyer(world)
    await pay(world, anonymous.checkoutUrl)
    const replies: Reply[] = await Promise.all(
      Array.from({ length: calls }, () => refresh(world, anonymous.refreshToken)),
    )
    const sessions = replies.map(parseSession)
    expect(new Set(sessions.map(({ refreshToken }) => refreshToken)).size).toBe(1)
    expect(new Set(sessions.map(({ user }) => user.id))).toEqual(new Set([anonymous.user.id]))
    const last = await next(sessions[0]!)
    expect(last.refreshToken).not.toBe(sessions[0]!.refreshToken)
    expect(await userState(world, last.user.id)).toMatchObject({ paid: true })
  })

  test('of which one refreshes 29 seconds after the other get the same next token', async () => {
    const first = await signInAnonymously(world)
    const second = await next(first)
    await age(first, '29 seconds')
    expect((await next(first)).refreshToken).toBe(second.refreshToken)
    expect((await next(second)).user.id).toBe(first.user.id)
  })
})

describe('a refresh token that was replaced', () => {
  test('over 30 seconds ago ends its session, and no other session of its user', async () => {
    const email = newEmail()
    const [first, other] = [await signInByMail(world, email), await signInByMail(world, email)]
    const second = await next(first)
    await age(first, '31 seconds')
    expect(await refresh(world, first.refreshToken)).toMatchObject(invalidGrant)
    expect(await refresh(world, second.refreshToken)).toMatchObject(invalidGrant)
    expect(await refresh(world, other.refreshToken)).toMatchObject({ status: 200 })
  })

  test('ends its session if its successor was replaced too, even within 30 seconds: it was copied', async () => {
    const first = await signInAnonymously(world)
    const third = await next(await next(first))
    expect(await refresh(world, first.refreshToken)).toMatchObject(invalidGrant)
    expect(await refresh(world, third.refreshToken)).toMatchObject(invalidGrant)
  })

  test('is refused on another paywall, and still works on its own afterwards', async () => {
    const first = await signInAnonymously(world)
    const second = await next(first)
    expect(await refresh(world, first.refreshToken, { paywallId: otherPaywall })).toMatchObject(invalidGrant)
    expect((await next(first)).refreshToken).toBe(second.refreshToken)
  })

  test('is refused once the session has ended', async () => {
    const first = await signInAnonymously(world)
    await next(first)
    await world.database.query('update sign_in_sessions set ended_at = now() where user_id = $1', [first.user.id])
    expect(await refresh(world, first.refreshToken)).toMatchObject(invalidGrant)
  })
})

test('no refresh token is stored, so the next one can be derived only with the secret', async () => {
  const first = await signInAnonymously(world)
  const second = await next(first)
  const { rows } = await world.database.query('select * from sign_in_sessions where user_id = $1', [first.user.id])
  expect(rows).toHaveLength(1)
  for (const { refreshToken } of [first, second]) expect(JSON.stringify(rows)).not.toContain(refreshToken.split('.')[1])
})

test('a session that is used daily ends after 90 days', async () => {
  const first = await signInAnonymously(world)
  let session = first
  for (let day = 20; day <= 80; day += 20) {
    await age(first, '20 days')
    session = await next(session)
  }
  await age(first, '9 days 23 hours')
  session = await next(session)
  const { rows } = await world.database.query(
    'select expires_at - created_at as lasts from sign_in_sessions where user_id = $1',
    [first.user.id],
  )
  expect(rows).toEqual([{ lasts: expect.objectContaining({ days: 90 }) }])
  await age(first, '1 hour')
  expect(await refresh(world, session.refreshToken)).toMatchObject(invalidGrant)
})
