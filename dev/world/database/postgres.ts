import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { CommandError } from '../../../cli/command.ts'
import { ROLES } from '../../../cli/migrate/roles.ts'
import { killOnParentExit } from '../on-parent-exit.ts'
import { freePort } from '../ports.ts'
import { type PostgresBinaries, postgresBinaries } from './binaries.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { waitUntilUnused } from './leftover.ts'
import { POOL_SIZE } from './neon-proxy.ts'
import { type ServerUser, serverUser } from './server-user.ts'

/** A real Postgres on 127.0.0.1 that is restarted when its process dies. */
export interface Postgres {
  readonly port: number
  /** The URL of a database, with the superuser's login. */
  url(database: string): string
  /** Kills the server as a crash would; it is restarted. Resolves when the process has exited. */
  kill(): Promise<void>
  /** Resolves when the server accepts connections, which takes a moment after a crash. */
  ready(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Holds data, password and log. */
  folder: string
  port?: number
  /** Whether commits survive a power failure; they survive a crash of Postgres either way. Default true. */
  durable?: boolean
}

/** How many worlds share one Postgres: one per test process (`maxWorkers` in vitest.config.ts). */
const WORLDS = 3

/** For connections that worlds and tests open themselves, besides those of the Neon proxies. */
const OWN_CONNECTIONS = 100

/**
 * Enough for all connections of these worlds' Neon proxies: Postgres refuses any above the limit, and the Worker then
 * answers 503.
 */
const CONNECTIONS = WORLDS * ROLES.length * POOL_SIZE + OWN_CONNECTIONS

/** How long to retry a start that fails. Crash recovery takes a fraction of it. */
const START_SECONDS = 30

export async function startPostgres({ folder, port, durable = true }: PostgresOptions): Promise<Postgres> {
  const user = serverUser()
  const binaries = postgresBinaries(user)
  const cluster = await openCluster(folder, { binaries, user, durable })
  await waitUntilUnused(cluster.data)
  const server = new Server({ binaries, cluster, user, durable, port: port ?? (await freePort()) })
  await server.start()
  return server
}

interface ServerOptions {
  binaries: PostgresBinaries
  cluster: Cluster
  user: ServerUser
  durable: boolean
  port: number
}

class Server implements Postgres {
  readonly port: number
  #options: ServerOptions
  #process: ChildProcess | undefined
  #started: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(options: ServerOptions) {
    this.#options = options
    this.port = options.port
  }

  url(database: string): string {
    return `postgres://postgres:${this.#options.cluster.password}@127.0.0.1:${this.port}/${database}`
  }

  start(): Promise<void> {
    this.#started = this.#launchUntilReady()
    return this.#started
  }

  ready(): Promise<void> {
    return this.#started
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#end('SIGINT')
  }

  async #end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  async #launchUntilReady(): Promise<void> {
    const deadline = Date.now() + START_SECONDS * 1000
    while (!this.#stopping) {
      const child = this.#launch()
      const gone = once(child, 'exit').then(() => false)
      if (await Promise.race([gone, this.#acceptsConnections(child)])) {
        void gone.then(() => this.#restart())
        return
      }
      if (Date.now() > deadline) throw new CommandError([`Postgres does not start: ${this.#lastLogLine()}`])
      await delay(100)
    }
  }

  #restart(): void {
    if (this.#stopping) return
    console.error('Postgres exited unexpectedly; restarting it')
    this.start().catch((error: Error) => console.error(error.message))
  }

  #launch(): ChildProcess {
    const { binaries, cluster, user, durable, port } = this.#options
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      `max_connections=${CONNECTIONS}`,
      'timezone=UTC',
      'jit=off',
      `fsync=${durable ? 'on' : 'off'}`,
      `autovacuum=${durable ? 'on' : 'off'}`,
    ]
    const log = openSync(cluster.log, 'a')
    // Its own process group, so that Ctrl-C does not reach it: the Workers must stop before their database.
    const child = spawn(binaries.postgres, ['-D', cluster.data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...user,
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    this.#process = child
    if (child.pid) child.once('exit', killOnParentExit(child.pid, 'INT'))
    return child
  }

  async #acceptsConnections(child: ChildProcess): Promise<boolean> {
    while (child.exitCode === null && child.signalCode === null) {
      const client = new pg.Client({ connectionString: this.url('postgres'), connectionTimeoutMillis: 2000 })
      // A connection may break at any moment while the server starts; `connect` rejects then.
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.end()
        return true
      } catch {
        await delay(20)
      }
    }
    return false
  }

  #lastLogLine(): string {
    return readFileSync(this.#options.cluster.log, 'utf8').trimEnd().split('\n').at(-1) ?? 'its log is empty'
  }
}
