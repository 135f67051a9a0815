import { createHmac } from 'node:crypto'
import type pg from 'pg'
import roles from '../../generated/roles.json' with { type: 'json' }

/** Owns tables and functions. Nobody can log in as it. */
export const OWNER_ROLE = 'paywall_owner'

/**
 * What the database itself allows a call of a Worker, in milliseconds. Both end before the Worker's own timeout does, so
 * that whoever is told that nothing was done can rely on it, and no statement runs on behind a caller who has left.
 */
const LOCK_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 3_000

/** A Worker's role and the functions that it may execute: generated from wrangler.toml and from what the Worker calls. */
export const ROLES: WorkerRole[] = roles

export interface WorkerRole {
  /** The Worker's env in wrangler.toml. */
  env: string
  role: string
  functions: string[]
}

/** The password of a role: it follows from one secret, 32 bytes in base64url, so that there is no list of them to keep. */
export function passwordOf(role: string, rolesKey: string): string {
  return createHmac('sha256', Buffer.from(rolesKey, 'base64url')).update(`password of ${role}`).digest('base64url')
}

/** The address at which a Worker logs in as its own role. */
export function databaseUrlOf(env: string, adminUrl: string, rolesKey: string): string {
  const role = ROLES.find((each) => each.env === env)?.role
  if (role === undefined) throw new Error(`[env.${env}] of wrangler.toml has no database role: run npm run generate`)
  const url = new URL(adminUrl)
  url.username = role
  url.password = passwordOf(role, rolesKey)
  return url.href
}

/** Makes the role that owns everything, and lets this connection's user act for it. */
export async function ensureOwnerRole(client: pg.ClientBase): Promise<void> {
  await ensureRole(client, OWNER_ROLE, 'nologin')
  const { rows } = await client.query<{ acts: boolean }>(
    `select pg_has_role(current_user, $1, 'usage') and pg_has_role(current_user, $1, 'set') as acts`,
    [OWNER_ROLE],
  )
  if (!rows[0]?.acts) await client.query(`grant ${OWNER_ROLE} to current_user with inherit true, set true`)
  await client.query(`grant create, usage on schema public to ${OWNER_ROLE}`)
}

/** Makes the Workers' roles and lets each execute its own functions of a release, and do nothing else. */
export async function grantRelease(
  client: pg.ClientBase,
  release: string,
  roles: WorkerRole[],
  rolesKey: string,
): Promise<void> {
  for (const { role, functions } of roles) {
    await ensureRole(client, role, 'login')
    const password = client.escapeLiteral(passwordOf(role, rolesKey))
    await client.query(`alter role ${role} password ${password}`)
    await client.query(`alter role ${role} set lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query(`alter role ${role} set statement_timeout = ${STATEMENT_TIMEOUT_MS}`)
    await client.query(`grant usage on schema ${release} to ${role}`)
    for (const name of functions) await client.query(`grant execute on function ${release}.${name} to ${role}`)
  }
}

async function ensureRole(client: pg.ClientBase, role: string, login: 'login' | 'nologin'): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  if (rowCount === 0) await client.query(`create role ${role} ${login}`)
}
