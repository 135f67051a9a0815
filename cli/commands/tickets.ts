import { Kysely, PostgresDialect } from 'kysely'
import { fetchAttachment } from '../attachment.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import type { Executor } from '../executor.ts'
import { Refusal } from '../refusal.ts'
import { findAttachment } from '../sql/find-attachment.sql.ts'
import { type ListedTicket, listTickets } from '../sql/list-tickets.sql.ts'
import { enterLocalWorld, required, typedPath } from '../surroundings.ts'

/** More would only scroll away. */
const TICKETS_SHOWN = 50

export const tickets: Command = {
  name: 'tickets',
  usage: 'tickets [attachment KEY FILE]',
  summary: 'show support tickets (--paywall ID: of one paywall), or write an image of one to a file',
  async run(args) {
    const [first, second, third, ...rest] = args
    if (first === 'attachment' && second && third && rest.length === 0) return save(second, typedPath(third))
    if (first === '--paywall' && second && third === undefined) return list(second)
    if (first === undefined) return list(null)
    throw new Refusal(['say tickets, tickets --paywall ID, or tickets attachment KEY FILE'])
  },
}

async function list(paywallId: string | null): Promise<void> {
  const { total, tickets } = await withTickets((db) => listTickets(db, paywallId, TICKETS_SHOWN))
  if (total === 0) return console.log('No tickets.')
  if (total > tickets.length) console.log(`The newest ${tickets.length} of ${total} tickets:\n`)
  console.log(tickets.map(told).join('\n\n'))
}

async function save(key: string, path: string): Promise<void> {
  const attachment = await withTickets((db) => findAttachment(db, key))
  if (!attachment) throw new Refusal([`no ticket has an attachment ${key}`])
  await fetchAttachment(key, path, attachment.size)
  console.log(`Wrote ${attachment.size} bytes to ${path}`)
}

function withTickets<Result>(work: (db: Executor) => Promise<Result>): Promise<Result> {
  enterLocalWorld()
  return withDatabase(required('DATABASE_URL'), (pool) => work(new Kysely({ dialect: new PostgresDialect({ pool }) })))
}

function told(ticket: ListedTicket): string {
  const from = ticket.customer_email ?? 'anonymous'
  const who = ticket.user_id === null ? `${from} (guest)` : `${from} (user ${ticket.user_id})`
  return [
    `#${ticket.id}  ${ticket.status}  ${ticket.created_at}  paywall ${ticket.paywall_id}  ${who}`,
    ticket.subject,
    ...ticket.content.split(/\r?\n/).map((line) => `  ${line}`),
    ...ticket.attachments.map(
      (file) => `  [${file.file_name}, ${file.media_type}, ${file.size} bytes] ${file.object_key}`,
    ),
  ]
    .map(harmless)
    .join('\n')
}

/** Tickets are written by strangers: a terminal must not obey them. */
const harmless = (line: string) => line.replace(/[[\p{Cc}--\t]\u202a-\u202e\u2066-\u2069]/gv, '\u{FFFD}')
