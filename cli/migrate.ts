import { CommandError, type CommandResult, type PrintLine, required } from './command.ts'
import { withClient } from './database.ts'
import { enterLocalWorld } from './local-world.ts'
import { type MigrateOptions, migrate } from './migrate/migrate.ts'

/** `paywall migrate [--plan]`: runs the pending steps and prints each, or only prints them. */
export async function runMigrate({ plan }: { plan?: true | undefined }, printLine: PrintLine): Promise<CommandResult> {
  enterLocalWorld()
  const options = { planOnly: plan === true }
  const steps = await migrateDatabase(required('DATABASE_URL'), required('DATABASE_ROLES_KEY'), options, printLine)
  return { text: '', json: options.planOnly ? { would: steps } : { done: steps } }
}

/**
 * Migrates the database at `url` to this checkout and prints each step: see migrate/migrate.ts. Returns the steps. Throws a
 * `CommandError` if it fails, or if `url` is a pooler's.
 */
export async function migrateDatabase(
  url: string,
  rolesKey: string,
  options: Pick<MigrateOptions, 'planOnly' | 'keepReleases' | 'removeOldLogins'>,
  printLine: PrintLine,
): Promise<string[]> {
  checkDatabaseUrl(url)
  checkRolesKey(rolesKey)
  const steps: string[] = []
  const onStep = (what: string) => {
    steps.push(what)
    printLine(options.planOnly ? `would ${what}` : `${what}: done`)
  }
  await withClient(url, (client) => migrate(client, { ...options, rolesKey, onStep }))
  if (steps.length === 0) printLine('Nothing to migrate.')
  return steps
}

/** Neon's pooler may run each transaction on another connection, but the migration lock belongs to one session. */
function checkDatabaseUrl(url: string): void {
  if (!URL.canParse(url)) throw new CommandError(['DATABASE_URL is not a URL'])
  if (/^[^.]+-pooler\./.test(new URL(url).hostname)) {
    throw new CommandError(["DATABASE_URL points to Neon's pooler: use the address without -pooler"])
  }
}

function checkRolesKey(rolesKey: string): void {
  if (!/^[A-Za-z0-9_-]{43}$/.test(rolesKey))
    throw new CommandError(['DATABASE_ROLES_KEY must be 32 bytes in base64url'])
}
