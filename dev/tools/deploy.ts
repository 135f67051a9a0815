// Migrates the database, then deploys every Worker: npm run deploy -- [--secrets FILE] [arguments for wrangler]
// 1. With --secrets, selects each Worker's secrets from FILE, which is JSON or dotenv, and stops if any is missing.
// 2. Reads DATABASE_URL from FILE or else the environment, and stops if SERVICE_ORIGIN differs between Workers. Skipped with
//    --dry-run.
// 3. Migrates the database, deploys the Workers, and removes old function releases and, with --secrets, logins that no Worker
//    uses any longer, in the order of deploy-in-order.ts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import * as z from 'zod'
import { CommandError } from '../../cli/command.ts'
import { migrateDatabase } from '../../cli/migrate.ts'
import { removeOnParentExit } from '../world/on-parent-exit.ts'
import { readWorkerConfigs, type WorkerConfig, WRANGLER_ENVIRONMENT } from '../world/workers/wrangler-config.ts'
import { deployInOrder } from './deploy-in-order.ts'
import { workerSecrets } from './worker-secrets.ts'

const ROOT = join(import.meta.dirname, '../..')

const { file, configFile, wranglerArguments } = readArguments(process.argv.slice(2))
/** Holds secrets as files, the only form that wrangler accepts. Only this user can read the folder, and it is deleted at exit. */
const folder = mkdtempSync(join(tmpdir(), 'paywall-deploy-'))
const cancelRemoval = removeOnParentExit(folder)

try {
  const secrets = file === undefined ? null : readSecrets(file)
  const configs = readWorkerConfigs(configFile)
  const secretsFiles = secrets && writeSecretsFiles(secrets, configs)
  const isDry = wranglerArguments.includes('--dry-run')
  const database = isDry ? null : findDatabase(secrets ?? process.env)
  if (!isDry) checkServiceOrigin(configs)
  await deployInOrder(configs, {
    async migrate({ isLast }) {
      // Without --secrets the Workers keep their current logins, which may belong to an older key.
      const options = { keepReleases: !isLast, removeOldLogins: isLast && secrets !== null }
      if (database) await migrateDatabase(database.url, database.rolesKey, options, console.log)
    },
    deploy: (config) => deploy(config, secretsFiles?.get(config.env)),
  })
} catch (error) {
  console.error(error instanceof CommandError ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
  cancelRemoval()
}

/** `--secrets FILE` is our option; all others go to wrangler. Of those we read only `--config`. */
function readArguments(args: string[]) {
  const options = { secrets: { type: 'string' }, config: { type: 'string', short: 'c' } } as const
  const at = args.indexOf('--secrets')
  const { values } = parseArgs({ args: at < 0 ? [] : args.slice(at, at + 2), options })
  const wranglerArguments = at < 0 ? args : args.toSpliced(at, 2)
  const { config } = parseArgs({ args: wranglerArguments, options, strict: false }).values
  const configFile = typeof config === 'string' ? resolve(ROOT, config) : undefined
  return { file: values.secrets, configFile, wranglerArguments }
}

/** The database to migrate. It is required: a Worker whose release is not installed answers every request with 500. */
function findDatabase({ DATABASE_URL: url, DATABASE_ROLES_KEY: rolesKey }: Record<string, string | undefined>) {
  if (url && rolesKey) return { url, rolesKey }
  throw new CommandError([
    'nothing was deployed: set DATABASE_URL and DATABASE_ROLES_KEY in the file of --secrets or in the environment, so that the functions that the Workers call can be installed',
  ])
}

function deploy(config: WorkerConfig, secretsFile: string | undefined): void {
  console.log(`\n${config.env}`)
  const given = secretsFile === undefined ? [] : ['--secrets-file', secretsFile]
  const command = ['deploy', '--env', config.env, ...given, ...wranglerArguments]
  const { status } = spawnSync('node_modules/.bin/wrangler', command, {
    cwd: ROOT,
    stdio: 'inherit',
    env: WRANGLER_ENVIRONMENT,
  })
  if (status !== 0) throw new CommandError([`${config.env} was not deployed; the Workers after it were skipped`])
}

/** Writes a file with its secrets for each Worker. Returns the paths by env. */
function writeSecretsFiles(secrets: Record<string, string>, configs: WorkerConfig[]): Map<string, string> {
  return new Map(configs.map((config) => [config.env, writeSecrets(config, workerSecrets(config, secrets))]))
}

function writeSecrets({ env }: WorkerConfig, secrets: Record<string, string>): string {
  const path = join(folder, `${env}.json`)
  writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 })
  return path
}

function readSecrets(path: string): Record<string, string> {
  const text = readFileSync(path, 'utf8')
  return z.record(z.string(), z.string()).parse(path.endsWith('.json') ? JSON.parse(text) : parseEnv(text))
}

/**
 * Throws a `CommandError` unless all Workers with a SERVICE_ORIGIN have the same one. Nothing else would detect a mistake: payments would
 * be opened without a webhook URL, and users could not return to the paywall's site.
 */
function checkServiceOrigin(configs: WorkerConfig[]): void {
  const withOrigin = configs.filter(({ vars }) => 'SERVICE_ORIGIN' in vars)
  const origins = new Set(withOrigin.map(({ vars }) => String(vars.SERVICE_ORIGIN)))
  const [origin = ''] = origins
  if (origins.size === 1 && URL.parse(origin)?.origin === origin) return
  const given = withOrigin.map(({ env, vars }) => `${env} has "${vars.SERVICE_ORIGIN}"`).join(', ')
  throw new CommandError([
    `nothing was deployed: SERVICE_ORIGIN must be the same origin, such as https://billing.example, everywhere in wrangler.toml: ${given}`,
  ])
}
