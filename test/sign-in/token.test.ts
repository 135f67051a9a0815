import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_GUESSES } from '../../functions/sign-in/challenge.ts'
import { call, type Reply } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { testRows } from '../support/rows.ts'
import {
  askForTokens,
  getGrant,
  refresh,
  type Session,
  sessionIn,
  signInAnonymously,
  signInByMail,
  wrong,
} from '../support/sign-in.ts'
import { readStatements } from '../support/statements.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
/** Other paywalls: one of the same owner, and another owner's. */
let beside: string
let elsewhere: string

beforeAll(async () => {
  world = await startTestWorld({ file: { paywalls: [{}, {}] } })
  beside = world.file.paywalls[1]!.id
  const file = await paywallFile()
  await world.apply(file)
  elsewhere = file.paywalls[0]!.id
})
afterAll(() => world.close())

const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

const readState = ({ token }: { token: string }) => call(world, `/api/v1/paywall/${world.paywall.id}/user`, { token })

/** What nobody was mailed. */
const UNKNOWN = { grant_type: 'code', email: 'a@b.co', code: '12345678', challenge: 'A'.repeat(43) }

test('a mailed code is of no use on another paywall of the owner or of anybody, and takes no harm from being tried there', async () => {
  const grant = await getGrant(world, newEmail())
  for (const paywallId of Array(MOST_GUESSES).fill([beside, elsewhere]).flat()) {
    expect(await askForTokens(world, grant, { paywallId })).toMatchObject(invalidGrant)
  }
  expect(sessionIn(await askForTokens(world, grant)).user.email).toBe(grant.email)
})

