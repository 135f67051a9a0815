import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { EndpointRow } from './compare-endpoints.ts'
import type { KeyRow } from './compare-keys.ts'

/** Adds the owner of an e-mail address if there is none yet: the owner's id. */
export async function saveOwner(db: Database, email: string): Promise<string> {
  const { id } = await db
    .insertInto('owners')
    .values({ email })
    .onConflict((conflict) => conflict.column('email').doUpdateSet({ email }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** From now on these keys open nothing. */
export async function revokeKeys(db: Database, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('api_keys')
    .set({ revoked_at: sql`now()` })
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute()
}

/**
 * Adds owner keys. One that is there already is valid again, under its new name; one that another owner has is not
 * touched. Returns how many were added or changed.
 */
export async function saveKeys(db: Database, ownerId: string, keys: KeyRow[]): Promise<number> {
  if (keys.length === 0) return 0
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('api_keys')
    .values(keys.map((key) => ({ ...key, owner_id: ownerId })))
    .onConflict((conflict) =>
      conflict
        .column('key_hash')
        .doUpdateSet(({ ref }) => ({ name: ref('excluded.name'), revoked_at: null }))
        .whereRef('api_keys.owner_id', '=', 'excluded.owner_id'),
    )
    .executeTakeFirstOrThrow()
  return Number(numInsertedOrUpdatedRows)
}

/** From now on these webhook endpoints of an owner get no event. */
export async function disableEndpoints(db: Database, ownerId: string, urls: string[]): Promise<void> {
  if (urls.length === 0) return
  await db
    .updateTable('webhook_endpoints')
    .set({ disabled_at: sql`now()` })
    .where('owner_id', '=', ownerId)
    .where('url', 'in', urls)
    .where('disabled_at', 'is', null)
    .execute()
}

/** Adds webhook endpoints or changes them, and enables them. For 24 hours after a change of the secret the old one signs too. */
export async function saveEndpoints(db: Database, ownerId: string, endpoints: EndpointRow[]): Promise<void> {
  if (endpoints.length === 0) return
  await db
    .insertInto('webhook_endpoints')
    .values(endpoints.map((endpoint) => ({ ...endpoint, owner_id: ownerId })))
    .onConflict((conflict) =>
      conflict.columns(['owner_id', 'url']).doUpdateSet(({ eb, ref }) => {
        const isSameSecret = eb('webhook_endpoints.secret', '=', ref('excluded.secret'))
        return {
          secret: ref('excluded.secret'),
          events: ref('excluded.events'),
          disabled_at: null,
          previous_secret: eb
            .case()
            .when(isSameSecret)
            .then(ref('webhook_endpoints.previous_secret'))
            .else(ref('webhook_endpoints.secret'))
            .end(),
          previous_secret_until: eb
            .case()
            .when(isSameSecret)
            .then(ref('webhook_endpoints.previous_secret_until'))
            .else(sql<Date>`now() + interval '24 hours'`)
            .end(),
        }
      }),
    )
    .execute()
}
