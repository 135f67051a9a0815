// `paywall users erase`: erases all data about a person within one owner and mode. In one transaction, with locks in the order of
// docs/architecture.md:
// 1. lock the person's user and members, and refuse if a subscription would still be charged
// 2. delete what only serves the person: sessions, codes, quotas, tickets
// 3. redact what has to stay: user, members, checkouts, purchases, payments, events
// Then delete the images of its tickets from R2.
import { sql } from 'kysely'
import { deleteAttachment } from '../attachments.ts'
import { CommandError, type CommandResult, type PrintLine } from '../command.ts'
import { activateRelease, type Database, withDatabase } from '../database.ts'
import { findPerson, noData, type Person, type PersonName } from './person.ts'

/** How many rows of each table were deleted or redacted, and the images of the deleted tickets. */
interface Erased {
  counts: Record<string, number>
  objectKeys: string[]
}

/** Without `yes`, throws a `CommandError` that lists what would be erased, and changes nothing. */
export async function erasePerson(
  databaseUrl: string,
  name: PersonName,
  { yes, printLine }: { yes: boolean; printLine: PrintLine },
): Promise<CommandResult> {
  const { counts, objectKeys } = await withDatabase(databaseUrl, (db) =>
    db.transaction().execute(async (transaction) => {
      const erased = await erase(transaction, name)
      if (!yes) throw new CommandError([`${summarize(erased)} would be erased permanently: add --yes to erase it`])
      return erased
    }),
  )
  const done: CommandResult = { text: '', json: { erased: counts, images: objectKeys } }
  printLine(`Erased: ${summarize({ counts, objectKeys })}`)
  if (objectKeys.length > 0) printLine(`Deleting from the bucket:\n${objectKeys.join('\n')}`)
  for (const key of objectKeys) await deleteImage(key, done)
  return done
}

/** The rows are already erased by now, so that a failure, with `--json` too, must list the images that are left. */
async function deleteImage(key: string, done: CommandResult): Promise<void> {
  await deleteAttachment(key).catch((error: unknown) => {
    throw error instanceof CommandError ? new CommandError(error.messages, { cause: error, done }) : error
  })
}

async function erase(db: Database, name: PersonName): Promise<Erased> {
  await activateRelease(db)
  const person = await lockPerson(db, name)
  await refuseRunningSubscriptions(db, person)

  const counts: Erased['counts'] = {}
  const run = async (what: string, statement: ReturnType<typeof sql>) => {
    counts[what] = Number((await statement.execute(db)).numAffectedRows ?? 0)
  }
  const users = sql`any(${person.userIds}::uuid[])`
  const isMembers = sql`t.paywall_id = any(${person.paywallIds}::text[]) and t.user_id = ${users}`
  const callers = person.userIds.map((id) => `user:${id}`)
  const quotas = [...(person.email ? [`email:${person.email}`] : []), ...callers]
  await run(
    'quotas',
    sql`delete from ticket_quotas t
      where t.paywall_id = any(${person.paywallIds}::text[]) and t.who = any(${quotas}::text[])`,
  )
  await run('rate limits', sql`delete from rate_limits t where t.key = any(${callers}::text[])`)
  // The page of a receipt shows the buyer's name and address.
  await run(
    'receipts',
    sql`update payments t set receipt_url = null
      where t.receipt_url is not null and t.purchase_id in (
        select t.id from purchases t where ${isMembers}
          or t.paywall_id = any(${person.paywallIds}::text[]) and t.buyer_email = ${person.email})`,
  )
  await run(
    'purchases',
    sql`update purchases t set cancellation_reason = null, buyer_email = null
      where ${isMembers} and (cancellation_reason is not null or buyer_email is not null)`,
  )
  await run(
    'grants',
    sql`update grants t set reason = null, end_reason = null
      where ${isMembers} and (reason is not null or end_reason is not null)`,
  )
  await run(
    'refunds',
    sql`update refunds r set reason = null
      where r.reason is not null and r.purchase_id in (select t.id from purchases t where ${isMembers})`,
  )
  await run(
    'addresses',
    sql`update purchases t set buyer_email = null, buyer_erased_at = now()
      where t.paywall_id = any(${person.paywallIds}::text[]) and t.buyer_email = ${person.email}`,
  )
  // The event still takes effect: the address only helps to find the hosted page of a purchase that is not stored yet.
  await run(
    'pending events',
    sql`update pending_events t set sold_to = null
      where t.paywall_id = any(${person.paywallIds}::text[]) and lower(btrim(t.sold_to)) = ${person.email}`,
  )
  await run('sessions', sql`delete from sign_in_sessions t where ${isMembers}`)
  // A buyer who returns from a page that is still open lands on the owner's URL without its query. The URL of the hosted page may
  // contain the buyer's e-mail address.
  await run(
    'checkouts',
    sql`update checkouts t set shop_url = null, success_url = split_part(success_url, '?', 1),
        error_url = split_part(error_url, '?', 1), url = split_part(url, '?', 1), former_email = null
      where t.paywall_id = any(${person.paywallIds}::text[])
        and (t.user_id = ${users} or t.former_email = ${person.email})`,
  )
  // The reply may contain the URL of a page with the buyer's e-mail address.
  await run(
    'changes of plan',
    sql`update plan_changes c set reply = null, idempotency_key = null
      where c.reply is not null and c.purchase_id in (select t.id from purchases t where ${isMembers})`,
  )
  // The reason of an act in the console may name the person.
  await run('reasons', sql`update audit_log a set reason = null where a.user_id = ${users} and a.reason is not null`)
  const { tickets, objectKeys } = await deleteTickets(db, person)
  counts.tickets = tickets
  counts.events = await redactEvents(db, person)
  await run('members', sql`update members t set name = null, meta = '{}', buyer_meta = '{}' where ${isMembers}`)
  await run(
    'users',
    sql`update users t set email = null, external_id = null, erased_at = now() where t.id = ${users}
        and (t.email is not null or t.external_id is not null or t.erased_at is null)`,
  )
  if (Object.values(counts).every((count) => count === 0)) throw noData(name)
  return { counts, objectKeys }
}

