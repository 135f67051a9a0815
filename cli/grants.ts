import { sql } from 'kysely'
import {
  type GrantRefusal,
  GrantWithReason,
  grantDays,
  grantEnd,
  grantEndReason,
  grantReason,
} from '../lib/grants/grant.ts'
import { CommandError, type CommandResult, required } from './command.ts'
import { activateRelease, type Database, withDatabase } from './database.ts'
import { didYouMean } from './did-you-mean.ts'
import { enterLocalWorld } from './local-world.ts'
import { findUser, type NamedUser, refuseMerged, type Users } from './users/named-user.ts'
import { withoutControls } from './without-controls.ts'

/** More would scroll off the screen. */
const MAX_LISTED = 50

interface GiveOptions {
  paywall: string
  days?: string | undefined
  until?: string | undefined
  price?: string | undefined
  reason?: string | undefined
}

/** A paywall, and its owner's users of its mode. */
interface Place extends Users {
  paywallId: string
}

interface Granted {
  user_id: string
  grant: { id: string; ends_at: string; ended_at: string | null }
}

/** `paywall grants give` */
export async function give(
  named: string,
  { paywall: paywallId, price, ...given }: GiveOptions,
): Promise<CommandResult> {
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

/** `paywall grants end` */
export async function end(
  grantId: string,
  { paywall: paywallId, reason }: { paywall: string; reason?: string | undefined },
): Promise<CommandResult> {
  const { data: endReason, success } = grantEndReason.safeParse(reason)
  if (!success) throw new CommandError([REASON_TOO_LONG])
  return inTransaction(paywallId, async (db, { ownerId }) => {
    const row = await call<{ verdict: 'unknown_grant' } | { verdict: 'ended'; reply: Granted }>(
      db,
      sql`end_grant(${ownerId}::uuid, ${paywallId}, ${grantId}, 'command', ${endReason ?? null})`,
    )
    if (row.verdict !== 'ended') {
      throw new CommandError([
        `paywall ${paywallId} has no grant ${grantId}: paywall grants list --paywall ${paywallId} shows their ids`,
      ])
    }
    const { user_id, grant } = row.reply
    return { text: `The grant ${grant.id} of user ${user_id} ended at ${grant.ended_at}.`, json: { ...row.reply } }
  })
}

const Listed = GrantWithReason.loose()

/** `paywall grants list` */
export async function list(
  named: string | undefined,
  { paywall: paywallId }: { paywall: string },
): Promise<CommandResult> {
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
function readEnd({ days, until }: Pick<GiveOptions, 'days' | 'until'>): { days: number | null; endsAt: string | null } {
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
