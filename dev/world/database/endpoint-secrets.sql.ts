import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { unseal } from '../../../lib/crypto/crypto.ts'

/** The signing secrets of all webhook endpoints in the database, `whsec_…`: those that `paywall apply` made among them. */
export async function endpointSecrets(pool: pg.Pool, sealingKey: string): Promise<string[]> {
  const { rows } = await sql<{ url: string; secret: string }>`
    select url, secret from webhook_endpoints where disabled_at is null
    union all
    select url, previous_secret from webhook_endpoints where previous_secret_until > now()`.execute(
    new Kysely({ dialect: new PostgresDialect({ pool }) }),
  )
  return Promise.all(rows.map(({ url, secret }) => unseal(secret, sealingKey, `webhook:${url}`)))
}
