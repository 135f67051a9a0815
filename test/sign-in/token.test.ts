import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_GUESSES } from '../../lib/auth/challenge.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import {
  getGrant,
  parseSession,
  refresh,
  requestTokens,
  type Session,
  signInAnonymously,
  signInByMail,
  wrong,
} from '../support/sign-in.ts'
import { countStatements } from '../support/statements.ts'
import { useTestWorld } from '../support/world.ts'

/** Other paywalls: one of the same owner, and another owner's. */
let sameOwnerPaywall: string
let otherOwnerPaywall: string

const world = useTestWorld({ file: { paywalls: [{}, {}] } })
beforeAll(async () => {
  sameOwnerPaywall = world.file.paywalls[1]!.id
  const file = await paywallFile()
  await world.apply(file)
  otherOwnerPaywall = file.paywalls[0]!.id
})

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

const readState = ({ token }: { token: string }) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })

/** A code that was never mailed. */
const UNKNOWN = { grant_type: 'code', email: 'a@b.co', code: '12345678', challenge: 'A'.repeat(43) }

test('a mailed code is refused on any other paywall, of the same owner too, and still works on its own afterwards', async () => {
  const grant = await getGrant(world, newEmail())
  for (const paywallId of Array(MAX_GUESSES).fill([sameOwnerPaywall, otherOwnerPaywall]).flat()) {
    expect(await requestTokens(world, grant, { paywallId })).toMatchObject(invalidGrant)
  }
  expect(parseSession(await requestTokens(world, grant)).user.email).toBe(grant.email)
})

describe('an invalid body', () => {
  const email = 'a@b.co'
  const post = (grant: unknown) => () =>
    call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/token`, { body: grant })
  testRows([
    ['no grant type', post({}), 400, 'unsupported_grant_type'],
    ['an unsupported grant type', post({ grant_type: 'password' }), 400, 'unsupported_grant_type'],
    ['a grant type that is not a string', post({ grant_type: ['code'] }), 400, 'unsupported_grant_type'],
    ['a list', post([]), 400, 'invalid_body'],
    ['malformed JSON', post('grant_type=anonymous'), 400, 'invalid_json'],
    ['no challenge', post({ grant_type: 'code', email, code: '12345678' }), 400, 'challenge_required'],
    [
      'a blank challenge',
      post({ grant_type: 'code', email, code: '12345678', challenge: '' }),
      400,
      'challenge_required',
    ],
    ['restore that is a string', post({ ...UNKNOWN, restore: 'yes' }), 400, 'Invalid restore'],
    ['no e-mail', post({ grant_type: 'code', code: '123456' }), 400, 'Email is required'],
    ['a malformed address', post({ grant_type: 'code', email: 'me', code: '123456' }), 400, 'Invalid email format'],
    ['no code', post({ grant_type: 'code', email }), 400, 'code_required'],
    ['a blank code', post({ grant_type: 'code', email, code: ' ' }), 400, 'code_required'],
    ['a code that is a number', post({ grant_type: 'code', email, code: 123456 }), 400, 'code_required'],
    ['a code of five digits', post({ grant_type: 'code', email, code: '12345' }), 400, 'invalid_code'],
    ['a code in digits of another script', post({ grant_type: 'code', email, code: '١٢٣٤٥٦' }), 400, 'invalid_code'],
    ['no refresh token', post({ grant_type: 'refresh_token' }), 400, 'refresh_token_required'],
    ['405', () => call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/token`), 405, 'method_not_allowed'],
    [
      '404 for an unknown paywall',
      () => requestTokens(world, { grant_type: 'anonymous' }, { paywallId: '99' }),
      404,
      'paywall_not_found',
    ],
    [
      '404 for a code on an unknown paywall',
      () => requestTokens(world, UNKNOWN, { paywallId: '99' }),
      404,
      'paywall_not_found',
    ],
    [
      '404 for a refresh token on an unknown paywall',
      () => refresh(world, `${randomUUID()}.${'a'.repeat(43)}`, { paywallId: '99' }),
      404,
      'paywall_not_found',
    ],
  ])
})

