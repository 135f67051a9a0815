import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { dropOldReleases, installRelease } from './release.ts'
import { ensureOwnerRole, grantRelease, OWNER_ROLE, ROLES } from './roles.ts'

const SCHEMA = join(import.meta.dirname, '../../schema.sql')

/** Two of these at once would make the same roles and tables. The number says nothing. */
const MIGRATION_LOCK = 7_214_903_551

/**
 * Brings a database to what this tree needs: roles, tables, then the release of functions that its Workers call, and who
 * may execute them. All of it or nothing; repeating it changes nothing.
 */
export async function migrate(client: pg.ClientBase, rolesKey: string, roles = ROLES): Promise<void> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await ensureOwnerRole(client)
    await client.query(`set local role ${OWNER_ROLE}`)
    const { rowCount } = await client.query("select from pg_tables where schemaname = 'public' limit 1")
    if (rowCount === 0) await client.query(readFileSync(SCHEMA, 'utf8'))
    await client.query('reset role')
    const release = await installRelease(client)
    await grantRelease(client, release, roles, rolesKey)
    await dropOldReleases(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
