import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Filler } from '../fill/insert.ts'
import { filledCheckout, filledEmail } from '../fill/users.ts'

/** A page of the console. Each request is about another user or event: `n` is its number, from 1. */
export interface ConsolePage {
  name: string
  path: (n: number) => string
}

/** What a browser at the console has. */
export interface Visitor {
  get(path: string): Promise<number>
}

/** The pages, of which lists are read from their beginning and from somewhere in the middle. */
export const consolePages = (sample: { users: string[]; events: string[]; tickets: number[] }): ConsolePage[] => {
  const pick = <Item>(items: Item[], n: number) => items[n % items.length]!
  const search = (text: string) => `/test/users?${new URLSearchParams({ search: text })}`
  return [
    { name: 'overview', path: () => '/test/overview' },
    { name: 'overview of a year', path: () => '/test/overview?days=365' },
    { name: 'overview of a year by country', path: () => '/test/overview?days=365&by=country' },
    { name: 'users', path: () => '/test/users' },
    { name: 'users, further on', path: (n) => `/test/users?before=${pick(sample.users, n)}` },
    { name: 'user', path: (n) => `/test/users/${pick(sample.users, n)}` },
    { name: 'search by address', path: (n) => search(filledEmail(n)) },
    { name: "search by the processor's id", path: (n) => search(`sub_filled_${n}`) },
    { name: 'search by checkout', path: (n) => search(filledCheckout(n).checkoutId) },
    { name: 'search without result', path: (n) => search(`nobody-${n}@bench.example`) },
    { name: 'events', path: () => '/test/events' },
    { name: 'events, further on', path: (n) => `/test/events?before=${pick(sample.events, n)}` },
    {
      name: 'events of a type',
      path: (n) => `/test/events?type=subscription.renewed&before=${pick(sample.events, n)}`,
    },
    { name: 'events of no type', path: (n) => `/test/events?type=nothing&before=${pick(sample.events, n)}` },
    { name: 'failed events', path: (n) => `/test/events?state=failed&before=${pick(sample.events, n)}` },
    { name: 'event', path: (n) => `/test/events/${pick(sample.events, n)}` },
    { name: 'webhooks', path: () => '/test/webhooks' },
    { name: 'tickets', path: () => '/test/tickets' },
    { name: 'tickets, further on', path: (n) => `/test/tickets?before=${pick(sample.tickets, n)}` },
    { name: 'ticket', path: (n) => `/test/tickets/${pick(sample.tickets, n)}` },
    { name: 'keys', path: () => '/keys' },
    { name: 'audit log', path: () => '/audit-log' },
  ]
}

/** Signs in the owner without a mail: writes the session. */
export async function signIn(filler: Filler, url: string, ownerEmail: string): Promise<Visitor> {
  const token = randomBytes(32).toString('base64url')
  await filler.run(
    `insert into console_sessions (owner_id, token_hash, email, expires_at, confirmed_until)
     select id, $1, email, now() + interval '12 hours', now() from owners where email = $2`,
    [createHash('sha256').update(token).digest('hex'), ownerEmail],
  )
  const { hostname, port } = new URL(url)
  // No system has to resolve *.localhost, so the host is only in the header.
  const headers = { host: `console.localhost:${port}`, cookie: `console_session=${token}`, accept: 'text/html' }
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        request({ hostname, port, path, headers }, (response) => {
          response.resume()
          response.once('end', () => resolve(response.statusCode ?? 0))
          response.once('error', reject)
        })
          .once('error', reject)
          .end()
      }),
  }
}
