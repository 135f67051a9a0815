// `paywall events`: an owner's events, as its console shows them, and sends them again.
import { sql } from 'kysely'
import * as z from 'zod'
import { deliveryStates, type EventDetails, type EventList, type ListedEvent } from '../lib/events/listed-event.ts'
import { EVENT_TYPES } from '../lib/events/types.ts'
import { CommandError, type CommandResult, required } from './command.ts'
import { type Database, inRelease, withDatabase } from './database.ts'
import { didYouMean } from './did-you-mean.ts'
import { enterLocalWorld } from './local-world.ts'
import { type Cell, formatTable, stateCell } from './table.ts'
import { findUser, findUsers, type Users, type UsersOptions, usersName } from './users/named-user.ts'
import { withoutControls } from './without-controls.ts'

const MAX_LISTED = 500

interface ListOptions extends UsersOptions {
  type?: string | undefined
  paywall?: string | undefined
  user?: string | undefined
  state?: string | undefined
  limit: string
  before?: string | undefined
}

/** `paywall events list` */
export async function listEvents({
  type,
  paywall,
  user,
  state,
  before,
  ...options
}: ListOptions): Promise<CommandResult> {
  const limit = readLimit(options.limit)
  checkType(type)
  enterLocalWorld()
  const list = await withDatabase(required('DATABASE_URL'), async (db) => {
    const users = await findUsers(db, usersName(options))
    const userId = user === undefined ? null : await findUserId(db, users, user)
    return inRelease<EventList>(
      db,
      sql`find_events(${users.ownerId}::uuid, ${users.isTest}, ${type ?? null}, ${paywall ?? null}, ${userId}::uuid, ${state ?? null},
        ${before ?? null}, ${limit}::integer)`,
    )
  })
  return { text: listText(list), json: { ...list } }
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LISTED) return limit
  throw new CommandError([`--limit must be a whole number from 1 to ${MAX_LISTED}`])
}

function checkType(type: string | undefined): void {
  if (type === undefined || EVENT_TYPES.some((known) => known === type)) return
  throw new CommandError([`there is no event type ${type}${didYouMean(type, EVENT_TYPES)}`])
}

async function findUserId(db: Database, users: Users, named: string): Promise<string> {
  const { id, mergedInto } = await findUser(db, users, named)
  return mergedInto ?? id
}

function listText({ events, next }: EventList): string {
  const more = next === null ? [] : [`Older events: add --before ${next}`]
  if (events.length > 0) return [formatTable(events.map(toRow)), ...more].join('\n')
  return next === null ? 'No events match.' : ['None of the latest events match.', ...more].join('\n')
}

const toRow = ({ id, type, paywall_id, created_at, user, deliveries }: ListedEvent): Cell[] => [
  created_at,
  id,
  type,
  `paywall ${paywall_id}`,
  userName(user),
  statesCell(deliveries),
]

const userName = (user: ListedEvent['user']): string =>
  user === null ? 'no user' : (user.email ?? user.external_id ?? user.id)

function statesCell(deliveries: ListedEvent['deliveries']): Cell {
  const states = deliveryStates(deliveries)
  const text = states.map((each) => each.text).join(', ') || 'no endpoint'
  return stateCell(text, states.length === 1 ? states[0]!.state : null)
}

/** `paywall events show` */
export async function showEvent(id: string): Promise<CommandResult> {
  enterLocalWorld()
  const event = await withDatabase(required('DATABASE_URL'), async (db) => {
    const { ownerId, isTest } = await findEvent(db, id)
    return inRelease<EventDetails>(db, sql`event_details_json(${ownerId}::uuid, ${isTest}, ${id})`)
  })
  return { text: detailsText(event), json: { ...event, body: JSON.parse(event.body) } }
}

async function findEvent(db: Database, id: string): Promise<Users> {
  const event = await db.selectFrom('events').select(['owner_id', 'is_test']).where('id', '=', id).executeTakeFirst()
  if (!event) throw new CommandError([`there is no event ${id}: paywall events list shows their ids`])
  return { ownerId: event.owner_id, isTest: event.is_test }
}

