// The database's roles and the Workers' logins: names, passwords, creation and removal.
import { createHash, createHmac } from 'node:crypto'
import type pg from 'pg'
import roles from '../../generated/roles.json' with { type: 'json' }
import { inTransaction, type Step } from './step.ts'

/** Owns tables and functions. Nobody can log in as it. */
export const OWNER_ROLE = 'paywall_owner'

/** Each Worker's role and the functions that it may execute, generated from wrangler.toml and from the Worker's calls. */
export const ROLES: WorkerRole[] = roles

export interface WorkerRole {
  /** The Worker's env in wrangler.toml. */
  env: string
  role: string
  functions: string[]
}

/** Derives a login's password from one secret, 32 bytes in base64url, so that no passwords have to be stored. */
function derivePassword(login: string, rolesKey: string): string {
  return derive(`password of ${login}`, rolesKey)
}

/**
 * The login of a Worker, a member of its role, for one key. During a key rotation each Worker has two logins, so that both the deployed
 * and the new version can log in.
 */
function loginName(role: string, rolesKey: string): string {
  const mark = createHash('sha256').update(derive('mark of the logins', rolesKey)).digest('hex').slice(0, 8)
  return `${role}_${mark}`
}

/** The database URL with which a Worker logs in as its own role. */
export function roleDatabaseUrl(env: string, adminUrl: string, rolesKey: string): string {
  const role = ROLES.find((each) => each.env === env)?.role
  if (role === undefined) throw new Error(`[env.${env}] of wrangler.toml has no database role: run npm run generate`)
  const url = new URL(adminUrl)
  url.username = loginName(role, rolesKey)
  url.password = derivePassword(url.username, rolesKey)
  return url.href
}

/** Derives a value from the key for one purpose. It reveals nothing about values for other purposes. */
function derive(purpose: string, rolesKey: string): string {
  return createHmac('sha256', Buffer.from(rolesKey, 'base64url')).update(purpose).digest('base64url')
}

/**
 * The database's timeouts for a Worker's call. Both are shorter than the Worker's own, so that an answer "nothing was done" is reliable,
 * and no statement runs on after its caller has given up.
 */
const TIMEOUTS = { lock_timeout: '2s', statement_timeout: '3s' }

/**
 * Plans the owner role, this connection's membership in it, the Workers' roles and their logins for this key. Also revokes the right to
 * create objects, including temporary tables: a `security definer` function could mistake a caller's table for its own. Logins for
 * other keys stay: see `oldLoginSteps`.
 *
 * Passwords cannot be read back, so a comment on the login records which key its password was derived from.
 */
export async function roleSteps(client: pg.Client, workers: WorkerRole[], rolesKey: string): Promise<Step[]> {
  const known = await knownRoles(client)
  const steps: Step[] = []
  if (!(await ownerIsReady(client))) {
    steps.push({ what: `create the role ${OWNER_ROLE}`, run: () => inTransaction(client, () => createOwner(client)) })
  }
  const wrong = workers.filter(({ role }) => known.get(loginName(role, rolesKey)) !== loginComment(role, rolesKey))
  if (wrong.length > 0) {
    const run = () =>
      inTransaction(client, async () => {
        for (const { role } of wrong) {
          if (!known.has(role)) await client.query(`create role ${role} nologin`)
          await saveLogin(client, role, known.has(loginName(role, rolesKey)), rolesKey)
        }
      })
    steps.push({ what: `create or update roles and logins: ${wrong.map(({ role }) => role).join(', ')}`, run })
  }
  return [...steps, ...(await revokeSteps(client))]
}

/** Plans the removal of logins for other keys than this one. */
export async function oldLoginSteps(client: pg.Client, workers: WorkerRole[], rolesKey: string): Promise<Step[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop role %I', login.rolname) as statement
     from pg_auth_members m join pg_roles login on login.oid = m.member join pg_roles role on role.oid = m.roleid
     where role.rolname = any($1) and login.rolname like role.rolname || '\\_%' and login.rolname <> all($2)
     order by 1`,
    [workers.map(({ role }) => role), workers.map(({ role }) => loginName(role, rolesKey))],
  )
  return rows.map(({ statement }) => ({ what: statement, run: async () => void (await client.query(statement)) }))
}

async function ownerIsReady(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_ready: boolean }>(
    `select pg_has_role(r.oid, 'usage') and pg_has_role(r.oid, 'set')
       and has_schema_privilege(r.oid, 'public', 'create') and has_schema_privilege(r.oid, 'public', 'usage') as is_ready
     from pg_roles r where r.rolname = $1`,
    [OWNER_ROLE],
  )
  return rows[0]?.is_ready === true
}

async function createOwner(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [OWNER_ROLE])
  if (rowCount === 0) await client.query(`create role ${OWNER_ROLE} nologin`)
  const { rows } = await client.query<{ acts: boolean }>(
    `select pg_has_role($1, 'usage') and pg_has_role($1, 'set') as acts`,
    [OWNER_ROLE],
  )
  if (!rows[0]?.acts) await client.query(`grant ${OWNER_ROLE} to current_user with inherit true, set true`)
  await client.query(`grant create, usage on schema public to ${OWNER_ROLE}`)
}

/** Sets the timeouts on the login: Postgres applies the settings of the role that logs in, and not those of roles it is a member of. */
async function saveLogin(client: pg.Client, role: string, exists: boolean, rolesKey: string): Promise<void> {
  const login = loginName(role, rolesKey)
  const password = client.escapeLiteral(derivePassword(login, rolesKey))
  await client.query(`${exists ? 'alter' : 'create'} role ${login} login password ${password}`)
  await client.query(`grant ${role} to ${login} with inherit true, set false`)
  for (const [name, value] of Object.entries(TIMEOUTS))
    await client.query(`alter role ${login} set ${name} = '${value}'`)
  await client.query(`comment on role ${login} is ${client.escapeLiteral(loginComment(role, rolesKey))}`)
}

/** Each role with its comment, which records a login's key and timeouts. */
async function knownRoles(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ role: string; state: string | null }>(
    "select rolname as role, shobj_description(oid, 'pg_authid') as state from pg_roles",
  )
  return new Map(rows.map(({ role, state }) => [role, state ?? '']))
}

function loginComment(role: string, rolesKey: string): string {
  const timeouts = Object.entries(TIMEOUTS).map(([name, value]) => `${name} ${value}`)
  return [`key ${derive(`comment on ${role}`, rolesKey).slice(0, 16)}`, ...timeouts].join(', ')
}

/** Plans to revoke the rights to create objects that Postgres grants to everybody by default. */
async function revokeSteps(client: pg.Client): Promise<Step[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('revoke temporary on database %I from public', d.datname) as statement
     from pg_database d cross join lateral aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) grants
     where d.datname = current_database() and grants.grantee = 0 and grants.privilege_type = 'TEMPORARY'
     union all
     select format('revoke create on schema public from public; grant create on schema public to %I', $1::text)
     from pg_namespace n cross join lateral aclexplode(n.nspacl) grants
     where n.nspname = 'public' and grants.grantee = 0 and grants.privilege_type = 'CREATE'`,
    [OWNER_ROLE],
  )
  return rows.map(({ statement }) => ({ what: statement, run: async () => void (await client.query(statement)) }))
}
