import type pg from 'pg'
import { readFunctionFiles } from './functions.ts'
import { OWNER_ROLE } from './roles.ts'

/** How many releases stay: the one that is installed, and the one that the Workers of the last deployment call. */
const RELEASES_KEPT = 2

/**
 * Installs the functions of this tree in a schema of their own, unless they are there, in a transaction of the caller's.
 * They belong to a role that cannot log in, and nobody may execute them until a role is granted it.
 */
export async function installRelease(client: pg.ClientBase): Promise<string> {
  const { release, files } = readFunctionFiles()
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [release])
  if (rowCount === 0) {
    await client.query(`create schema ${release} authorization ${OWNER_ROLE}`)
    // A function may name another that comes after it.
    await client.query(`set local role ${OWNER_ROLE}`)
    await client.query(`set local check_function_bodies = off; set local search_path = ${release}, public`)
    for (const { text } of files) await client.query(text)
    await protectFunctions(client, release)
    await client.query('set local search_path = public; reset role')
  }
  await client.query(
    'insert into releases (name) values ($1) on conflict (name) do update set installed_at = clock_timestamp()',
    [release],
  )
  return release
}

/**
 * A function that Workers call runs with its owner's rights, so it must look for tables and functions in its own release
 * and nowhere that a caller could put them.
 */
async function protectFunctions(client: pg.ClientBase, release: string): Promise<void> {
  const { rows } = await client.query<{ signature: string; is_called: boolean }>(
    `select oid::regprocedure::text as signature, prosecdef as is_called from pg_proc
     where pronamespace = $1::regnamespace`,
    [release],
  )
  for (const { signature, is_called } of rows) {
    if (is_called) await client.query(`alter function ${signature} set search_path = ${release}, public, pg_temp`)
  }
  await client.query(`revoke all on all functions in schema ${release} from public`)
}

/** Drops the releases that no Worker calls any more. Returns their names. */
export async function dropOldReleases(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'delete from releases where name not in (select name from releases order by installed_at desc limit $1) returning name',
    [RELEASES_KEPT],
  )
  for (const { name } of rows) await client.query(`drop schema if exists ${name} cascade`)
  return rows.map(({ name }) => name)
}
