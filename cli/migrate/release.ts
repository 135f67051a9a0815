// A release of database functions: its files, its installation and its removal.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { CommandError } from '../command.ts'
import { OWNER_ROLE, ROLES, type WorkerRole } from './roles.ts'
import { inTransaction, type Step } from './step.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A release of database functions: those that the Workers of one checkout call. */
export interface Release {
  /** The schema that it is installed in: `release_` and 16 hex digits, the hash of all its files. */
  name: string
  files: { path: string; text: string }[]
  /** Which role may execute which functions. */
  roles: WorkerRole[]
}

/** Reads this checkout's release: every `.sql` file in functions/ and lib/, sorted by path. */
export function readRelease(): Release {
  const files = globSync(['functions/**/*.sql', 'lib/**/*.sql'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  return { name: releaseName(files), files, roles: ROLES }
}

/** Checks, before Workers are deployed or started, that they call this release. Throws a `CommandError` if they call another one. */
export function readCalledRelease(release = readRelease()): Release {
  const called = /'(release_[0-9a-f]{16})'/.exec(readFileSync(join(ROOT, 'generated/calls.ts'), 'utf8'))?.[1]
  if (called !== release.name) {
    throw new CommandError([
      `the Workers call ${called}, but the .sql files define ${release.name}: run npm run generate`,
    ])
  }
  return release
}

/** The name of a release, a hash of its files. */
export function releaseName(files: Release['files']): string {
  const hash = createHash('sha256')
  for (const { path, text } of files) hash.update(`${path}\0${text}\0`)
  return `release_${hash.digest('hex').slice(0, 16)}`
}

/**
 * Plans the installation of the release with the grants that its Workers' roles need. A release that is installed again becomes the
 * newest.
 */
export async function releaseSteps(client: pg.Client, release: Release): Promise<Step[]> {
  const { name } = release
  const [newest] = await installedReleases(client)
  if (newest === name && !(await missingGrants(client, release))) return []
  const what = newest === name ? `grant missing rights on ${name}` : `install ${name}`
  return [{ what, run: () => inTransaction(client, () => install(client, release)) }]
}

/** Plans the removal of old releases. Besides this one, the newest stays, for Workers that were deployed before. */
export async function removalSteps(client: pg.Client, { name }: Release): Promise<Step[]> {
  const others = (await installedReleases(client)).filter((other) => other !== name)
  return others.slice(1).map((other) => ({
    what: `remove ${other}`,
    run: () =>
      inTransaction(client, async () => {
        await client.query('delete from releases where name = $1', [other])
        await client.query(`drop schema if exists ${other} cascade`)
      }),
  }))
}

/** The names of the installed releases, newest first. */
async function installedReleases(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('public.releases') as oid")
  if (tables[0].oid === null) return []
  const { rows } = await client.query<{ name: string }>('select name from releases order by installed_at desc')
  return rows.map(({ name }) => name)
}

async function install(client: pg.Client, release: Release): Promise<void> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [release.name])
  if (rowCount === 0) await createFunctions(client, release)
  await grantRelease(client, release)
  await client.query(
    'insert into releases (name) values ($1) on conflict (name) do update set installed_at = clock_timestamp()',
    [release.name],
  )
}

/** Creates the functions as the owner role, which cannot log in. Nobody may execute them until granted. */
async function createFunctions(client: pg.Client, { name, files }: Release): Promise<void> {
  await client.query(`create schema ${name} authorization ${OWNER_ROLE}`)
  await client.query(`set local role ${OWNER_ROLE}`)
  // A function may call one that is created after it.
  await client.query(`set local check_function_bodies = off; set local search_path = ${name}, public`)
  for (const { text } of files) await client.query(text)
  await protectFunctions(client, name)
  await client.query('set local search_path = public; reset role')
}

/**
 * Functions that Workers call are `security definer`: they run with the owner's rights, so their `search_path` must not include a schema
 * in which a caller can create objects.
 */
async function protectFunctions(client: pg.Client, release: string): Promise<void> {
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

/** Grants each Worker's role its own functions of a release. */
async function grantRelease(client: pg.Client, release: Release): Promise<void> {
  for (const { role, functions } of release.roles) {
    await client.query(`grant usage on schema ${release.name} to ${role}`)
    for (const name of functions) await client.query(`grant execute on function ${release.name}.${name} to ${role}`)
  }
}

/** Whether a role lacks a grant on an installed release. Another checkout may have the same functions but other Workers that call them. */
async function missingGrants(client: pg.Client, release: Release): Promise<boolean> {
  const { rows } = await client.query<{ name: string; role: string }>(
    `select p.proname as name, pg_get_userbyid(grants.grantee) as role
     from pg_proc p cross join lateral aclexplode(p.proacl) grants
     where p.pronamespace = to_regnamespace($1) and grants.grantee <> 0`,
    [release.name],
  )
  const granted = new Set(rows.map(({ name, role }) => `${role} ${name}`))
  return release.roles.some(({ role, functions }) => functions.some((name) => !granted.has(`${role} ${name}`)))
}
