import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { applyFile, planFile } from '../../cli/apply/apply.ts'
import type { SealingKeys } from '../../cli/command.ts'
import { type Database, openKysely } from '../../cli/database.ts'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { freshDatabase } from './databases.ts'
import { type Changes, paywallFile } from './sample-paywall-file.ts'

/** A fresh database to apply files to, and queries of what it then holds. */
export async function openApplying() {
  const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY, TURNSTILE_SECRETS_KEY } = await makeSecrets()
  const sealing = {
    processorCredentialsKey: PROCESSOR_CREDENTIALS_KEY,
    webhookSecretsKey: WEBHOOK_SECRETS_KEY,
    turnstileSecretsKey: TURNSTILE_SECRETS_KEY,
  }
  const databaseUrl = await freshDatabase()
  const pool = new pg.Pool({ connectionString: databaseUrl })
  const db = openKysely(pool)
  const query = async <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>(text, values)).rows
  return {
    db,
    databaseUrl,
    sealing,
    query,
    ...getTables(query),
    someOwner: () => someOwner(db, sealing),
    close: () => pool.end(),
  }
}

/** An owner with its own file, so that tests do not affect each other. */
function someOwner(db: Database, sealing: SealingKeys) {
  const id = String(BigInt(`0x${randomUUID().slice(0, 8)}`))
  const own: Changes = {
    'owner.email': `${id}@example.com`,
    'paywalls[0].id': id,
    'paywalls[0].domain': `pay-${id}.example`,
    'keys[0].secret': `pk_test_${id.padStart(16, '0')}`,
  }
  const file = (changes: Changes = {}) => paywallFile({ ...own, ...changes })
  const apply = async (changes: Changes = {}) => applyFile(db, await file(changes), sealing)
  const plan = async (changes: Changes = {}) => planFile(db, await file(changes), sealing)
  return { id, own, file, apply, plan }
}

type Query = <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]) => Promise<Row[]>

function getTables(query: Query) {
  const getPrices = (paywallId: string) =>
    query<{ id: string; slug: string; retired: boolean; label: string }>(
      `select id, slug, label, retired_at is not null as retired from prices
       where paywall_id = $1 order by position, id`,
      paywallId,
    )
  const getKeys = (paywallId: string) =>
    query<{ name: string; key_hash: string; valid: boolean }>(
      `select name, key_hash, revoked_at is null as valid from api_keys
       where owner_id = (select owner_id from paywalls where id = $1) order by created_at, name`,
      paywallId,
    )
  const getWebhookEndpoints = (paywallId: string) =>
    query<{ url: string; secret: string; previous_secret: string | null; signs_twice: boolean; enabled: boolean }>(
      `select url, secret, previous_secret, disabled_at is null as enabled,
         coalesce(previous_secret_until between now() + '23 hours' and now() + '24 hours', false) as signs_twice
       from webhook_endpoints where owner_id = (select owner_id from paywalls where id = $1) order by url`,
      paywallId,
    )
  /** Every row of every table that apply writes. */
  async function appliedRows(): Promise<unknown> {
    const tables = [
      'owners',
      'api_keys',
      'webhook_endpoints',
      'paywalls',
      'processor_accounts',
      'turnstile_keys',
      'prices',
      'offers',
    ]
    return Promise.all(tables.map((table) => query(`select * from ${table} t order by t::text`)))
  }
  return { getPrices, getKeys, getWebhookEndpoints, appliedRows }
}
