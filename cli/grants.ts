import { sql } from 'kysely'
import {
  type GrantRefusal,
  GrantWithReason,
  grantDays,
  grantEnd,
  grantEndReason,
  grantReason,
} from '../lib/grants/grant.ts'
import { choose, parseArguments } from './arguments.ts'
import { CommandError, type CommandResult, required } from './command.ts'
import { activateRelease, type Database, withDatabase } from './database.ts'
import { didYouMean } from './did-you-mean.ts'
import { enterLocalWorld } from './local-world.ts'
import { findUser, type NamedUser, refuseMerged, type Users } from './users/named-user.ts'
import { withoutControls } from './without-controls.ts'

const USAGE = [
  'usage: paywall grants give USER --paywall ID --days N --reason TEXT [--price SLUG]',
  'usage: paywall grants give USER --paywall ID --until TIME --reason TEXT [--price SLUG]',
  'usage: paywall grants list [USER] --paywall ID',
  'usage: paywall grants end GRANT --paywall ID [--reason TEXT]',
]

const EXAMPLES = [
  'paywall grants give bob@example.com --paywall 1001 --days 30 --price monthly --reason "Apology for the outage"',
  'paywall grants give bob@example.com --paywall 1001 --until 2027-01-31T23:00:00Z --reason "Beta tester"',
  'paywall grants list bob@example.com --paywall 1001',
  'paywall grants end 7d0f5a52-9b1e-4f43-8a38-1d2c6f0b9e75 --paywall 1001 --reason "Granted to the wrong user"',
]

/** More would scroll off the screen. */
const MAX_LISTED = 50

const OPTIONS = {
  paywall: { type: 'string' },
  days: { type: 'string' },
  until: { type: 'string' },
  price: { type: 'string' },
  reason: { type: 'string' },
} as const

interface Given {
  /** A user or a grant, as the verb expects; undefined if none is named. */
  named: string | undefined
  paywallId: string
  days?: string | undefined
  until?: string | undefined
  price?: string | undefined
  reason?: string | undefined
}

/** A paywall, and its owner's users of its mode. */
interface Place extends Users {
  paywallId: string
}

const VERBS = { give, list, end }

/** Which options each verb accepts besides `--paywall`. */
const ACCEPTED: Record<string, string[]> = { give: ['days', 'until', 'price', 'reason'], list: [], end: ['reason'] }

/** `paywall grants`: access without a payment. */
export async function runGrants(args: string[]): Promise<CommandResult> {
  const { values, positionals } = parseArguments({ args, options: OPTIONS, allowPositionals: true }, USAGE)
  const [verb = '', named, ...more] = positionals
  const run = choose(positionals[0], VERBS, USAGE)
  const { paywall: paywallId, ...options } = values
  const isAccepted = Object.keys(options).every((option) => ACCEPTED[verb]?.includes(option))
  if (!paywallId || more.length > 0 || !isAccepted) throw new CommandError(USAGE)
  return run({ named, paywallId, ...options })
}

export function helpOnGrants(): CommandResult {
  const usage = USAGE.map((line) => line.replace('usage: ', ''))
  const about = [
    'A grant gives a user access without a payment until its time is over. It is no purchase: it never prevents one, and',
    'credits no tokens.',
    '',
    ...usage.map((line) => `  ${line}`),
    '',
    "  USER          a user's id, e-mail address or external id; the user must have been on the paywall",
    '  --days N      for N days of 24 hours, 1 to 3650',
    '  --until TIME  until a time with its zone, such as 2027-01-31T23:00:00Z, at most 3650 days away',
    '  --price SLUG  with the features of this price; without it, access without features',
    '  --reason TEXT why, for your colleagues; the user never sees it',
    '',
    'Examples:',
    ...EXAMPLES.map((line) => `  ${line}`),
  ]
  return { text: about.join('\n'), json: { usage, examples: EXAMPLES } }
}

interface Granted {
  user_id: string
  grant: { id: string; ends_at: string; ended_at: string | null }
}

async function give({ named, paywallId, price, ...given }: Given): Promise<CommandResult> {
  if (!named) throw new CommandError(USAGE)
  const { days, endsAt } = readEnd(given)
  const reason = readReason(given.reason)
  return inTransaction(paywallId, async (db, place) => {
    const user = await findUserToGrant(db, place, named)
    const row = await call<{ verdict: GrantRefusal } | { verdict: 'granted'; reply: Granted }>(
      db,
      sql`grant_access(
        paywall_id => ${paywallId}, email => null, user_id => ${user.id}, external_id => null, price => ${price ?? null},
        days => ${days}::integer, ends_at => ${endsAt}::timestamptz, reason => ${reason}, granted_by => 'command')`,
    )
    if (row.verdict !== 'granted') throw new CommandError([await explain(db, row.verdict, { ...place, named, price })])
    const { user_id, grant } = row.reply
    return {
      text: `User ${user_id} has access to paywall ${paywallId} until ${grant.ends_at}. The grant is ${grant.id}.`,
      json: { ...row.reply },
    }
  })
}

async function end({ named, paywallId, reason }: Given): Promise<CommandResult> {
  if (!named) throw new CommandError(USAGE)
  const { data: endReason, success } = grantEndReason.safeParse(reason)
  if (!success) throw new CommandError([REASON_TOO_LONG])
  return inTransaction(paywallId, async (db, { ownerId }) => {
    const row = await call<{ verdict: 'unknown_grant' } | { verdict: 'ended'; reply: Granted }>(
      db,
      sql`end_grant(${ownerId}::uuid, ${paywallId}, ${named}, 'command', ${endReason ?? null})`,
    )
    if (row.verdict !== 'ended') {
      throw new CommandError([
        `paywall ${paywallId} has no grant ${named}: paywall grants list --paywall ${paywallId} shows their ids`,
      ])
    }
    const { user_id, grant } = row.reply
    return { text: `The grant ${grant.id} of user ${user_id} ended at ${grant.ended_at}.`, json: { ...row.reply } }
  })
}

