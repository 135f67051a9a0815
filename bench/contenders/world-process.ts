// A process that runs the local world of a tree, controlled over IPC: node world-process.ts <root> <folder> [inspect]
// 1. It loads the world's modules from the measured tree, which may be another commit.
// 2. It starts a Postgres in <folder>, then the world on free ports, without rate limits.
// 3. It reports the world's addresses, executes commands, and when its parent exits stops everything and deletes <folder>.
// Packages are resolved from the measured tree, so this file imports only Node's own modules and types.

import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Call, Message, SentStatement, TimedStatement, WorldCommands } from './commands.ts'
import { runtimeMemory } from './runtime-memory.ts'
import { importWorld } from './tree-modules.ts'

enableCompileCache()

const [root = '', folder = '', inspect] = process.argv.slice(2)
const started = new AsyncDisposableStack()
const work = { statements: 0, milliseconds: 0 }
let recording: SentStatement[] | undefined
/** The statements of the running cron: the completed and the pending ones. */
let cron: { ended: TimedStatement[]; pending: Set<Promise<unknown>> } | undefined

// Ctrl-C reaches the whole process group: the parent handles it, and we exit with the parent.
process.on('SIGINT', () => undefined)
process.once('disconnect', () => void stop(0))

const send = (message: Message) => process.connected && process.send?.(message)

try {
  const { addresses, commands } = await start()
  process.on('message', (call: Call) => void answer(commands, call))
  send({ ready: addresses })
} catch (error) {
  send({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  await stop(1)
}

async function stop(code: number): Promise<void> {
  try {
    await started.disposeAsync()
  } finally {
    rmSync(folder, { recursive: true, force: true })
    process.exit(code)
  }
}

/** A port for the service: the console's origin, which has it, has to be known before the start. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function start() {
  const { startPostgres, ensureDatabase, prepare, makeSecrets, startWorld, readPaywallFile } = await importWorld(root)
  const postgres = started.adopt(await startPostgres({ folder: join(folder, 'postgres') }), (server) => server.stop())
  const databaseUrl = await ensureDatabase(postgres.url('postgres'), 'paywall')
  const secrets = await makeSecrets()
  await prepare(databaseUrl, secrets.DATABASE_ROLES_KEY)
  const files: Awaited<ReturnType<typeof parse>>[] = []
  const world = started.adopt(
    await startWorld({
      databaseUrl,
      files: () => files,
      secrets,
      ports: { service: await freePort(), stripe: 0, mollie: 0, receiver: 0, mail: 0 },
      variables: { RATE_LIMITED: false },
      rateLimitedAccounts: false,
      ...(inspect === 'inspect' && { inspect: true }),
      onLog: (level, message) => {
        if (level === 'error') console.error(message)
      },
    }),
    (part) => part.close(),
  )
  // Commits do not wait for the disk: the benchmark compares work, not hardware.
  for (const setting of ["synchronous_commit = 'off'", "max_wal_size = '8GB'"])
    await world.database.query(`alter system set ${setting}`)
  await world.database.query('select pg_reload_conf()')
  world.neon.onStatement = async ({ query, params }, run) => {
    recording?.push({ query, params })
    const current = cron
    const startedAt = performance.now()
    const running = run()
    current?.pending.add(running)
    try {
      return await running
    } finally {
      const milliseconds = performance.now() - startedAt
      work.statements += 1
      work.milliseconds += milliseconds
      current?.pending.delete(running)
      current?.ended.push({ query, milliseconds })
    }
  }

  async function parse(text: string) {
    const read = await readPaywallFile(text, {})
    if ('errors' in read) throw new Error(`the paywall file is wrong:\n${read.errors.join('\n')}`)
    return read.file
  }

  const commands: WorldCommands = {
    databaseWork: async () => ({ ...work }),
    async startRecording() {
      recording = []
    },
    async stopRecording() {
      const statements = recording ?? []
      recording = undefined
      return statements
    },
    async runCron(env) {
      const fired: typeof cron = { ended: [], pending: new Set() }
      cron = fired
      const startedAt = performance.now()
      const failed = await world.workers.scheduled(env).then(() => null, String)
      const milliseconds = performance.now() - startedAt
      cron = undefined
      // The Worker times out on a slow statement; wait for the database to measure it.
      await Promise.allSettled(fired.pending)
      return { milliseconds, statements: fired.ended, failed }
    },
    residentMemory: async () => runtimeMemory(process.pid),
    async apply(text) {
      const file = await parse(text)
      files.splice(0, Infinity, file)
      await world.apply(file)
    },
    inspector: async () => (await world.workers.inspector()).href,
  }
  return { addresses: { url: world.url, databaseUrl, neonUrl: world.neon.url }, commands }
}

async function answer(commands: WorldCommands, { number, command, argument = '' }: Call): Promise<void> {
  try {
    send({ answerTo: number, result: await commands[command](argument) })
  } catch (error) {
    send({ answerTo: number, error: error instanceof Error ? error.message : String(error) })
  }
}
