import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { type Forge, forgeFor, readSessionId } from '../support/forge.ts'
import { leaksIn } from '../support/leaks.ts'
import { callOperation, onPaywall, shown, takesUserToken } from '../support/operation-call.ts'
import { readAudience } from '../support/owner-id.ts'
import { endSession, type Session, signInByMail } from '../support/sign-in.ts'
import { startTenants, type Tenants } from '../support/tenants.ts'

let all: Tenants
let forge: Forge
let audience: string
let ended: Session
let foreignAudience: string

beforeAll(async () => {
  all = await startTenants()
  audience = await readAudience(all.world)
  foreignAudience = await readAudience(all.world, all.foreign.paywall.id)
  forge = forgeFor(all.world, all.payer, audience)
  ended = await signInByMail(all.world, all.payer.email)
  await endSession(all.world, ended.refreshToken)
})

afterAll(() => all.close())

const ENTRIES = Object.keys(OPERATIONS).filter(takesUserToken)

/** Sends a request to all operations that accept a user's token at once. */
const requestAll = (authorization: string) =>
  Promise.all(
    ENTRIES.map(async (name) => {
      const reply = await callOperation(all.world, name, onPaywall(all.ours.paywall), { headers: { authorization } })
      return [name, shown(reply)] as const
    }),
  )

/** What each of these operations answers, by its name. */
const expectReplies = async (authorization: string, expected: (operation: Operation) => string) =>
  expect(Object.fromEntries(await requestAll(authorization))).toEqual(
    Object.fromEntries(ENTRIES.map((name) => [name, expected(OPERATIONS[name]!)])),
  )

const now = Math.floor(Date.now() / 1000)
const getPart = (token: string, index: number) => token.split('.')[index] ?? ''
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A valid token with one of its three parts replaced. */
function withPart(index: number, replace: (old: string) => string): string {
  return forge
    .token()
    .split('.')
    .with(index, replace(getPart(forge.token(), index)))
    .join('.')
}

const UNKNOWN = 'unknown user'
const ENDED = 'a session that has ended'
const NOT_OF_USER = "another user's session"
const FOREIGN = "another owner's user and aud"
const NOT_OURS = "another owner's user"

/** Kinds of tokens that only the database can refuse. */
const REFUSED_BY_DATABASE = [UNKNOWN, NOT_OURS, ENDED, NOT_OF_USER]

