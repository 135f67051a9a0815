// `npm run dev`. If a step fails or a signal arrives, it stops everything it has started:
// 1. read the options, secrets and paywall files and check that the ports are free, before anything slow starts
// 2. start Postgres while loading wrangler and Miniflare, which takes seconds
// 3. migrate the database and start the world on it (world.ts)
// 4. apply the paywall files, now and at each save, and start the crons
// 5. print all addresses once everything responds, and wait for a signal
import { rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { CommandError } from '../../cli/command.ts'
import { openKysely, withDatabase } from '../../cli/database.ts'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { runProgram } from '../../cli/program.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { removeCluster } from './database/cluster.ts'
import { ensureDatabase, prepareDatabase } from './database/database.ts'
import { waitUntilUnused } from './database/leftover.ts'
import { startPostgres } from './database/postgres.ts'
import { DEMO, demoWithOpenOffer, demoWithPorts, writeDemo } from './demo.ts'
import { shownPaywalls } from './home/context.ts'
import { startHome } from './home/home.ts'
import { openKeptKeys } from './kept-keys.ts'
import { parseLogLine } from './log-line.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { KEPT_EVENTS, KEPT_MAILS } from './pages/arrivals.ts'
import { openPaywallFiles, type PaywallFiles } from './paywall-files.ts'
import { isTaken } from './ports.ts'
import { jsonReport, textReport } from './report.ts'
import { createSavedFiles } from './saved-files.ts'
import { fileEnvironment, readSecrets, type Secrets, STORAGE, writeCommandEnvironment } from './secrets.ts'
import type { Shop } from './shop.ts'
import { stopRequested } from './signals.ts'
import { readStoredFiles } from './stored-files.ts'
import type { World } from './world.ts'

/** Short enough that nobody waits for a cron, long enough to keep the machine idle. */
const CRON_SECONDS = 2
/** Longer than any part needs to stop. Processes still running then are killed: see `killOnParentExit`. */
const STOP_SECONDS = 15

// Modules loaded from here on, above all wrangler and Miniflare, are compiled at the first start only.
enableCompileCache()

await runProgram({ help: HELP, readOptions: (args) => readOptions(args, process.env), run })

/** Starts the world, reports it, and stops it on a signal: at once, or after the current step. */
async function run(options: Options): Promise<number> {
  const report = options.json ? jsonReport : textReport
  const stop = stopRequested()
  let stopping = false
  void stop.then(() => {
    stopping = true
    setTimeout(() => process.exit(1), STOP_SECONDS * 1000).unref()
  })
  await using started = new AsyncDisposableStack()

  await refuseTakenPorts(options.ports)
  const secrets = await readSecrets(options.folder)
  const demo = options.processor && writeDemo(options.folder, options.processor)
  const files = started.adopt(await openFiles(options, demo, secrets), (all) => all.close())
  if (options.reset) await deleteData(options.folder)
  // Loading wrangler and Miniflare takes seconds: do it after the checks, and in parallel with starting Postgres.
  const [databaseUrl, { startWorld }] = await Promise.all([
    options.databaseUrl ?? openEmbedded(options.folder, started),
    import('./world.ts'),
  ])
  await prepareDatabase(databaseUrl, secrets.DATABASE_ROLES_KEY)
  const homeUrl = `http://127.0.0.1:${options.ports.home}`
  writeCommandEnvironment(options.folder, { databaseUrl, home: homeUrl }, secrets)
  files.remember(await withDatabase(databaseUrl, (db) => readStoredFiles(db, secrets, files.current())))
  if (stopping) return 0

  const visitor = { country: options.country }
  const world = started.adopt(
    await startWorld({
      databaseUrl,
      files: files.known,
      secrets,
      ports: options.ports,
      home: homeUrl,
      country: () => visitor.country,
      keep: { storage: join(options.folder, STORAGE), states: options.folder },
      onLog: (level, message) => {
        const entry = stopping ? null : parseLogLine(level, message)
        if (entry) report.logged(entry)
      },
    }),
    (part) => part.close(),
  )
  const saves = createSavedFiles(report.saved)
  const reload = async (...applied: PaywallFile[]) =>
    files.remember(await readStoredFiles(openKysely(world.database), secrets, [...files.current(), ...applied]))
  const results = await files.applyWith(applyTo(world, options.folder, reload), saves.onSaved)
  started.defer(world.crons.start(CRON_SECONDS, (error) => stopping || report.cronFailed(error)))
  const shop = started.adopt(await openShop(options, world, files), (part) => part?.close())
  const home = started.adopt(
    await startHome({
      port: options.ports.home,
      world,
      files,
      reload,
      visitor,
      shop: shop?.url ?? null,
      invalidFiles: saves.invalidFiles,
    }),
    (part) => part.close(),
  )
  await waitUntilReady(world)
  if (stopping) return 0

  report.ready({ world, home, shop, files: files.current(), results, demo })
  await stop
  return 0
}

/** The demo's ports are replaced by the actual ones. Files given with --config are read unchanged. */
function openFiles(
  { configs, ports }: Options,
  demo: { path: string } | null,
  secrets: Secrets,
): Promise<PaywallFiles> {
  const environment = fileEnvironment(secrets)
  if (configs) return openPaywallFiles(configs, { environment })
  return openPaywallFiles([demo?.path ?? DEMO], {
    environment,
    rewrite: (text) => demoWithOpenOffer(demoWithPorts(ports, text)),
  })
}

/** Applies a file with the keys kept in `folder`. Returns it with their secrets. */
function applyTo(world: World, folder: string, reload: (applied: PaywallFile) => Promise<void>) {
  const completeKeys = openKeptKeys(folder, world.database)
  return async (written: PaywallFile) => {
    const file = await completeKeys(written)
    const result = await world.apply(file)
    await reload(file)
    return { ...result, file }
  }
}

/** The shop sells the first paywall. Null if its owner key was created elsewhere. */
async function openShop({ ports }: Options, { url }: World, files: PaywallFiles): Promise<Shop | null> {
  const [first] = shownPaywalls({ files })
  if (!first?.key) return null
  const { startShop } = await import('./shop.ts')
  return startShop({ port: ports.shop, baseUrl: url, ...first, key: first.key })
}

async function refuseTakenPorts(ports: Options['ports']): Promise<void> {
  const problems: string[] = []
  for (const [part, port] of Object.entries(ports)) {
    const option = part === 'service' ? '--port' : `--${part}-port`
    if (await isTaken(port))
      problems.push(`port ${port} is in use: stop the process that listens there, or choose another with ${option}`)
  }
  if (problems.length > 0) throw new CommandError(problems)
}

/** Deletes all data. The secrets stay, so that keys that somebody wrote down keep working. */
async function deleteData(folder: string): Promise<void> {
  await waitUntilUnused(join(folder, 'postgres', 'data'))
  removeCluster(join(folder, 'postgres'))
  for (const name of [STORAGE, KEPT_EVENTS, KEPT_MAILS, ...PROCESSOR_NAMES.map((acquiring) => `${acquiring}.json`)])
    rmSync(join(folder, name), { recursive: true, force: true })
}

async function openEmbedded(folder: string, started: AsyncDisposableStack): Promise<string> {
  const postgres = started.adopt(await startPostgres({ folder: join(folder, 'postgres') }), (server) => server.stop())
  return ensureDatabase(postgres.url('postgres'), 'paywall')
}

async function waitUntilReady(world: World): Promise<void> {
  const parts = [
    { url: `${world.docsUrl}/docs` },
    world.receiver,
    world.mail,
    ...PROCESSOR_NAMES.map((acquiring) => world[acquiring]),
  ]
  await Promise.all(parts.map(({ url }) => fetch(url)))
}
