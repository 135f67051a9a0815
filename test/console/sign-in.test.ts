import { expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import {
  fieldIn,
  mailsTo,
  readConsoleCode,
  requestConsoleCode,
  signInToConsole,
  visitConsole,
} from '../support/console.ts'
import { paywallFile } from '../support/paywall-file.ts'
import { getGrant } from '../support/sign-in.ts'
import { useTestWorld } from '../support/world.ts'

const support = { email: 'support@acme.example', role: 'support' }
const world = useTestWorld({ file: { team: [support] } })

const wrongCode = (code: string) => String((Number(code.replace(' ', '')) + 1) % 100_000_000).padStart(8, '0')

test('the owner and a member of the team sign in with a mailed code', async () => {
  for (const email of [world.file.owner.email, support.email]) {
    const visitor = await signInToConsole(world, email)
    const users = await visitor.get('/test/users')
    expect([users.status, users.text]).toEqual([200, expect.stringContaining('There are no users yet.')])
  }
})

test('the session is in a cookie that no script reads and no other site sends, for 12 hours', async () => {
  const visitor = visitConsole(world)
  const email = world.file.owner.email
  const { challenge, code } = await requestConsoleCode(world, visitor, email)
  const signedIn = await visitor.post('/sign-in', { email, challenge, code, to: '/test/events' })
  expect(signedIn).toMatchObject({ status: 303, location: '/test/events' })
  expect(signedIn.headers.get('set-cookie')).toMatch(
    /^console_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  const { rows } = await world.database.query('select token_hash from console_sessions')
  expect(JSON.stringify(rows)).not.toContain(visitor.cookie.slice('console_session='.length))
})

test('whoever is in no team is told the same, gets no mail, and cannot sign in', async () => {
  const stranger = newEmail()
  const visitor = visitConsole(world)
  const asked = await visitor.post('/sign-in', { email: stranger, to: '/' })
  expect(asked.text).toContain(`If ${stranger} is in a team, a code is on its way.`)
  const known = await visitConsole(world).post('/sign-in', { email: support.email, to: '/' })
  expect(asked.text.replaceAll(stranger, support.email)).toBe(known.text)
  const guess = { email: stranger, challenge: fieldIn(asked, 'challenge'), code: '1234 5678', to: '/' }
  expect(await visitor.post('/sign-in', guess)).toMatchObject({ status: 400 })
  expect([visitor.cookie, mailsTo(world, stranger)]).toEqual(['', 0])
})

test('a code works once, only with its challenge, and not after five wrong guesses', async () => {
  const email = world.file.owner.email
  const visitor = visitConsole(world)
  const once = await requestConsoleCode(world, visitor, email)
  const other = await requestConsoleCode(world, visitor, email)
  const guess = (challenge: string, code: string) =>
    visitConsole(world).post('/sign-in', { email, challenge, code, to: '/' })
  expect((await guess(other.challenge, once.code)).text).toContain('This code is incorrect or has expired.')
  expect((await guess(once.challenge, once.code)).status).toBe(303)
  expect((await guess(once.challenge, once.code)).status).toBe(400)

  const wrong = await Promise.all(Array.from({ length: 5 }, () => guess(other.challenge, wrongCode(other.code))))
  expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
  expect((await guess(other.challenge, other.code)).status).toBe(400)
})

test('a code of a paywall is none of the console, and the reverse', async () => {
  const email = world.file.owner.email
  const grant = await getGrant(world, email)
  expect((await visitConsole(world).post('/sign-in', { ...grant, to: '/' })).status).toBe(400)
  const { challenge, code } = await requestConsoleCode(world, visitConsole(world), email)
  const reply = await world.fetch(`/api/v1/paywall/${world.paywall.id}/sign-in/token`, {
    method: 'POST',
    body: JSON.stringify({ grant_type: 'code', email, challenge, code }),
  })
  expect([reply.status, await reply.json()]).toMatchObject([400, { error: 'invalid_grant' }])
})

test('signing out, leaving the team and 12 hours end a session', async () => {
  const member = { email: newEmail(), role: 'viewer' as const }
  const file = await paywallFile({ team: [member] })
  await world.apply(file)
  const leaving = await signInToConsole(world, member.email)
  expect((await leaving.get('/test/users')).status).toBe(200)
  await world.apply({ ...file, team: [] })
  expect(await leaving.get('/test/users')).toMatchObject({ status: 303, location: '/sign-in?to=%2Ftest%2Fusers' })

  const owner = await signInToConsole(world, file.owner.email)
  const kept = owner.cookie
  expect(await owner.post('/sign-out', {})).toMatchObject({ status: 303, location: '/sign-in' })
  expect(owner.cookie).toBe('console_session=')
  owner.cookie = kept
  expect((await owner.get('/test/users')).status).toBe(303)

  const late = await signInToConsole(world, file.owner.email)
  const { rows } = await world.database.query<{ hours: number }>(
    'select round(extract(epoch from expires_at - created_at) / 3600)::int as hours from console_sessions where email = $1',
    [file.owner.email],
  )
  expect(rows).toEqual([{ hours: 12 }])
  await world.database.query('update console_sessions set expires_at = now() where email = $1', [file.owner.email])
  expect((await late.get('/test/users')).status).toBe(303)
})

test('forms of other sites, and paths at other origins, are refused', async () => {
  const visitor = await signInToConsole(world, world.file.owner.email)
  for (const site of ['cross-site', 'same-site', 'none']) {
    const forged = await visitor.post('/sign-out', {}, { 'sec-fetch-site': site })
    expect([forged.status, forged.text]).toEqual([403, expect.stringContaining('sent from another site')])
  }
  expect((await visitor.get('/test/users')).status).toBe(200)
  for (const origin of [world.url, world.docsUrl]) {
    const elsewhere = await world.fetch(`${origin}/test/users`, { headers: { cookie: visitor.cookie } })
    expect(elsewhere.status).toBe(404)
  }
  for (const path of ['/docs', `/p/${world.paywall.id}`, '/api/v1/events'])
    expect((await visitor.get(path)).status).toBe(404)
})

test.for(['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)', ''])(
  'after signing in, nobody is sent to %j',
  async (to) => {
    const visitor = visitConsole(world)
    const { challenge, code } = await requestConsoleCode(world, visitor, support.email)
    const signedIn = await visitor.post('/sign-in', { email: support.email, challenge, code, to })
    expect(signedIn).toMatchObject({ status: 303, location: '/' })
  },
)

test('somebody in the teams of two owners switches between them, and to no other', async () => {
  const carl = { email: newEmail(), role: 'viewer' as const }
  const [one, two, foreign] = await Promise.all([
    paywallFile({ team: [carl] }),
    paywallFile({ team: [carl] }),
    paywallFile(),
  ])
  for (const file of [one, two, foreign]) await world.apply(file)
  const ids = new Map(
    (await world.database.query<{ id: string; email: string }>('select id, email from owners')).rows.map(
      ({ id, email }) => [email, id],
    ),
  )
  const visitor = await signInToConsole(world, carl.email)
  const shown = async () => /<summary>([^<]*)</.exec((await visitor.get('/test/users')).html)?.[1]
  expect(await shown()).toBe(one.owner.email)
  expect((await visitor.post('/owner', { owner: ids.get(two.owner.email)! })).status).toBe(303)
  expect(await shown()).toBe(two.owner.email)
  expect((await visitor.post('/owner', { owner: ids.get(foreign.owner.email)! })).status).toBe(403)
  expect(await shown()).toBe(two.owner.email)
})

test('a mail names the code, and neither the log nor the page has it', async () => {
  const visitor = visitConsole(world)
  const before = mailsTo(world, support.email)
  const asked = await visitor.post('/sign-in', { email: support.email, to: '/' })
  const code = await readConsoleCode(world, support.email, before + 1)
  const logged = world.logs.map(({ message }) => message).join('\n')
  for (const text of [asked.html, logged]) {
    expect(text).not.toContain(code)
    expect(text).not.toContain(code.replace(' ', ''))
  }
  expect(logged).not.toContain(support.email)
})