/** What is wrong with the token, and the whole Authorization header. */
const FORGED: [kind: string, authorization: () => string | Promise<string>][] = [
  ['alg none', () => `Bearer ${forge.unsigned('none')}`],
  ['alg None', () => `Bearer ${forge.unsigned('None')}`],
  ['alg EdDSA without a signature', () => `Bearer ${forge.unsigned('EdDSA')}`],
  ['alg HS256 keyed with the public JWK', () => `Bearer ${forge.confused('jwk')}`],
  ['alg HS256 keyed with the public key', () => `Bearer ${forge.confused('x')}`],
  ['alg HS256 keyed with nothing', () => `Bearer ${forge.confused('empty')}`],
  ['alg of another curve', () => `Bearer ${forge.token({ alg: 'ES256' })}`],
  ['no alg', () => `Bearer ${forge.token({ alg: undefined })}`],
  ['alg that is a list', () => `Bearer ${forge.token({ alg: ['EdDSA'] })}`],
  ['another key', () => `Bearer ${forge.token({}, {}, forge.stranger.privateKey)}`],
  ['another key and no kid', () => `Bearer ${forge.token({ kid: undefined }, {}, forge.stranger.privateKey)}`],
  ['another kid', () => `Bearer ${forge.token({ kid: 'another' })}`],
  ['kid that is a path', () => `Bearer ${forge.token({ kid: '../../dev/null' }, {}, forge.stranger.privateKey)}`],
  ['embedded jwk', () => `Bearer ${forge.token({ jwk: forge.stranger.publicJwk }, {}, forge.stranger.privateKey)}`],
  [
    'embedded jwk without a kid of ours',
    () => `Bearer ${forge.token({ jwk: forge.stranger.publicJwk, kid: undefined }, {}, forge.stranger.privateKey)}`,
  ],
  ['jku', () => `Bearer ${forge.token({ jku: `${all.world.receiver.url}/keys` }, {}, forge.stranger.privateKey)}`],
  ['x5u', () => `Bearer ${forge.token({ x5u: `${all.world.receiver.url}/keys` }, {}, forge.stranger.privateKey)}`],
  ['x5c', () => `Bearer ${forge.token({ x5c: ['MIIB'] }, {}, forge.stranger.privateKey)}`],
  ['a critical header we do not know', () => `Bearer ${forge.token({ crit: ['exp2'], exp2: 1 })}`],
  ['unencoded payload', () => `Bearer ${forge.token({ crit: ['b64'], b64: false })}`],
  ['typ JWT', () => `Bearer ${forge.token({ typ: 'JWT' })}`],
  ['no typ', () => `Bearer ${forge.token({ typ: undefined })}`],
  ['typ of a refresh token', () => `Bearer ${forge.token({ typ: 'rt+jwt' })}`],
  ['tampered payload', () => `Bearer ${withPart(1, () => getPart(forge.token({}, { sub: all.member.id }), 1))}`],
  ['tampered header', () => `Bearer ${withPart(0, () => getPart(forge.token({ extra: 1 }), 0))}`],
  [
    'tampered signature',
    () => `Bearer ${withPart(2, (signature) => `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`)}`,
  ],
  ['signature of another token', () => `Bearer ${withPart(2, () => getPart(forge.token({}, { jti: 'x' }), 2))}`],
  ['truncated', () => `Bearer ${forge.token().slice(0, -4)}`],
  ['two parts', () => `Bearer ${forge.token().split('.').slice(0, 2).join('.')}`],
  ['four parts', () => `Bearer ${forge.token()}.AAAA`],
  ['expired', () => `Bearer ${forge.token({}, { iat: now - 7200, exp: now - 1 })}`],
  ['expired long ago', () => `Bearer ${forge.token({}, { exp: 1 })}`],
  ['exp that is text', () => `Bearer ${forge.token({}, { exp: String(now + 3600) })}`],
  ['not yet valid', () => `Bearer ${forge.token({}, { nbf: now + 3600 })}`],
  ['no exp', () => `Bearer ${forge.token({}, { exp: undefined })}`],
  ['no sub', () => `Bearer ${forge.token({}, { sub: undefined })}`],
  ['no sid', () => `Bearer ${forge.token({}, { sid: undefined })}`],
  ['sid that is no uuid', () => `Bearer ${forge.token({}, { sid: 'x' })}`],
  [ENDED, () => `Bearer ${ended.token}`],
  [NOT_OF_USER, () => `Bearer ${forge.token({}, { sid: readSessionId(all.member.token) })}`],
  ['no aud', () => `Bearer ${forge.token({}, { aud: undefined })}`],
  ['no iss', () => `Bearer ${forge.token({}, { iss: undefined })}`],
  ['no iat', () => `Bearer ${forge.token({}, { iat: undefined })}`],
  ['no email', () => `Bearer ${forge.token({}, { email: undefined })}`],
  ['no anonymous', () => `Bearer ${forge.token({}, { anonymous: undefined })}`],
  ['another iss', () => `Bearer ${forge.token({}, { iss: 'https://accounts.example' })}`],
  ["another owner's aud", () => `Bearer ${forge.token({}, { aud: foreignAudience })}`],
  ["another owner's paywall as aud", () => `Bearer ${forge.token({}, { aud: all.foreign.paywall.id })}`],
  ['the owner without a mode as aud', () => `Bearer ${forge.token({}, { aud: audience.split(':')[0] })}`],
  ['the other mode as aud', () => `Bearer ${forge.token({}, { aud: audience.replace(':test', ':live') })}`],
  ['no owner as aud', () => `Bearer ${forge.token({}, { aud: randomUUID() })}`],
  ['nothing as aud', () => `Bearer ${forge.token({}, { aud: '' })}`],
  [NOT_OURS, () => `Bearer ${forge.token({}, { sub: all.stranger.id })}`],
  [
    FOREIGN,
    () =>
      `Bearer ${forge.token({}, { sub: all.stranger.id, sid: readSessionId(all.stranger.token), aud: foreignAudience })}`,
  ],
  ['a list as aud', () => `Bearer ${forge.token({}, { aud: [audience] })}`],
  ['a list of several as aud', () => `Bearer ${forge.token({}, { aud: [foreignAudience, audience] })}`],
  ['a number as aud', () => `Bearer ${forge.token({}, { aud: Number(all.ours.paywall.id) })}`],
  ['sub that is no uuid', () => `Bearer ${forge.token({}, { sub: all.payer.email })}`],
  ['sub with SQL', () => `Bearer ${forge.token({}, { sub: `${all.payer.id}' or true --` })}`],
  [UNKNOWN, () => `Bearer ${forge.token({}, { sub: randomUUID() })}`],
  ['encrypted', async () => `Bearer ${await forge.encrypted()}`],
  ['an owner key', () => `Bearer ${all.ours.key}`],
  ['garbage', () => 'Bearer garbage'],
  ['dots', () => 'Bearer ..'],
  ['no JSON', () => 'Bearer YQ.YQ.YQ'],
  ['null for a payload', () => `Bearer ${withPart(1, () => encode(null))}`],
  ['empty', () => 'Bearer '],
  ['Bearer alone', () => 'Bearer'],
  ['no scheme', () => forge.token()],
  ['Basic', () => `Basic ${Buffer.from(`user:${forge.token()}`).toString('base64')}`],
  ['another scheme', () => `DPoP ${forge.token()}`],
  ['two tokens', () => `Bearer ${forge.token()} ${forge.token()}`],
  ['two headers', () => `Bearer ${forge.token()}, Bearer ${forge.token()}`],
  ['a quoted token', () => `Bearer "${forge.token()}"`],
  ['a tab for a space', () => `Bearer\t${forge.token()}`],
  ['padding', () => `Bearer ${forge.token()}==`],
  ['very long', () => `Bearer ${'A'.repeat(12_000)}.${'B'.repeat(1_000)}.C`],
  ['a very long payload', () => `Bearer ${forge.token({}, { email: 'x'.repeat(9_000) }, forge.stranger.privateKey)}`],
]

describe('every endpoint returns 401 invalid_token, and does not treat the caller as a guest:', () => {
  test.each(FORGED)('%s', async (kind, authorization) => {
    await expectReplies(await authorization(), ({ replies, unknownTokenUser = replies.badToken }) => {
      if (kind === FOREIGN) return replies.foreignToken
      return REFUSED_BY_DATABASE.includes(kind) ? unknownTokenUser : replies.badToken
    })
  })
})

describe('a valid token', () => {
  test.each([
    ['from the forge', () => `Bearer ${forge.token()}`],
    ['with the scheme in lower case', () => `bearer ${forge.token()}`],
    ['without a kid', () => `Bearer ${forge.token({ kid: undefined })}`],
    ['about to expire', () => `Bearer ${forge.token({}, { exp: now + 600 })}`],
  ])('%s is accepted by every endpoint, so each token above is rejected only for its defect', async (_name, value) => {
    await all.world.database.query('delete from ticket_quotas') // the limit is two tickets a day
    await expectReplies(value(), ({ replies }) => replies.user)
  })
})

test('no key was fetched from a URL, and no checkout page was opened, for a forged token', () => {
  expect(all.world.receiver.received.filter(({ path }) => path === '/keys')).toEqual([])
  // The four valid tokens above, and the payer's own purchase.
  expect(all.world.stripe.checkoutSessions).toHaveLength(5)
})

test('no token, key or address is in the logs', () => {
  expect(all.world.logs.length).toBeGreaterThan(FORGED.length)
  expect(leaksIn(all.world, [all.payer.token, all.ours.key])).toEqual([])
})