function detailsText(event: EventDetails): string {
  const { id, type, created_at, paywall_id, user, deliveries, attempts, is_redacted, body } = event
  const sections = [
    `${id}  ${type}  ${created_at}  paywall ${paywall_id}  ${user ? `user ${user.id}` : 'no user'}`,
    deliveries.length === 0
      ? 'No webhook endpoint subscribes to this type.'
      : `Deliveries:\n${deliveriesText(deliveries)}`,
    ...(attempts.length > 0 ? [`Attempts, the latest first:\n${attemptsText(attempts)}`] : []),
    ...(is_redacted ? ['Personal data was removed, because the event is older than 30 days.'] : []),
    JSON.stringify(JSON.parse(body), null, 2).split('\n').map(withoutControls).join('\n'),
  ]
  return sections.join('\n\n')
}

const deliveriesText = (deliveries: EventDetails['deliveries']) =>
  formatTable(
    deliveries.map(({ url, state, attempts, last_status, last_error, next_attempt_at }) => [
      stateCell(state, state),
      url,
      `attempts: ${attempts}`,
      `last response: ${last_status ?? last_error ?? 'none'}`,
      next_attempt_at ? `next attempt: ${next_attempt_at}` : '',
    ]),
  )

const attemptsText = (attempts: EventDetails['attempts']) =>
  formatTable(
    attempts.map(({ url, at, milliseconds, status, error, response }) => [
      at,
      url,
      stateCell(`${status ?? error}`, error === null ? 'delivered' : 'failed'),
      `${milliseconds} ms`,
      response?.split('\n')[0]?.slice(0, MAX_RESPONSE) ?? '',
    ]),
  )

/** A longer beginning of a response would not fit a line. --json has all of it. */
const MAX_RESPONSE = 100

interface ReplayOptions {
  endpoint?: string | undefined
  since?: string | undefined
  until?: string | undefined
  failed?: true | undefined
  owner?: string | undefined
  test?: true | undefined
  live?: true | undefined
}

type ReplayResult =
  | { verdict: 'unknown_event' }
  | { verdict: 'unknown_endpoint' }
  | { verdict: 'done'; replayed: number; next_since: string | null }

/** `paywall events replay` */
export async function replayEvents(id: string | undefined, options: ReplayOptions): Promise<CommandResult> {
  checkReplay(id, options)
  enterLocalWorld()
  const replayed = await withDatabase(required('DATABASE_URL'), async (db) => {
    if (id !== undefined) return replay(db, await findEvent(db, id), { id, ...options })
    const users = await findUsers(db, usersName({ ...options, owner: options.owner ?? '' }))
    return replay(db, users, { id: null, ...options })
  })
  const deliveries = replayed === 1 ? '1 delivery is' : `${replayed} deliveries are`
  const text = replayed === 0 ? 'Nothing to send again.' : `${deliveries} pending again, and sent within a minute.`
  return { text, json: { replayed } }
}

function checkReplay(id: string | undefined, { since, until, failed, owner }: ReplayOptions): void {
  if ((id === undefined) === (since === undefined)) {
    throw new CommandError(['name either an event, or events of a time with --since TIME'])
  }
  if (id !== undefined && (until !== undefined || failed || owner !== undefined)) {
    throw new CommandError(['--until, --failed and --owner need --since instead of an event'])
  }
  if (id === undefined && owner === undefined) throw new CommandError(['add --owner EMAIL'])
  for (const time of [since, until]) {
    if (time === undefined || z.iso.datetime({ offset: true }).safeParse(time).success) continue
    throw new CommandError([`${time} is no time with its zone: write it like 2026-11-03T14:05:00Z`])
  }
}

/** Replays one event, or a thousand of a time after another. Returns how many deliveries are sent again. */
async function replay(
  db: Database,
  { ownerId, isTest }: Users,
  { id, endpoint, since, until, failed }: ReplayOptions & { id: string | null },
): Promise<number> {
  let replayed = 0
  let from = since ?? null
  do {
    const result: ReplayResult = await inRelease(
      db,
      sql`requeue_events(${ownerId}::uuid, ${isTest}, ${id}, ${endpoint ?? null}, ${from}, ${until ?? null}, ${failed === true})`,
    )
    // An event was found before, and events are never deleted.
    if (result.verdict !== 'done') {
      throw new CommandError([`the owner has no webhook endpoint ${endpoint}: paywall webhooks list shows their ids`])
    }
    replayed += result.replayed
    from = result.next_since
  } while (from !== null)
  return replayed
}
