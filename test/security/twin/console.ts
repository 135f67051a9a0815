import { randomUUID } from 'node:crypto'
import {
  fieldIn,
  mailsTo,
  readConsoleCode,
  requestConsoleCode,
  signInToConsole,
  visitConsole,
} from '../../support/console.ts'
import type { Owner } from './owner.ts'
import { ANN } from './people.ts'

/** An owner reads each page of its console, and does each act, of which those that others need go back to what was before. */
export async function useConsole({ world, id, isTest, email, sessions, shops }: Owner): Promise<void> {
  const mode = isTest ? 'test' : 'live'
  const user = sessions[ANN]!.user.id
  const first = async (query: string) => {
    const { rows } = await world.database.query<{ id: string }>(query, [id, isTest])
    return rows[0]!.id
  }
  const event = await first('select id from events where owner_id = $1 and is_test = $2 order by created_at limit 1')
  const endpoint = await first('select id from webhook_endpoints where owner_id = $1 and is_test = $2 limit 1')
  const ticket = await first(
    'select t.id from tickets t join paywalls p on p.id = t.paywall_id where p.owner_id = $1 and p.is_test = $2 limit 1',
  )
  const image = await first(
    `select a.object_key as id from ticket_attachments a join tickets t on t.id = a.ticket_id join paywalls p on p.id = t.paywall_id
     where p.owner_id = $1 and p.is_test = $2 limit 1`,
  )

  const visitor = await signInToConsole(world, email)
  const pages = [
    'overview',
    'overview?by=country&format=csv',
    'users',
    `users?search=${encodeURIComponent(ANN)}`,
    `users/${user}`,
    'events',
    `events/${event}`,
    'webhooks',
    'tickets',
    `tickets/${ticket}`,
  ]
  for (const path of ['/', ...pages.map((page) => `/${mode}/${page}`), '/keys', '/audit-log']) await visitor.get(path)
  await visitor.get(`/${mode}/tickets/${ticket}/images/${image}`)

  const reason = 'A test'
  await visitor.post(`/${mode}/events/replay`, { event, reason })
  await visitor.post(`/${mode}/webhooks`, { endpoint, enabled: 'no', reason })
  await visitor.post(`/${mode}/webhooks`, { endpoint, enabled: 'yes', reason })
  await visitor.post(`/${mode}/webhooks/test`, { endpoint })
  await visitor.post(`/${mode}/webhooks/rotate`, { endpoint, url: 'https://elsewhere.example', reason })
  await visitor.post(`/${mode}/users/${user}`, { act: 'sign_out_user', reason })
  await visitor.post(`/${mode}/users/${user}`, { act: 'give_access', reason })
  await visitor.post(`/${mode}/users/${user}`, { act: 'merge_users', into: user, reason })
  const tokens = { op: 'give', amount: '1', type: 'standard', key: randomUUID(), paywall: shops.stripe.paywall.id }
  await visitor.post(`/${mode}/users/${user}`, { act: 'change_tokens', ...tokens, reason })
  await visitor.post(`/${mode}/tickets/${ticket}`, { act: 'reply', content: 'We look into it.', key: randomUUID() })
  await visitor.post(`/${mode}/tickets/${ticket}`, { act: 'close' })
  await visitor.post('/keys', { key: 'none', reason })
  await visitor.post('/owner', { owner: id })

  await world.database.query('update console_sessions set confirmed_until = now() where email = $1', [email])
  const before = mailsTo(world, email)
  const asked = await visitor.post('/keys', { key: 'none', reason })
  const code = await readConsoleCode(world, email, before + 1)
  await visitor.post('/keys', { key: 'none', reason, email, challenge: fieldIn(asked, 'challenge'), code })

  const leaving = visitConsole(world)
  const again = await requestConsoleCode(world, leaving, email)
  await leaving.post('/sign-in', { email, ...again, to: '/' })
  await leaving.post('/sign-out', {})
}
