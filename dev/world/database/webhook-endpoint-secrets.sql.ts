import { sql } from 'kysely'
import type pg from 'pg'
import { databaseOf } from '../../../cli/database.ts'
import { unseal } from '../../../lib/crypto/crypto.ts'

/**
 * The secrets that events are signed with now, `whsec_…`, of all webhook endpoints in the database: those that
 * `paywall apply` made among them. For 24 hours after a change a webhook endpoint has two.
 */
export async function webhookEndpointSecrets(pool: pg.Pool, sealingKey: string): Promise<string[]> {
  const db = databaseOf(pool)
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select(['url', 'secret'])
    .where('disabled_at', 'is', null)
    .unionAll(
      db
        .selectFrom('webhook_endpoints')
        .select(({ ref }) => ['url', ref('previous_secret').$notNull().as('secret')])
        .where('previous_secret', 'is not', null)
        .where('previous_secret_until', '>', sql<Date>`now()`),
    )
    .execute()
  return Promise.all(rows.map(({ url, secret }) => unseal(secret, sealingKey, `webhook:${url}`)))
}