const Listed = GrantWithReason.loose()

async function list({ named, paywallId }: Given): Promise<CommandResult> {
  return inTransaction(paywallId, async (db, place) => {
    const user = named === undefined ? null : await findUser(db, place, named)
    const userId = user?.mergedInto ?? user?.id ?? null
    const { rows } = await sql<{ total: string; row: unknown }>`
      select count(*) over () as total, grant_json(g) || jsonb_build_object(
        'user_id', g.user_id, 'email', u.email, 'reason', g.reason, 'granted_by', g.granted_by,
        'ended_by', g.ended_by, 'end_reason', g.end_reason) as row
      from grants g join users u on u.id = g.user_id
      where g.owner_id = ${place.ownerId} and g.paywall_id = ${paywallId}
        and g.user_id = coalesce(${userId}::uuid, g.user_id)
      order by g.ended_at is null desc, g.created_at desc, g.id limit ${MAX_LISTED}`.execute(db)
    const total = Number(rows[0]?.total ?? 0)
    const grants = rows.map(({ row }) => Listed.parse(row))
    const head = total > grants.length ? [`${grants.length} of ${total} grants, those that have not ended first:`] : []
    const text = total === 0 ? 'No grants.' : [...head, ...grants.map(toText)].join('\n\n')
    return { text, json: { total, grants } }
  })
}

function toText(grant: ReturnType<typeof Listed.parse>): string {
  const { ended_at: endedAt, ends_at: endsAt, email, user_id: userId } = grant
  return [
    `${grant.id}  ${endedAt ? `ended ${endedAt}` : `until ${endsAt}`}  user ${userId}${email ? ` (${email})` : ''}`,
    `  ${grant.price_slug ?? 'without features'}, given ${grant.created_at} by ${grant.granted_by}: ${grant.reason ?? '(erased)'}`,
    ...(grant.ended_by ? [`  ended by ${grant.ended_by}${grant.end_reason ? `: ${grant.end_reason}` : ''}`] : []),
  ]
    .map(withoutControls)
    .join('\n')
}

/** Runs `work` in a transaction in which the database functions can be called. Throws a `CommandError` if there is no such paywall. */
async function inTransaction(
  paywallId: string,
  work: (db: Database, place: Place) => Promise<CommandResult>,
): Promise<CommandResult> {
  enterLocalWorld()
  return withDatabase(required('DATABASE_URL'), (db) =>
    db.transaction().execute(async (transaction) => {
      await activateRelease(transaction)
      const paywall = await transaction
        .selectFrom('paywalls')
        .select(['owner_id', 'is_test'])
        .where('id', '=', paywallId)
        .executeTakeFirst()
      if (!paywall) throw new CommandError([`there is no paywall ${paywallId}: its id is in the paywall file`])
      return work(transaction, { paywallId, ownerId: paywall.owner_id, isTest: paywall.is_test })
    }),
  )
}

async function call<Result>(db: Database, of: ReturnType<typeof sql>): Promise<Result> {
  const { rows } = await sql<{ result: Result }>`select ${of} as result`.execute(db)
  return rows[0]!.result
}

const REASON_TOO_LONG = '--reason must not exceed 500 characters'

function readReason(reason: string | undefined): string {
  const parsed = grantReason.safeParse(reason ?? '')
  if (parsed.success) return parsed.data
  throw new CommandError([
    reason?.trim() ? REASON_TOO_LONG : 'add --reason TEXT: your colleagues read why the user has access',
  ])
}

/** One of the two is null. */
function readEnd({ days, until }: Pick<Given, 'days' | 'until'>): { days: number | null; endsAt: string | null } {
  if ((days === undefined) === (until === undefined)) throw new CommandError(['add either --days N or --until TIME'])
  if (days !== undefined) {
    const parsed = grantDays.safeParse(/^\d+$/.test(days) ? Number(days) : null)
    if (parsed.success) return { days: parsed.data, endsAt: null }
    throw new CommandError([`${days} is no number of days: use a whole number from 1 to 3650`])
  }
  const parsed = grantEnd.safeParse(until)
  if (parsed.success) return { days: null, endsAt: parsed.data }
  throw new CommandError([`${until} is no time with its zone: write it like 2027-01-31T23:00:00Z`])
}

/** Throws a `CommandError` if there is no such user, or it was merged into another one. */
async function findUserToGrant(db: Database, place: Place, named: string): Promise<NamedUser> {
  const user = await findUser(db, place, named)
  refuseMerged(user)
  return user
}

async function explain(
  db: Database,
  refusal: GrantRefusal,
  { paywallId, named, price }: Place & { named: string; price: string | undefined },
): Promise<string> {
  switch (refusal) {
    case 'unknown_identity':
    case 'not_member':
      return `user ${named} has never been on paywall ${paywallId}: call sign-in/exchange there with the owner key, then try again`
    case 'end_out_of_range':
      return "the end must be in the future by the paywall's clock, and at most 3650 days away"
    case 'price_without_access':
      return `${price} is a pack, which gives no access: leave out --price, or name another price`
    case 'unknown_price': {
      const prices = await db
        .selectFrom('prices')
        .select('slug')
        .where('paywall_id', '=', paywallId)
        .where('retired_at', 'is', null)
        .where('access', '=', true)
        .orderBy('position')
        .execute()
      const slugs = prices.map(({ slug }) => slug)
      return `paywall ${paywallId} sells no price ${price}${didYouMean(price ?? '', slugs) || `: it sells ${slugs.join(', ')}`}`
    }
  }
}
