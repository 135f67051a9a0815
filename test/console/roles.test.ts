import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { newEmail } from '../support/checkout.ts'
import {
  type ConsolePage,
  type ConsoleVisitor,
  fieldIn,
  mailsTo,
  readConsoleCode,
  signInToConsole,
  visitConsole,
} from '../support/console.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { fileOfBothModes, paywallFile } from '../support/paywall-file.ts'
import { signInByMail } from '../support/sign-in.ts'
import { subscribe } from '../support/subscriber.ts'
import { sendForm, ticketForm, ticketId } from '../support/tickets.ts'
import { useTestWorld } from '../support/world.ts'

const ROLES = ['admin', 'support', 'viewer'] as const
type Role = (typeof ROLES)[number]

const team = ROLES.map((role) => ({ email: `${role}@acme.example`, role }))
const world = useTestWorld({ file: { team } })

/** What exists at the first owner, in test mode. */
interface Ids {
  user: string
  other: string
  purchase: string
  grant: string
  event: string
  endpoint: string
  url: string
  ticket: number
  key: string
}

let ids: Ids
let visitors: Record<Role, ConsoleVisitor>
let foreigner: ConsoleVisitor

beforeAll(async () => {
  const { user: other } = await signInByMail(world, newEmail())
  const { paywall, key } = world
  const user = await subscribe(world, { paywall, key, owner: 'one' } as never)
  const grant = { user_id: user.id, days: 9, reason }
  await call(world, `/api/v1/paywall/${paywall.id}/grants`, { key, body: grant })
  const sent = await sendForm(world, ticketForm({ subject: 'Help me', content: 'Please.', customer_email: newEmail() }))
  await untilAllDelivered(world)
  ids = {
    user: user.id,
    other: other.id,
    purchase: user.purchaseId,
    grant: await one('select id from grants limit 1'),
    ticket: ticketId(sent),
    event: await one('select id from events order by created_at limit 1'),
    endpoint: await one('update webhook_endpoints set is_secret_generated = true returning id'),
    url: await one('select url as id from webhook_endpoints'),
    key: await one('select id from api_keys limit 1'),
  }
  const [admin, support, viewer] = await Promise.all(team.map(({ email }) => signInToConsole(world, email)))
  visitors = { admin: admin!, support: support!, viewer: viewer! }
  const foreign = await paywallFile()
  await world.apply(foreign)
  foreigner = await signInToConsole(world, foreign.owner.email)
})

async function one(query: string): Promise<string> {
  const { rows } = await world.database.query<{ id: string }>(query)
  return rows[0]!.id
}

const reason = 'A test'

/** The pages, and who may read them. */
const PAGES: Record<string, { path: () => string; readers: readonly Role[] }> = {
  overview: { path: () => '/test/overview', readers: ['admin', 'viewer'] },
  'figures as CSV': { path: () => '/test/overview?format=csv', readers: ['admin', 'viewer'] },
  users: { path: () => '/test/users', readers: ROLES },
  user: { path: () => `/test/users/${ids.user}`, readers: ROLES },
  events: { path: () => '/test/events', readers: ROLES },
  event: { path: () => `/test/events/${ids.event}`, readers: ROLES },
  tickets: { path: () => '/test/tickets', readers: ROLES },
  ticket: { path: () => `/test/tickets/${ids.ticket}`, readers: ROLES },
  webhooks: { path: () => '/test/webhooks', readers: ['admin', 'viewer'] },
  keys: { path: () => '/keys', readers: ['admin', 'viewer'] },
  'audit log': { path: () => '/audit-log', readers: ['admin', 'viewer'] },
}

interface Act {
  path: () => string
  form: () => Record<string, string>
  actors: readonly Role[]
  /** Whether it is done only after a code. */
  needsCode?: true
  /** That of the response. Default: 303. */
  status?: number
}

/** An act of an admin on the user. */
const onUser = (act: string, form: () => Record<string, string>, options: Pick<Act, 'needsCode'> = {}): Act => ({
  path: () => `/test/users/${ids.user}`,
  form: () => ({ act, paywall: world.paywall.id, ...form(), reason }),
  actors: ['admin'],
  ...options,
})