/** Locks the person's codes, users and members in this order, and reads it again under the locks: users may have been merged meanwhile. */
async function lockPerson(db: Database, name: PersonName): Promise<Person> {
  const { email, userIds, paywallIds } = await findPerson(db, name)
  await sql`delete from sign_in_challenges where email = ${email} and paywall_id = any(${paywallIds}::text[])`.execute(
    db,
  )
  await sql`select from users where id = any(${userIds}::uuid[]) order by id for update`.execute(db)
  await sql`
    select from members where user_id = any(${userIds}::uuid[]) order by user_id, paywall_id for update`.execute(db)
  return findPerson(db, name)
}

async function refuseRunningSubscriptions(db: Database, { userIds, paywallIds }: Person): Promise<void> {
  const { rows } = await sql<{ id: string; paywall_id: string; acquiring: string; processor_id: string }>`
    select id, paywall_id, acquiring, processor_id from purchases
    where user_id = any(${userIds}::uuid[]) and paywall_id = any(${paywallIds}::text[])
      and interval is not null and status <> 'canceled' and not cancel_at_period_end
    order by created_at for update`.execute(db)
  if (rows.length === 0) return
  throw new CommandError([
    ...rows.map(
      ({ id, paywall_id, acquiring, processor_id }) =>
        `subscription ${id} on paywall ${paywall_id} (${processor_id} at ${acquiring}) would still be charged`,
    ),
    'cancel first, and erase once the cancellation is stored',
  ])
}

/** Deletes the tickets of the person's users, and those that guests opened with its address. */
async function deleteTickets(db: Database, { email, userIds, paywallIds }: Person) {
  const { rows } = await sql<{ id: string }>`
    select id from tickets where paywall_id = any(${paywallIds}::text[])
      and (user_id = any(${userIds}::uuid[]) or customer_email = ${email})
    order by id for update`.execute(db)
  const ids = rows.map(({ id }) => id)
  const images = await sql<{ object_key: string }>`
    delete from ticket_attachments where ticket_id = any(${ids}::bigint[]) returning object_key`.execute(db)
  await sql`delete from ticket_replies where ticket_id = any(${ids}::bigint[])`.execute(db)
  await sql`delete from tickets where id = any(${ids}::bigint[])`.execute(db)
  return { tickets: ids.length, objectKeys: images.rows.map(({ object_key }) => object_key) }
}

/** Redacts pending events, too: the owner still receives what happened, but not to whom. Deletes what was answered to them. */
async function redactEvents(db: Database, { email, userIds, paywallIds }: Person): Promise<number> {
  const isAbout = sql`t.paywall_id = any(${paywallIds}::text[]) and (
    t.user_id = any(${userIds}::uuid[]) or t.user_id is null and t.body::jsonb #>> '{data,user,email}' = ${email})`
  // An attempt that is under way is recorded afterwards, and then without the response, which may repeat the event.
  await sql`
    select from deliveries where event_id in (select t.id from events t where ${isAbout})
    order by event_id, endpoint_id for update`.execute(db)
  // list_events updates the same rows, in another order.
  await sql`
    select from owners where id = (select owner_id from paywalls where id = any(${paywallIds}::text[]) limit 1)
    for no key update`.execute(db)
  const { rows } = await sql<{ id: string }>`
    update events t set body = redacted_event(t.body), purge_at = null where ${isAbout} returning t.id`.execute(db)
  await sql`
    update delivery_attempts a set response = null from events t
    where t.id = any(${rows.map(({ id }) => id)}::text[]) and (a.owner_id, a.event_id) = (t.owner_id, t.id)`.execute(db)
  return rows.length
}

function summarize({ counts, objectKeys }: Erased): string {
  const parts = Object.entries({ ...counts, images: objectKeys.length }).filter(([, count]) => count > 0)
  return parts.map(([what, count]) => `${count} ${what}`).join(', ')
}
