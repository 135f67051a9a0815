// `paywall users find` and `paywall users show`: an owner's users, as its console shows them.
import { sql } from 'kysely'
import { type ConsolePurchase, explainAccess, explainPurchase } from '../../lib/access/explain-access.ts'
import type { ListedUser, Membership, TimelineEntry, UserDetails } from '../../lib/access/user-details.ts'
import { formatAmount, toWords } from '../../lib/text/formats.ts'
import type { CommandResult } from '../command.ts'
import { type Database, inRelease } from '../database.ts'
import { type Cell, formatTable } from '../table.ts'
import { withoutControls } from '../without-controls.ts'
import { findUser, type Users } from './named-user.ts'

/** How much of the timeline the text has. --json has all of it. */
const SHOWN_ENTRIES = 20

/** `paywall users find` */
export async function findListed(db: Database, { ownerId, isTest }: Users, text: string): Promise<CommandResult> {
  const users: ListedUser[] = await inRelease(db, sql`found_users_json(${ownerId}::uuid, ${isTest}, ${text.trim()})`)
  const rows = users.map((user): Cell[] => [
    user.id,
    user.email ?? user.external_id ?? 'anonymous',
    user.has_access ? { text: 'access', colour: 'green' } : 'no access',
    `purchases: ${user.purchases}`,
    `since ${user.created_at}`,
  ])
  return {
    text: rows.length > 0 ? formatTable(rows) : `Nobody was found for ${withoutControls(text)}.`,
    json: { users },
  }
}

/** `paywall users show` */
export async function showUser(db: Database, users: Users, name: string): Promise<CommandResult> {
  const { id } = await findUser(db, users, name)
  const details = await inRelease<UserDetails>(
    db,
    sql`user_details_json(${users.ownerId}::uuid, ${users.isTest}, ${id}::uuid)`,
  )
  return { text: detailsText(details), json: { ...details } }
}

function detailsText({ user, memberships, tickets, timeline }: UserDetails): string {
  const names = [user.email ?? 'no e-mail address', `your id: ${user.external_id ?? 'none'}`, `our id: ${user.id}`]
  const sections = [
    formatTable([names]),
    ...memberships.map(membershipText),
    ...(tickets.length > 0
      ? [`Tickets:\n${formatTable(tickets.map((ticket) => [`#${ticket.id}`, ticket.status, ticket.subject]))}`]
      : []),
    `Timeline, the latest first:\n${formatTable(timeline.slice(0, SHOWN_ENTRIES).map((entry) => [entry.at, ...toCells(entry)]))}`,
  ]
  return sections.join('\n\n')
}

function membershipText({ paywall, purchases, grants, balances }: Membership): string {
  const lines = [
    withoutControls(`${paywall.name} (paywall ${paywall.id})`),
    withoutControls(explainAccess(purchases, grants)),
    ...(purchases.length > 0 ? [formatTable(purchases.flatMap(purchaseRows))] : []),
    ...(grants.length > 0
      ? [formatTable(grants.map(({ id, ends_at, reason }) => [`grant ${id}`, `until ${ends_at}`, reason ?? '']))]
      : []),
    ...(balances.length > 0 ? [formatTable(balances.map(({ type, count }) => [`${type} tokens`, String(count)]))] : []),
  ]
  return lines.join('\n')
}

const purchaseRows = (purchase: ConsolePurchase): Cell[][] => [
  [`purchase ${purchase.id}`, toWords(purchase.status), purchase.acquiring, explainPurchase(purchase)],
  ...purchase.payments.map(({ id, kind, amount, currency, occurred_at }) => [
    `payment ${id}`,
    toWords(kind),
    formatAmount(amount, currency),
    occurred_at,
  ]),
]

function toCells(entry: TimelineEntry): Cell[] {
  switch (entry.kind) {
    case 'event':
      return [entry.type, entry.id]
    case 'balance':
      return [`${entry.delta > 0 ? '+' : ''}${entry.delta} ${entry.type}`, toWords(entry.reason)]
    case 'checkout':
      return [`checkout of ${entry.price_slug}`, entry.completed_at ? 'bought' : 'not bought']
    case 'act':
      return [toWords(entry.act), `by ${entry.email}`]
  }
}
