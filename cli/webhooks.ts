// `paywall webhooks`: an owner's webhook endpoints, as its console shows and changes them.
import { sql } from 'kysely'
import { seal } from '../lib/crypto/seal.ts'
import { type EndpointList, endpointHealth, type WebhookEndpoint } from '../lib/events/webhook-endpoint.ts'
import { newWebhookSecret, webhookContext } from '../lib/events/webhook-secret.ts'
import { CommandError, type CommandResult, required, sealingKeys } from './command.ts'
import { type Database, inRelease, withDatabase } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { type Cell, formatTable, stateCell } from './table.ts'
import { findUsers, type Users, type UsersOptions, usersName } from './users/named-user.ts'

/** `paywall webhooks list` */
export async function listWebhooks(options: UsersOptions): Promise<CommandResult> {
  enterLocalWorld()
  const list = await withDatabase(required('DATABASE_URL'), async (db) => {
    const { ownerId, isTest } = await findUsers(db, usersName(options))
    return inRelease<EndpointList>(db, sql`webhook_endpoints_json(${ownerId}::uuid, ${isTest})`)
  })
  const { endpoints, most } = list
  const count = (number: number) => (number === most ? `${most} or more` : `${number}`)
  const rows = endpoints.map((endpoint) => toRow(endpoint, count))
  return { text: rows.length === 0 ? 'No webhook endpoints.' : formatTable(rows), json: { ...list } }
}

function toRow(endpoint: WebhookEndpoint, count: (number: number) => string): Cell[] {
  const { state, text } = endpointHealth(endpoint)
  const { id, url, pending, failed, events } = endpoint
  return [id, url, stateCell(text, state), `${count(pending)} pending`, `${count(failed)} failed`, events.join(', ')]
}

/** `paywall webhooks enable` */
export const enableWebhook = (id: string): Promise<CommandResult> => setEnabled(id, true)

/** `paywall webhooks disable` */
export const disableWebhook = (id: string): Promise<CommandResult> => setEnabled(id, false)

async function setEnabled(id: string, enabled: boolean): Promise<CommandResult> {
  enterLocalWorld()
  const { url, isTest } = await withDatabase(required('DATABASE_URL'), async (db) => {
    const endpoint = await findEndpoint(db, id)
    const { ownerId, isTest } = endpoint
    await inRelease(db, sql`enable_webhook_endpoint(${ownerId}::uuid, ${isTest}, ${id}, ${enabled})`)
    return endpoint
  })
  const what = `The ${isTest ? 'test' : 'live'} webhook endpoint ${url} is`
  const text = enabled
    ? `${what} enabled. What is pending is sent within a minute.`
    : `${what} disabled. Pending events wait; those that happen until it is enabled are not sent to it, unless they are replayed.`
  return { text, json: { id, url, enabled } }
}

type PingResult =
  | { verdict: 'unknown_endpoint' }
  | { verdict: 'disabled' }
  | { verdict: 'no_paywall' }
  | { verdict: 'sent'; event_id: string }

/** `paywall webhooks test` */
export async function sendTestEvent(id: string): Promise<CommandResult> {
  enterLocalWorld()
  const { event, url } = await withDatabase(required('DATABASE_URL'), async (db) => {
    const { ownerId, isTest, url } = await findEndpoint(db, id)
    const result: PingResult = await inRelease(db, sql`ping_webhook_endpoint(${ownerId}::uuid, ${isTest}, ${id})`)
    if (result.verdict === 'sent') return { event: result.event_id, url }
    throw new CommandError([
      result.verdict === 'no_paywall'
        ? 'a test event names a paywall, and the owner has none of this mode'
        : `the webhook endpoint ${url} is disabled: run paywall webhooks enable ${id} first`,
    ])
  })
  const text = `The test event ${event} is sent to ${url} within a minute: paywall events show ${event} shows what came of it.`
  return { text, json: { id, url, event } }
}

type RotateResult =
  | { verdict: 'unknown_endpoint' }
  | { verdict: 'secret_in_file' }
  | { verdict: 'rotating' }
  | { verdict: 'rotated'; previous_secret_until: string }

/** `paywall webhooks rotate` */
export async function rotateWebhook(id: string): Promise<CommandResult> {
  enterLocalWorld()
  const keys = sealingKeys().webhookSecretsKey
  const secret = newWebhookSecret()
  const { url, until } = await withDatabase(required('DATABASE_URL'), async (db) => {
    const { ownerId, isTest, url } = await findEndpoint(db, id)
    const sealed = await seal(secret, keys, webhookContext(url))
    const result: RotateResult = await inRelease(
      db,
      sql`rotate_webhook_secret(${ownerId}::uuid, ${isTest}, ${id}, ${url}, ${sealed})`,
    )
    if (result.verdict === 'rotated') return { url, until: result.previous_secret_until }
    throw new CommandError([
      result.verdict === 'rotating'
        ? `the secret of ${url} was rotated less than 24 hours ago: the previous one still signs`
        : `the secret of ${url} is in the paywall file: change it there, and apply the file`,
    ])
  })
  const text = `The new secret of ${url}, shown only once:\n  ${secret}\nUntil ${until} each event is signed with the old one, too.`
  return { text, json: { id, url, secret, previous_secret_until: until } }
}

async function findEndpoint(db: Database, id: string): Promise<Users & { url: string }> {
  const endpoint = await db
    .selectFrom('webhook_endpoints')
    .select(['owner_id', 'is_test', 'url'])
    .where(sql<string>`id::text`, '=', id)
    .executeTakeFirst()
  if (endpoint) return { ownerId: endpoint.owner_id, isTest: endpoint.is_test, url: endpoint.url }
  throw new CommandError([`there is no webhook endpoint ${id}: paywall webhooks list shows their ids`])
}
