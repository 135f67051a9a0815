import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { getGrant, parseSession, refresh, requestTokens, signInAnonymously, signInByMail } from '../support/sign-in.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let owner: string
/** Two paywalls of that owner, and one of another owner. */
let first: string
let second: string
let foreign: string

beforeAll(async () => {
  const [ours, theirs] = [await paywallFile({ paywalls: [{}, {}] }), await paywallFile()]
  await world.apply(ours)
  await world.apply(theirs)
  owner = ours.owner.email
  ;[first, second] = ours.paywalls.map(({ id }) => id) as [string, string]
  foreign = theirs.paywalls[0]!.id
})

/** The command as a person runs it, in a process of its own. */
function signOut(...args: string[]) {
  return new Promise<{ code: number | string | null; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: world.databaseUrl }
    execFile(process.execPath, ['cli/main.ts', 'users', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

/** Whether a session is active on a paywall. */
const isActive = async (paywallId: string, { refreshToken }: { refreshToken: string }) =>
  (await refresh(world, refreshToken, { paywallId })).status === 200

test('ends all sessions of a user on the paywalls of an owner, and nobody else’s', async () => {
  const email = newEmail()
  const on = (paywallId: string, address = email) => signInByMail(world, address, { paywallId })
  const mine = [
    [first, await on(first)] as const,
    [first, await on(first)] as const,
    [second, await on(second)] as const,
  ]
  const others = [[foreign, await on(foreign)] as const, [first, await on(first, newEmail())] as const]

  const shown = await signOut('sign-out', ` ${email.toUpperCase()}`, '--owner', owner)
  expect(shown).toEqual({ code: 0, out: expect.stringMatching(/^Ended 3 sessions of /), err: '' })
  for (const [paywallId, session] of mine) expect(await isActive(paywallId, session)).toBe(false)
  for (const [paywallId, session] of others) expect(await isActive(paywallId, session)).toBe(true)
  expect(await signOut('sign-out', email, '--owner', owner)).toMatchObject({
    code: 0,
    out: `Ended 0 sessions of ${email}.\n`,
  })
  expect(await isActive(first, await on(first))).toBe(true)
})

test('with --paywall ends the sessions on that paywall only', async () => {
  const email = newEmail()
  const [firstSession, secondSession] = [
    await signInByMail(world, email, { paywallId: first }),
    await signInByMail(world, email, { paywallId: second }),
  ]
  expect(await signOut('sign-out', firstSession.user.id, '--paywall', first)).toEqual({
    code: 0,
    out: `Ended 1 session of ${firstSession.user.id}.\n`,
    err: '',
  })
  expect(await isActive(first, firstSession)).toBe(false)
  expect(await isActive(second, secondSession)).toBe(true)
})

test('ends the sessions of an anonymous user, and by its id those of the user that it was merged into', async () => {
  const anonymous = await signInAnonymously(world, { paywallId: first })
  expect(await signOut('sign-out', anonymous.user.id, '--owner', owner)).toMatchObject({ code: 0 })
  expect(await isActive(first, anonymous)).toBe(false)

  const email = newEmail()
  await signInByMail(world, email, { paywallId: first })
  const merged = await signInAnonymously(world, { paywallId: first })
  const grant = await getGrant(world, email, { paywallId: first })
  const known = parseSession(await requestTokens(world, grant, { paywallId: first, token: merged.token }))
  expect(await signOut('sign-out', merged.user.id, '--owner', owner)).toMatchObject({ code: 0 })
  expect(await isActive(first, known)).toBe(false)
})

test.each<[string, () => string[], RegExp]>([
  ['an unknown user', () => ['sign-out', 'nobody@example.com', '--owner', owner], /the owner has no test user nobody@/],
  ['an unknown user id', () => ['sign-out', randomUUID(), '--paywall', first], /the owner has no test user /],
  ['an unknown owner', () => ['sign-out', 'a@b.co', '--owner', 'x@y.co'], /there is no owner x@y\.co/],
  ['an unknown paywall', () => ['sign-out', 'a@b.co', '--paywall', '99'], /there is no paywall 99/],
  ['no scope', () => ['sign-out', 'a@b.co'], /add either --owner EMAIL or --paywall ID/],
])('fails with one line for %s', async (_what, args, sentence) => {
  expect(await signOut(...args())).toEqual({ code: 1, out: '', err: expect.stringMatching(sentence) })
})
