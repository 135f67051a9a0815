import { CommandError, enterLocalWorld, required } from './command.ts'
import { withClient } from './database.ts'
import { type MigrateOptions, migrate } from './migrate/migrate.ts'

/** `paywall migrate [--plan]`: does what there is to do and says so, or says it only. */
export async function runMigrate(args: string[]): Promise<void> {
  const planOnly = args[0] === '--plan'
  if (args.length > (planOnly ? 1 : 0)) throw new CommandError(['say migrate, or migrate --plan'])
  enterLocalWorld()
  await migrateDatabase(required('DATABASE_URL'), required('DATABASE_ROLES_KEY'), { planOnly })
}

/**
 * Brings the database of `url` to what this tree needs, and prints each step: see migrate/migrate.ts. Throws a `CommandError` if it
 * cannot, or if `url` is one that a pooler answers.
 */
export async function migrateDatabase(
  url: string,
  rolesKey: string,
  options: Pick<MigrateOptions, 'planOnly' | 'keepReleases' | 'removeOldLogins'> = {},
): Promise<void> {
  checkDatabaseUrl(url)
  checkRolesKey(rolesKey)
  let steps = 0
  const onStep = (what: string) => {
    steps += 1
    console.log(options.planOnly ? `would ${what}` : `${what}: done`)
  }
  await withClient(url, (client) => migrate(client, { ...options, rolesKey, onStep }))
  if (steps === 0) console.log('Nothing to migrate.')
}

/** Neon's pooler gives each transaction another connection, and a lock of the connection's would be lost with it. */
function checkDatabaseUrl(url: string): void {
  if (!URL.canParse(url)) throw new CommandError(['DATABASE_URL is not a URL'])
  if (/^[^.]+-pooler\./.test(new URL(url).hostname)) {
    throw new CommandError(["DATABASE_URL leads to Neon's pooler: give the address without -pooler"])
  }
}

function checkRolesKey(rolesKey: string): void {
  if (!/^[A-Za-z0-9_-]{43}$/.test(rolesKey))
    throw new CommandError(['DATABASE_ROLES_KEY must be 32 bytes in base64url'])
}