/** The acts, and who may do them. Those that end something come last. */
const ACTS: Record<string, Act> = {
  'replay an event': {
    path: () => '/test/events/replay',
    form: () => ({ event: ids.event, reason }),
    actors: ['admin', 'support'],
  },
  'sign out a user': {
    path: () => `/test/users/${ids.user}`,
    form: () => ({ act: 'sign_out_user', reason }),
    actors: ['admin', 'support'],
  },
  'enable a webhook endpoint': {
    path: () => '/test/webhooks',
    form: () => ({ endpoint: ids.endpoint, enabled: 'yes', reason }),
    actors: ['admin'],
  },
  'reply to a ticket': {
    path: () => `/test/tickets/${ids.ticket}`,
    form: () => ({ act: 'reply', content: 'We look into it.', key: randomUUID() }),
    actors: ['admin', 'support'],
  },
  'close a ticket': {
    path: () => `/test/tickets/${ids.ticket}`,
    form: () => ({ act: 'close' }),
    actors: ['support'],
  },
  'send a test event': {
    path: () => '/test/webhooks/test',
    form: () => ({ endpoint: ids.endpoint }),
    actors: ['admin'],
  },
  'rotate the secret of a webhook endpoint': {
    path: () => '/test/webhooks/rotate',
    form: () => ({ endpoint: ids.endpoint, url: ids.url, reason }),
    actors: ['admin'],
    needsCode: true,
    status: 200,
  },
  'disable a webhook endpoint': {
    path: () => '/test/webhooks',
    form: () => ({ endpoint: ids.endpoint, enabled: 'no', reason }),
    actors: ['admin'],
    needsCode: true,
  },
  'give access': onUser('give_access', () => ({ days: '7', key: randomUUID() })),
  'take access back': onUser('end_access', () => ({ grant: ids.grant }), { needsCode: true }),
  'give tokens': onUser('change_tokens', () => ({ op: 'give', amount: '5', type: 'premium', key: randomUUID() }), {
    needsCode: true,
  }),
  refund: onUser('refund', () => ({ purchase: ids.purchase, amount: '1', currency: 'USD' }), { needsCode: true }),
  cancel: onUser('cancel_subscription', () => ({ purchase: ids.purchase }), { needsCode: true }),
  'end a purchase': onUser('end_purchase', () => ({ purchase: ids.purchase }), { needsCode: true }),
  'merge users': onUser('merge_users', () => ({ into: ids.other }), { needsCode: true }),
  'revoke a key': { path: () => '/keys', form: () => ({ key: ids.key, reason }), actors: ['admin'], needsCode: true },
}

/** Whether the visitor is sent to sign in. */
const isSignedOut = ({ location }: ConsolePage) => location?.startsWith('/sign-in') ?? false

const inLiveMode = (path: string) => path.replace('/test/', '/live/')

describe.for(Object.entries(PAGES))('the page %s', ([, { path, readers }]) => {
  test.for(ROLES)('is shown to roles that may read it: %s', async (role) => {
    const { status } = await visitors[role].get(path())
    expect(status).toBe(readers.includes(role) ? 200 : 403)
  })

  test('shows nothing of this owner to another one, in the other mode, or to anybody signed out', async () => {
    const own = await visitors.admin.get(path())
    const secrets = [ids.user, ids.event, ids.key, 'Help me', world.paywall.id, world.receiver.url]
    const shown = secrets.filter((secret) => own.html.includes(secret))
    const pages = [await foreigner.get(path())]
    if (path().startsWith('/test/')) pages.push(await visitors.admin.get(inLiveMode(path())))
    for (const { html } of pages) expect(shown.filter((secret) => html.includes(secret))).toEqual([])
    expect(isSignedOut(await visitConsole(world).get(path()))).toBe(true)
  })
})

describe.for(Object.entries(ACTS))('to %s', ([, { path, form, actors, needsCode, status = 303 }]) => {
  test('is refused to other roles, other owners, in the other mode and to anybody signed out: nothing changes', async () => {
    await untilAllDelivered(world)
    const before = await state()
    for (const role of ROLES.filter((each) => !actors.includes(each) && each !== 'admin')) {
      expect([role, (await visitors[role].post(path(), form())).status]).toEqual([role, 403])
    }
    await world.database.query("update console_sessions set confirmed_until = now() + interval '10 minutes'")
    expect((await foreigner.post(path(), form())).status).toBe(404)
    if (path().startsWith('/test/')) {
      expect((await visitors.admin.post(inLiveMode(path()), form())).status).toBe(404)
    }
    expect(isSignedOut(await visitConsole(world).post(path(), form()))).toBe(true)
    expect(await state()).toEqual(before)
  })

  test.for(actors)('is permitted to %s, and written down', async (role) => {
    await world.database.query('update console_sessions set confirmed_until = now()')
    const before = await state()
    const first = await visitors[role].post(path(), form())
    if (needsCode) expect(await state()).toEqual(before)
    const done = needsCode ? await confirm(role, path(), form(), first) : first
    expect(done).toMatchObject({ status })
    const { rows } = await world.database.query('select email, role, reason from audit_log order by id desc limit 1')
    expect(rows).toEqual([{ email: `${role}@acme.example`, role, reason: form().reason ?? null }])
    expect(await state()).not.toEqual(before)
  })
})