describe('a body that is none', () => {
  const email = 'a@b.co'
  const ask = (grant: unknown) => () =>
    call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/token`, { body: grant })
  testRows([
    ['no grant type', ask({}), 400, 'unsupported_grant_type'],
    ['a grant type of others', ask({ grant_type: 'password' }), 400, 'unsupported_grant_type'],
    ['a grant type that is no text', ask({ grant_type: ['code'] }), 400, 'unsupported_grant_type'],
    ['no object', ask([]), 400, 'invalid_body'],
    ['no JSON', ask('grant_type=anonymous'), 400, 'invalid_json'],
    ['no challenge', ask({ grant_type: 'code', email, code: '12345678' }), 400, 'challenge_required'],
    [
      'a blank challenge',
      ask({ grant_type: 'code', email, code: '12345678', challenge: '' }),
      400,
      'challenge_required',
    ],
    ['restore: a text', ask({ ...UNKNOWN, restore: 'yes' }), 400, 'Invalid restore'],
    ['no e-mail', ask({ grant_type: 'code', code: '123456' }), 400, 'Email is required'],
    ['no address', ask({ grant_type: 'code', email: 'me', code: '123456' }), 400, 'Invalid email format'],
    ['no code', ask({ grant_type: 'code', email }), 400, 'code_required'],
    ['a blank code', ask({ grant_type: 'code', email, code: ' ' }), 400, 'code_required'],
    ['a number', ask({ grant_type: 'code', email, code: 123456 }), 400, 'code_required'],
    ['five digits', ask({ grant_type: 'code', email, code: '12345' }), 400, 'invalid_code'],
    ['digits of another script', ask({ grant_type: 'code', email, code: '١٢٣٤٥٦' }), 400, 'invalid_code'],
    ['no refresh token', ask({ grant_type: 'refresh_token' }), 400, 'refresh_token_required'],
    ['405', () => call(world, `/api/v1/paywall/${world.paywall.id}/sign-in/token`), 405, 'method_not_allowed'],
    [
      '404 for an unknown paywall',
      () => askForTokens(world, { grant_type: 'anonymous' }, { paywallId: '99' }),
      404,
      'paywall_not_found',
    ],
    ['404 for its codes', () => askForTokens(world, UNKNOWN, { paywallId: '99' }), 404, 'paywall_not_found'],
    [
      '404 for its refresh tokens',
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
    const again = sessionIn(await askForTokens(world, { ...grant, email: ` ${email.toUpperCase()}` }))
    expect(again.user).toEqual(first.user)
  })

  test('may be typed with blanks around it', async () => {
    const grant = await getGrant(world, newEmail())
    expect(await askForTokens(world, { ...grant, code: ` ${grant.code} ` })).toMatchObject({ status: 200 })
  })

  test('works once', async () => {
    const grant = await getGrant(world, newEmail())
    expect(await askForTokens(world, grant)).toMatchObject({ status: 200 })
    expect(await askForTokens(world, grant)).toMatchObject(invalidGrant)
  })

  test('holds for four wrong tries, not for five', async () => {
    for (const tries of [4, 5]) {
      const grant = await getGrant(world, newEmail())
      for (let by = 1; by <= tries; by++)
        expect(await askForTokens(world, wrong(grant, by))).toMatchObject(invalidGrant)
      expect(await askForTokens(world, grant)).toMatchObject(tries === 4 ? { status: 200 } : invalidGrant)
    }
  })

  test('holds for ten minutes', async () => {
    const [held, expired] = [await getGrant(world, newEmail()), await getGrant(world, newEmail())]
    const letPass = (time: string, email: string) =>
      world.database.query('update sign_in_challenges set expires_at = expires_at - $1::interval where email = $2', [
        time,
        email,
      ])
    await letPass('9 minutes', held.email)
    await letPass('10 minutes', expired.email)
    expect(await askForTokens(world, held)).toMatchObject({ status: 200 })
    expect(await askForTokens(world, expired)).toMatchObject(invalidGrant)
  })

  test('stays good when another one is asked for, and each works by its own request', async () => {
    const email = newEmail()
    const [old, latest] = [await getGrant(world, email), await getGrant(world, email)]
    expect(await askForTokens(world, { ...old, challenge: latest.challenge })).toMatchObject(invalidGrant)
    expect(await askForTokens(world, old)).toMatchObject({ status: 200 })
    expect(await askForTokens(world, latest)).toMatchObject({ status: 200 })
  })

  test('is for its address and its paywall alone', async () => {
    const [grant, other] = [await getGrant(world, newEmail()), await getGrant(world, newEmail())]
    expect(await askForTokens(world, { ...grant, email: other.email })).toMatchObject(invalidGrant)
    expect(await askForTokens(world, { ...other, code: grant.code })).toMatchObject(invalidGrant)
    expect(await askForTokens(world, grant, { paywallId: elsewhere })).toMatchObject(invalidGrant)
    expect(await askForTokens(world, { ...grant, email: newEmail() })).toMatchObject(invalidGrant)
    expect(await askForTokens(world, grant)).toMatchObject({ status: 200 })
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
  const kinds: [string, () => Promise<Session>][] = [
    ['by mail', () => signInByMail(world, newEmail())],
    ['anonymously', () => signInAnonymously(world)],
    ['by the owner', () => exchange(newEmail())],
  ]
  test.each(kinds)('of a user signed in %s gives the next tokens of the same user', async (_kind, start) => {
    let session = await start()
    for (let uses = 0; uses < 3; uses++) {
      const reply = await refresh(world, session.refreshToken)
      expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
      const next = sessionIn(reply)
      expect(next.user).toEqual(session.user)
      expect(next.refreshToken).not.toBe(session.refreshToken)
      expect(await readState(next)).toMatchObject({ status: 200, body: { user: { id: session.user.id } } })
      session = next
    }
  })

  test('holds for 30 days from its own beginning', async () => {
    const session = sessionIn(await refresh(world, (await signInAnonymously(world)).refreshToken))
    const set = (to: string) =>
      world.database.query(
        `update sign_in_sessions s set expires_at = ${to} from sign_in_sessions before
         where s.id = before.id and s.user_id = $1
         returning round(extract(epoch from before.expires_at - now()) / 86400)::int as days`,
        [session.user.id],
      )
    const { rows } = await set("now() + interval '1 minute'")
    expect(rows).toEqual([{ days: 30 }])
    const next = sessionIn(await refresh(world, session.refreshToken))
    expect((await set('now()')).rows).toEqual([{ days: 30 }])
    expect(await refresh(world, next.refreshToken)).toMatchObject(invalidGrant)
  })

  test('is of no use on another paywall, and takes no harm from being tried there', async () => {
    const { refreshToken } = await signInAnonymously(world)
    expect(await refresh(world, refreshToken, { paywallId: elsewhere })).toMatchObject(invalidGrant)
    expect(await refresh(world, refreshToken)).toMatchObject({ status: 200 })
  })

  test('that nobody ever got is refused: made up, cut short, an access token', async () => {
    const { refreshToken, token } = await signInAnonymously(world)
    const madeUp = `${randomUUID()}.${'A'.repeat(43)}`
    for (const each of [madeUp, refreshToken.slice(0, -1), refreshToken.split('.')[1]!, token, '.', "x' or 1=1"]) {
      expect(await refresh(world, each), each).toMatchObject(invalidGrant)
    }
    expect(await refresh(world, refreshToken)).toMatchObject({ status: 200 })
  })
})

test('each grant asks the database once', async () => {
  const grant = await getGrant(world, newEmail())
  const { refreshToken, token } = await signInAnonymously(world)
  const asks: [name: string, ask: () => Promise<Reply>][] = [
    ['anonymous', () => askForTokens(world, { grant_type: 'anonymous' })],
    ['a wrong code', () => askForTokens(world, wrong(grant))],
    ['the right code of an anonymous user', () => askForTokens(world, grant, { token })],
    ['a refresh token', () => refresh(world, refreshToken)],
  ]
  for (const [name, ask] of asks) {
    expect(await readStatements(world, ask), name).toBe(1)
  }
})

async function exchange(email: string): Promise<Session> {
  const path = `/api/v1/paywall/${world.paywall.id}/sign-in/exchange`
  return sessionIn(await call(world, path, { key: world.key, body: { email } }))
}
