// Starts the parts in dependency order: the database pool and its proxy, the webhook receiver, the mail inbox, Turnstile's stand-in, the
// emulators, and the Workers, which get the addresses of the others. The emulators read the Workers' address when they use it, because it
// is not known earlier. Closes in reverse order.
import { join } from 'node:path'
import type { RequestInit, Response } from 'miniflare'
import pg from 'pg'
import { type ApplyResult, applyFile } from '../../cli/apply/apply.ts'
import { signingSecrets } from '../../cli/apply/webhooks.ts'
import { openKysely } from '../../cli/database.ts'
import { ROLES, roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { type Emulators, startEmulators } from '../emulators/emulators.ts'
import { type Clock, createClock } from './clock/clock.ts'
import { type NeonProxy, startNeonProxy } from './database/neon-proxy.ts'
import { KEPT_EVENTS, KEPT_MAILS } from './pages/arrivals.ts'
import { type MailInbox, startMailInbox } from './pages/mail-inbox.ts'
import { type Receiver, startReceiver } from './pages/receiver.ts'
import type { Secrets } from './secrets.ts'
import { startTurnstile, type Turnstile } from './turnstile.ts'
import { type Crons, createCrons } from './workers/crons.ts'
import { startWorkers, type Value, type Workers } from './workers/workers.ts'

export interface WorldOptions {
  /** A database migrated for this tree and these secrets, with the login of its owner. */
  databaseUrl: string
  /**
   * The current paywall files. The emulators and the receiver read credentials and prices from them at every use;
   * this does not apply them.
   */
  files: () => PaywallFile[]
  secrets: Secrets
  /** 0 or undefined: a free port. Emulators are named by their processors. */
  ports: { service: number; neon?: number; receiver: number; mail: number; turnstile?: number } & Partial<
    Record<ProcessorName, number>
  >
  /** The country of every visitor. Default: US. */
  country?: () => string
  /** The URL of home, to which the receiver and the mail inbox redirect. */
  home?: string
  /** The folder of KV and R2, and that of the emulators, the receiver and the mail inbox; without it all data is lost at the end. */
  keep?: { storage: string; states: string }
  /** The Workers' code by env, if it is bundled already. */
  code?: Map<string, string>
  /** Whether to open the DevTools inspector. */
  inspect?: boolean
  /** The Workers, by env, whose queue and rate limit bindings fail. */
  brokenBindings?: string[]
  /** Overrides variables of wrangler.toml. */
  variables?: Record<string, Value>
  onLog: (level: string, message: string) => void
  /** Whether accounts have their processors' rate limits. Default true. */
  rateLimitedAccounts?: boolean
  /** The `fetch` with which the emulators send webhooks. */
  fetch?: typeof fetch
  /** Replaces `startWorkers` in tests. */
  startWorkers?: typeof startWorkers
}

/** The whole service with its surroundings on 127.0.0.1. */
export interface World extends Emulators {
  /** The gateway's origin. */
  readonly url: string
  /** The origin of the docs. They are served at no other origin. */
  readonly docsUrl: string
  /** The origin of the console. It is served at no other origin. */
  readonly consoleUrl: string
  /** Sends a request to the gateway: a path or a URL of any host, with `cf` as Cloudflare fills it in. Does not follow redirects. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Applies a paywall file. */
  apply(file: PaywallFile): Promise<ApplyResult>
  readonly database: pg.Pool
  readonly databaseUrl: string
  readonly neon: NeonProxy
  readonly receiver: Receiver
  readonly mail: MailInbox
  readonly turnstile: Turnstile
  readonly workers: Workers
  readonly crons: Crons
  readonly clock: Clock
  /** Stops everything that the world started. */
  close(): Promise<void>
}

/** Starts all parts. If one fails, it stops those that had started. */
export async function startWorld({
  databaseUrl,
  files,
  secrets,
  ports,
  home,
  keep,
  ...options
}: WorldOptions): Promise<World> {
  await using started = new AsyncDisposableStack()
  const database = started.adopt(openPool(databaseUrl), (pool) => pool.end())
  const neon = started.adopt(await startNeonProxy({ port: ports.neon ?? 0 }), (proxy) => proxy.close())
  const receiver = started.adopt(
    await startReceiver({
      port: ports.receiver,
      secrets: () => webhookSecrets(files()),
      madeSecrets: () => signingSecrets(openKysely(database), secrets.WEBHOOK_SECRETS_KEY),
      path: keep && join(keep.states, KEPT_EVENTS),
      page: home && `${home}/#events`,
    }),
    (part) => part.close(),
  )
  const mail = started.adopt(
    await startMailInbox({
      port: ports.mail,
      path: keep && join(keep.states, KEPT_MAILS),
      page: home && `${home}/#mails`,
    }),
    (inbox) => inbox.close(),
  )
  const turnstile = started.adopt(await startTurnstile(files, ports.turnstile), (part) => part.close())
  let url = `http://127.0.0.1:${ports.service}`
  const emulators = await startEmulators(
    (acquiring) => ({
      port: ports[acquiring] ?? 0,
      files,
      serviceUrl: () => url,
      ...(options.rateLimitedAccounts !== undefined && { rateLimited: options.rateLimitedAccounts }),
      ...(options.fetch && { fetch: options.fetch }),
      ...(keep && { statePath: join(keep.states, `${acquiring}.json`) }),
    }),
    started,
  )
  const local = {
    PROCESSOR_API_BASES: apiBases(emulators),
    TURNSTILE_ORIGIN: turnstile.url,
    ALLOW_LOCAL_WEBHOOK_ENDPOINTS: true,
    ALLOW_LOCAL_IMAGES: true,
    ...(ports.service > 0 && {
      SERVICE_ORIGIN: `http://127.0.0.1:${ports.service}`,
      DOCS_ORIGIN: `http://localhost:${ports.service}`,
      CONSOLE_ORIGIN: `http://console.localhost:${ports.service}`,
    }),
  }
  const workers = started.adopt(
    await (options.startWorkers ?? startWorkers)({
      port: ports.service,
      ...(keep && { folder: keep.storage }),
      ...(options.code && { code: options.code }),
      ...(options.inspect && { inspect: true }),
      ...(options.brokenBindings && { brokenBindings: options.brokenBindings }),
      ...(options.country && { country: options.country }),
      receiveMail: mail.receive,
      onLog: options.onLog,
      values: { ...secrets, ...local, ...options.variables },
      databaseUrls: databaseUrls(databaseUrl, secrets.DATABASE_ROLES_KEY),
      neonUrl: neon.url,
    }),
    (part) => part.stop(),
  )
  url = workers.url

  const crons = createCrons(workers)
  const running = started.move()
  const sealing = {
    processorCredentialsKey: secrets.PROCESSOR_CREDENTIALS_KEY,
    webhookSecretsKey: secrets.WEBHOOK_SECRETS_KEY,
    turnstileSecretsKey: secrets.TURNSTILE_SECRETS_KEY,
  }
  return {
    url,
    docsUrl: `http://localhost:${new URL(url).port}`,
    consoleUrl: `http://console.localhost:${new URL(url).port}`,
    fetch: workers.fetch,
    apply: (file) => applyFile(openKysely(database), file, sealing),
    database,
    databaseUrl,
    neon,
    ...emulators,
    receiver,
    mail,
    turnstile,
    workers,
    crons,
    clock: createClock({ database, emulators, crons }),
    close: () => running.disposeAsync(),
  }
}

/** The emulators' addresses, which the Worker `processors` calls instead of the processors'. */
export const apiBases = (emulators: Record<ProcessorName, { url: string }>): string =>
  JSON.stringify(Object.fromEntries(PROCESSOR_NAMES.map((acquiring) => [acquiring, emulators[acquiring].url])))

/** The database URL of each Worker by its env, each with its own role. */
function databaseUrls(url: string, rolesKey: string): Record<string, string> {
  return Object.fromEntries(ROLES.map(({ env }) => [env, roleDatabaseUrl(env, url, rolesKey)]))
}

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 10_000 })
  // An idle connection fails when Postgres is killed. The pool drops it, and the next statement opens another.
  pool.on('error', () => undefined)
  // A connection in use fails the current or the next statement, which reports it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function webhookSecrets(files: PaywallFile[]): string[] {
  return files.flatMap(({ webhooks }) => webhooks.flatMap(({ secret }) => secret ?? []))
}