/** Sends the form again with the code that was mailed. */
async function confirm(role: Role, path: string, form: Record<string, string>, asked: ConsolePage) {
  const email = `${role}@acme.example`
  expect(asked.text).toContain('Confirm with a code')
  expect(asked.html).toContain(`name="reason" value="${reason}"`)
  const challenge = fieldIn(asked, 'challenge')
  const wrong = await visitors[role].post(path, { ...form, email, challenge, code: '0000 0000' })
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('incorrect or has expired')])
  const code = await readConsoleCode(world, email, mailsTo(world, email))
  return visitors[role].post(path, { ...form, email, challenge, code })
}

/** What the acts change. */
async function state() {
  const { rows } = await world.database.query(
    `select (select json_agg(d order by event_id) from (select event_id, state from deliveries) d) as deliveries,
      (select json_agg(w) from (select disabled_at, failures, secret from webhook_endpoints order by id) w) as endpoints,
      (select json_agg(k) from (select revoked_at from api_keys order by id) k) as keys,
      (select json_agg(t) from (select status from tickets order by id) t) as tickets,
      (select count(*) from sign_in_sessions where ended_at is not null) as ended,
      (select json_agg(g) from (select id, ended_at from grants order by id) g) as grants,
      (select json_agg(p) from (select status, cancel_requested_at, user_id from purchases order by id) p) as purchases,
      (select count(*) from refunds) as refunds, (select count(*) from ticket_replies where sent_at is not null) as replies, (select count(*) from ledger) as ledger,
      (select count(*) from audit_log) as acts`,
  )
  return rows
}

test('a code confirms acts for ten minutes', async () => {
  const email = 'admin@acme.example'
  const visitor = await signInToConsole(world, email)
  const form = { endpoint: ids.endpoint, enabled: 'no', reason }
  expect((await visitor.post('/test/webhooks', form)).status).toBe(303)
  const { rows } = await world.database.query(
    'select confirmed_until - created_at as lasts from console_sessions order by created_at desc limit 1',
  )
  expect(rows).toMatchObject([{ lasts: { minutes: 10 } }])
})

test.for([
  ['/test/users/nobody', 404],
  [`/test/users/${randomUUID()}`, 404],
  ['/test/events/evt_1', 404],
  ['/test/tickets/0', 404],
  ['/test/tickets/99999999999999999999', 404],
  ['/test/tickets/1/images/none', 404],
  ['/other/users', 404],
  ['/test/users?before=nonsense', 200],
  ['/test/events?type=nonsense&state=nonsense&before=nonsense', 200],
  ['/audit-log?before=-1', 200],
  ['/test/users?search=%00', 400],
  ['/test/events?before=%00', 400],
  ['/audit-log?before=%00', 400],
  ['/sign-in?to=%00', 400],
] as const)('%s is answered %i', async ([path, status]) => {
  expect((await visitors.admin.get(path)).status).toBe(status)
})

test.for([
  ['without a reason', { event: 'evt_1' }, 400],
  ['with a reason of 501 characters', { event: 'evt_1', reason: 'x'.repeat(501) }, 400],
  ['of an unknown event', { event: 'evt_1', reason }, 404],
  ['to an unknown endpoint', { event: 'evt_1', endpoint: 'nonsense', reason }, 404],
  ['since no time', { since: 'yesterday', reason }, 400],
  ['since a year of six digits', { since: '+275000-01-01T00:00', reason }, 400],
  ['with a NUL character', { event: 'evt_1', reason: 'a\0b' }, 400],
] as const)('a replay %s is refused', async ([, form, status]) => {
  expect((await visitors.admin.post('/test/events/replay', form)).status).toBe(status)
})

test('the first page is that of live paywalls, if there are any', async () => {
  expect(await visitors.admin.get('/')).toMatchObject({ status: 302, location: '/test/users' })
  const both = await fileOfBothModes()
  await world.apply(both)
  const owner = await signInToConsole(world, both.owner.email)
  expect(await owner.get('/')).toMatchObject({ status: 302, location: '/live/users' })
})
