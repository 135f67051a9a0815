// Migrates the database, then deploys every Worker: npm run deploy -- [--secrets FILE] [arguments for wrangler]
// 1. With --secrets, gathers what each Worker is given of FILE, which is JSON or dotenv, and stops if something is missing.
// 2. Takes the database of DATABASE_URL, which FILE or else the environment names, and stops if SERVICE_ORIGIN is not the same at all
//    Workers that have it. With --dry-run it does neither.
// 3. Migrates it, deploys the Workers and removes old releases of functions and, with --secrets, the logins that no Worker has
//    any more, in the order of deploy-in-order.ts.
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
import { checkServiceOrigin } from './service-origin.ts'
import { workerSecrets } from './worker-secrets.ts'

const ROOT = join(import.meta.dirname, '../..')

const { file, configFile, wranglerArguments } = readArguments(process.argv.slice(2))
/** Holds secrets as files, which is the one way in which wrangler takes them: nobody else may read them, and they end with us. */
const folder = mkdtempSync(join(tmpdir(), 'paywall-deploy-'))
const keepFolder = removeOnParentExit(folder)

try {
  const secrets = file === undefined ? null : readSecrets(file)
  const configs = readWorkerConfigs(configFile)
  const filesOfSecrets = secrets && filesWith(secrets, configs)
  const isDry = wranglerArguments.includes('--dry-run')
  const database = isDry ? null : findDatabase(secrets ?? process.env)
  if (!isDry) checkServiceOrigin(configs)
  await deployInOrder(configs, {
    async migrate({ isLast }) {
      // Without --secrets the Workers keep the logins that they have, whichever key those are for.
      const options = { keepReleases: !isLast, removeOldLogins: isLast && secrets !== null }
      if (database) await migrateDatabase(database.url, database.rolesKey, options, console.log)
    },
    deploy: (config) => deploy(config, filesOfSecrets?.get(config.env)),
  })
} catch (error) {
  console.error(error instanceof CommandError ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
  keepFolder()
}

/** `--secrets FILE` is ours; all else is wrangler's. Of it we read only which file has the Workers, if it is not wrangler.toml. */
function readArguments(args: string[]) {
  const options = { secrets: { type: 'string' }, config: { type: 'string', short: 'c' } } as const
  const at = args.indexOf('--secrets')
  const { values } = parseArgs({ args: at < 0 ? [] : args.slice(at, at + 2), options })
  const wranglerArguments = at < 0 ? args : args.toSpliced(at, 2)
  const { config } = parseArgs({ args: wranglerArguments, options, strict: false }).values
  const configFile = typeof config === 'string' ? resolve(ROOT, config) : undefined
  return { file: values.secrets, configFile, wranglerArguments }
}

/** The database to migrate. A Worker whose release is not installed answers 500 to everybody, so there must be one. */
function findDatabase({ DATABASE_URL: url, DATABASE_ROLES_KEY: rolesKey }: Record<string, string | undefined>) {
  if (url && rolesKey) return { url, rolesKey }
  throw new CommandError([
    'nothing was deployed, since the functions that the Workers call cannot be installed: name DATABASE_URL and DATABASE_ROLES_KEY in the file of --secrets, or in the environment',
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
  if (status !== 0) throw new CommandError([`${config.env} was not deployed; nothing after it was tried`])
}

/** Writes a file for each Worker, with what it is given. Their paths, by env. */
function filesWith(secrets: Record<string, string>, configs: WorkerConfig[]): Map<string, string> {
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