describe('a code', () => {
  test('signs in, links the user to the paywall, and finds the same user again', async () => {
    const email = newEmail()
    const first = await signInByMail(world, email)
    expect(await readState(first)).toMatchObject({
      status: 200,
      body: { user: { id: first.user.id, email }, paid: false },
    })
    const grant = await getGrant(world, email)
    const again = parseSession(await requestTokens(world, { ...grant, email: ` ${email.toUpperCase()}` }))
    expect(again.user).toEqual(first.user)
  })

  test('may be typed with blanks around it', async () => {
    const grant = await getGrant(world, newEmail())
    expect(await requestTokens(world, { ...grant, code: ` ${grant.code} ` })).toMatchObject({ status: 200 })
  })

  test('works once', async () => {
    const grant = await getGrant(world, newEmail())
    expect(await requestTokens(world, grant)).toMatchObject({ status: 200 })
    expect(await requestTokens(world, grant)).toMatchObject(invalidGrant)
  })

  test('works after four wrong guesses, and not after five', async () => {
    for (const tries of [4, 5]) {
      const grant = await getGrant(world, newEmail())
      for (let by = 1; by <= tries; by++)
        expect(await requestTokens(world, wrong(grant, by))).toMatchObject(invalidGrant)
      expect(await requestTokens(world, grant)).toMatchObject(tries === 4 ? { status: 200 } : invalidGrant)
    }
  })

  test('is valid for ten minutes', async () => {
    const [held, expired] = [await getGrant(world, newEmail()), await getGrant(world, newEmail())]
    const advance = (time: string, email: string) =>
      world.database.query('update sign_in_challenges set expires_at = expires_at - $1::interval where email = $2', [
        time,
        email,
      ])
    await advance('9 minutes', held.email)
    await advance('10 minutes', expired.email)
    expect(await requestTokens(world, held)).toMatchObject({ status: 200 })
    expect(await requestTokens(world, expired)).toMatchObject(invalidGrant)
  })

  test('stays valid when another one is requested, and each works with its own challenge', async () => {
    const email = newEmail()
    const [old, latest] = [await getGrant(world, email), await getGrant(world, email)]
    expect(await requestTokens(world, { ...old, challenge: latest.challenge })).toMatchObject(invalidGrant)
    expect(await requestTokens(world, old)).toMatchObject({ status: 200 })
    expect(await requestTokens(world, latest)).toMatchObject({ status: 200 })
  })

  test('works only for its own address and paywall', async () => {
    const [grant, other] = [await getGrant(world, newEmail()), await getGrant(world, newEmail())]
    expect(await requestTokens(world, { ...grant, email: other.email })).toMatchObject(invalidGrant)
    expect(await requestTokens(world, { ...other, code: grant.code })).toMatchObject(invalidGrant)
    expect(await requestTokens(world, grant, { paywallId: otherOwnerPaywall })).toMatchObject(invalidGrant)
    expect(await requestTokens(world, { ...grant, email: newEmail() })).toMatchObject(invalidGrant)
    expect(await requestTokens(world, grant)).toMatchObject({ status: 200 })
  })
})

test('an anonymous user has a token and no address, and cannot cancel', async () => {
  const { token, user } = await signInAnonymously(world)
  expect(user).toMatchObject({ email: null, name: null })
  expect(await readState({ token })).toMatchObject({ status: 200, body: { user: { id: user.id, email: null } } })
  const body = { subscriptionId: randomUUID(), cancellationReason: 'none' }
  const cancelled = await call(world, '/api/paywall/cancel-subscription', { token, body })
  expect(cancelled).toMatchObject({ status: 403, body: { error: 'Unauthorized' } })
  expect((await signInAnonymously(world)).user.id).not.toBe(user.id)
})

describe('a refresh token', () => {
  const origins: [string, () => Promise<Session>][] = [
    ['by mail', () => signInByMail(world, newEmail())],
    ['anonymously', () => signInAnonymously(world)],
    ['by the owner', () => exchange(newEmail())],
  ]
  test.each(origins)('of a user signed in %s gives the next tokens of the same user', async (_origin, start) => {
    let session = await start()
    for (let uses = 0; uses < 3; uses++) {
      const reply = await refresh(world, session.refreshToken)
      expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
      const next = parseSession(reply)
      expect(next.user).toEqual(session.user)
      expect(next.refreshToken).not.toBe(session.refreshToken)
      expect(await readState(next)).toMatchObject({ status: 200, body: { user: { id: session.user.id } } })
      session = next
    }
  })

  test('is valid for 30 days after it was issued', async () => {
    const session = parseSession(await refresh(world, (await signInAnonymously(world)).refreshToken))
    const set = (to: string) =>
      world.database.query(
        `update sign_in_sessions s set expires_at = ${to} from sign_in_sessions before
         where s.id = before.id and s.user_id = $1
         returning round(extract(epoch from before.expires_at - now()) / 86400)::int as days`,
        [session.user.id],
      )
    const { rows } = await set("now() + interval '1 minute'")
    expect(rows).toEqual([{ days: 30 }])
    const next = parseSession(await refresh(world, session.refreshToken))
    expect((await set('now()')).rows).toEqual([{ days: 30 }])
    expect(await refresh(world, next.refreshToken)).toMatchObject(invalidGrant)
  })

  test('is refused on another paywall, and still works on its own afterwards', async () => {
    const { refreshToken } = await signInAnonymously(world)
    expect(await refresh(world, refreshToken, { paywallId: otherOwnerPaywall })).toMatchObject(invalidGrant)
    expect(await refresh(world, refreshToken)).toMatchObject({ status: 200 })
  })

  test('that was never issued is refused: made up, truncated, or an access token', async () => {
    const { refreshToken, token } = await signInAnonymously(world)
    const madeUp = `${randomUUID()}.${'A'.repeat(43)}`
    for (const each of [madeUp, refreshToken.slice(0, -1), refreshToken.split('.')[1]!, token, '.', "x' or 1=1"]) {
      expect(await refresh(world, each), each).toMatchObject(invalidGrant)
    }
    expect(await refresh(world, refreshToken)).toMatchObject({ status: 200 })
  })
})

test('each grant makes one statement', async () => {
  const grant = await getGrant(world, newEmail())
  const { refreshToken, token } = await signInAnonymously(world)
  const calls: [name: string, send: () => Promise<Reply>][] = [
    ['anonymous', () => requestTokens(world, { grant_type: 'anonymous' })],
    ['a wrong code', () => requestTokens(world, wrong(grant))],
    ['the right code of an anonymous user', () => requestTokens(world, grant, { token })],
    ['a refresh token', () => refresh(world, refreshToken)],
  ]
  for (const [name, send] of calls) {
    expect(await countStatements(world, send), name).toBe(1)
  }
})

async function exchange(email: string): Promise<Session> {
  const path = `/api/v1/paywall/${world.paywall.id}/sign-in/exchange`
  return parseSession(await call(world, path, { key: world.key, body: { email } }))
}
