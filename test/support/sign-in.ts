import * as z from 'zod'
import { type Call, call, type Reply } from './call.ts'
import type { TestWorld } from './world.ts'

const Tokens = z.strictObject({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(3600),
  refresh_token: z.string().min(60),
  user: z.strictObject({
    id: z.uuid(),
    email: z.string().nullable(),
    external_id: z.string().nullable(),
    name: z.string().nullable(),
    created_at: z.iso.datetime(),
  }),
})

/** A session: its user and tokens. */
export interface Session {
  token: string
  refreshToken: string
  user: z.output<typeof Tokens>['user']
}

/** A call's options, and its paywall. Default: the world's own paywall. */
export type At = Call & { paywallId?: string }

const path = (world: TestWorld, route: string, paywallId = world.paywall.id) =>
  `/api/v1/paywall/${paywallId}/sign-in/${route}`

/** Requests a code. */
export function requestCode(world: TestWorld, email: string, { paywallId, ...options }: At = {}): Promise<Reply> {
  return call(world, path(world, 'code', paywallId), { body: { email }, ...options })
}

/** Requests tokens for a grant. */
export function requestTokens(world: TestWorld, grant: object, { paywallId, ...options }: At = {}): Promise<Reply> {
  return call(world, path(world, 'token', paywallId), { body: grant, ...options })
}

/** Reads the code in the `count`th mail to an address. */
export async function readMailedCode(world: TestWorld, email: string, count = 1): Promise<string> {
  const { text } = await world.mail.waitFor(email, { count })
  return /\b\d{4} \d{4}\b/.exec(text)?.[0].replace(' ', '') ?? `no code in ${text}`
}

/** A mailed code with its challenge, as `sign-in/token` takes them. */
export interface CodeGrant {
  grant_type: 'code'
  email: string
  code: string
  challenge: string
}

const CodeSent = z.strictObject({ sent: z.literal(true), challenge: z.string().regex(/^[\w-]{43}$/) })

/** The challenge in a reply of sign-in/code. Throws the whole reply if it is anything else. */
export function parseChallenge(reply: Reply): string {
  if (reply.status !== 200) throw new Error(`no code: ${JSON.stringify(reply)}`)
  return CodeSent.parse(reply.body).challenge
}

/** Requests a code and reads it from the mail. */
export async function getGrant(world: TestWorld, email: string, at: At = {}): Promise<CodeGrant> {
  const before = world.mail.received.filter(({ to }) => to === email).length
  const challenge = parseChallenge(await requestCode(world, email, at))
  return { grant_type: 'code', email, code: await readMailedCode(world, email, before + 1), challenge }
}

/** The same grant with a wrong code. */
export function wrong(grant: CodeGrant, by = 1): CodeGrant {
  return { ...grant, code: String((Number(grant.code) + by) % 100_000_000).padStart(8, '0') }
}

/** The session in a reply. Throws the whole reply if it is anything else. */
export function parseSession(reply: Reply): Session {
  if (reply.status !== 200) throw new Error(`not signed in: ${JSON.stringify(reply)}`)
  const { access_token: token, refresh_token: refreshToken, user } = Tokens.parse(reply.body)
  return { token, refreshToken, user }
}

/** Signs in by mail. With the `token` of an anonymous user, that user signs in. */
export async function signInByMail(world: TestWorld, email: string, at: At = {}): Promise<Session> {
  return parseSession(await requestTokens(world, await getGrant(world, email, at), at))
}

export async function signInAnonymously(world: TestWorld, at: At = {}): Promise<Session> {
  return parseSession(await requestTokens(world, { grant_type: 'anonymous' }, at))
}

/** Signs out. */
export function endSession(world: TestWorld, refreshToken: string, { paywallId, ...options }: At = {}): Promise<Reply> {
  return call(world, path(world, 'end', paywallId), { body: { refresh_token: refreshToken }, ...options })
}

export function refresh(world: TestWorld, refreshToken: string, at: At = {}): Promise<Reply> {
  return requestTokens(world, { grant_type: 'refresh_token', refresh_token: refreshToken }, at)
}
