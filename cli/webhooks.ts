// `paywall webhooks`: an owner's webhook endpoints, as its console shows and changes them.
import { sql } from 'kysely'
import { type EndpointList, endpointHealth, type WebhookEndpoint } from '../lib/events/webhook-endpoint.ts'
import { CommandError, type CommandResult, required } from './command.ts'
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

async function findEndpoint(db: Database, id: string): Promise<Users & { url: string }> {
  const endpoint = await db
    .selectFrom('webhook_endpoints')
    .select(['owner_id', 'is_test', 'url'])
    .where(sql<string>`id::text`, '=', id)
    .executeTakeFirst()
  if (endpoint) return { ownerId: endpoint.owner_id, isTest: endpoint.is_test, url: endpoint.url }
  throw new CommandError([`there is no webhook endpoint ${id}: paywall webhooks list shows their ids`])
}
