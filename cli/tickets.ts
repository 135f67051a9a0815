import { stat } from 'node:fs/promises'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { downloadAttachment } from './attachments.ts'
import { CommandError, type CommandResult, pathArgument, required } from './command.ts'
import { type Database, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { withoutControls } from './without-controls.ts'

/** More would scroll off the screen. */
const MAX_TICKETS = 50

/** `paywall tickets list` */
export async function listTickets({ paywall }: { paywall?: string | undefined }): Promise<CommandResult> {
  enterLocalWorld()
  const tickets = await withDatabase(required('DATABASE_URL'), (db) => readTickets(db, paywall ?? null))
  const total = Number(tickets[0]?.total ?? 0)
  const json = { total, tickets: tickets.map(({ total: _total, ...ticket }) => ticket) }
  if (total === 0) return { text: 'No tickets.', json }
  const head = total > tickets.length ? [`The newest ${tickets.length} of ${total} tickets:`] : []
  return { text: [...head, ...tickets.map(toText)].join('\n\n'), json }
}

type Ticket = Awaited<ReturnType<typeof readTickets>>[number]

/** Reads the newest tickets of one paywall or of all, in ascending order. `total` counts all of them. */
async function readTickets(db: Database, paywallId: string | null) {
  const newest = await db
    .selectFrom('tickets')
    .select(['id', 'paywall_id', 'status', 'customer_email', 'user_id', 'subject', 'content', 'created_at'])
    .select(({ fn, selectFrom }) => [
      fn.countAll().over().as('total'),
      jsonArrayFrom(
        selectFrom('ticket_attachments')
          .select(['object_key', 'file_name', 'media_type', 'size'])
          .whereRef('ticket_id', '=', 'tickets.id')
          .orderBy('object_key'),
      ).as('attachments'),
    ])
    .$if(paywallId !== null, (query) => query.where('paywall_id', '=', paywallId))
    .orderBy('id', 'desc')
    .limit(MAX_TICKETS)
    .execute()
  return newest.reverse()
}

function toText(ticket: Ticket): string {
  const from = ticket.customer_email ?? 'anonymous'
  const who = ticket.user_id === null ? `${from} (guest)` : `${from} (user ${ticket.user_id})`
  return [
    `#${ticket.id}  ${ticket.status}  ${ticket.created_at.toISOString()}  paywall ${ticket.paywall_id}  ${who}`,
    ticket.subject,
    ...ticket.content.split(/\r?\n/).map((line) => `  ${line}`),
    ...ticket.attachments.map(
      (file) => `  [${file.file_name}, ${file.media_type}, ${file.size} bytes] ${file.object_key}`,
    ),
  ]
    .map(withoutControls)
    .join('\n')
}

/** `paywall tickets attachment` */
export async function saveAttachment(key: string, file: string): Promise<CommandResult> {
  enterLocalWorld()
  const path = pathArgument(file)
  const attachment = await withDatabase(required('DATABASE_URL'), (db) =>
    db.selectFrom('ticket_attachments').select('size').where('object_key', '=', key).executeTakeFirst(),
  )
  if (!attachment) throw new CommandError([`no ticket has an attachment ${key}`])
  await downloadAttachment(key, path)
  const { size } = await stat(path)
  if (size !== attachment.size)
    throw new CommandError([`${path} has ${size} bytes, but the attachment has ${attachment.size}`])
  return { text: `Wrote ${size} bytes to ${path}`, json: { key, path, size } }
}
