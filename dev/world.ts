import type { RequestInit, Response } from 'miniflare'
import pg from 'pg'
import { type NeonEndpoint, startNeonEndpoint } from './neon-endpoint.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import type { Secrets } from './secrets.ts'
import { startWorkers, type Workers } from './workers.ts'

export interface WorldOptions {
  /** A Postgres database that has the schema. */
  databaseUrl: string
  secrets: Secrets
  /** 0 or absent: a free port. */
  ports?: { service?: number; stripe?: number; receiver?: number }
  /** Where KV and the processors' state are kept; without it they are gone at the end. */
  folder?: string
  /** How long a start-checkout attempt keeps its claim, instead of what wrangler.toml says. */
  checkoutLeaseSeconds?: number
  onLog: (level: string, message: string) => void
}

/** The whole service and what stands around it, on 127.0.0.1. */
export interface World {
  /** The gateway's origin. */
  readonly url: string
  /** A request to the gateway: a path or a URL of any host, with `cf` as Cloudflare fills it in. Follows no redirect. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  readonly database: pg.Pool
  readonly databaseUrl: string
  readonly neon: NeonEndpoint
  readonly receiver: Receiver
  readonly workers: Workers
  /** Stops everything that the world started. */
  close(): Promise<void>
}

export async function startWorld(options: WorldOptions): Promise<World> {
  await using started = new AsyncDisposableStack()
  const keep = <T extends { close(): Promise<unknown> }>(part: T) =>
    started.adopt(part, () => part.close().then(() => {}))

  const neon = keep(await startNeonEndpoint())
  const receiver = keep(await startReceiver({ port: options.ports?.receiver ?? 0, secrets: () => [] }))
  const database = new pg.Pool({ connectionString: options.databaseUrl })
  database.on('error', () => undefined)
  started.defer(() => database.end())
  const workers = await startWorkers({
    port: options.ports?.service ?? 0,
    ...(options.folder && { folder: options.folder }),
    onLog: options.onLog,
    values: {
      ...options.secrets,
      DATABASE_URL: options.databaseUrl,
      NEON_FETCH_ENDPOINT: neon.url,
      ALLOW_LOCAL_ENDPOINTS: true,
      ...(options.checkoutLeaseSeconds !== undefined && { CHECKOUT_LEASE_SECONDS: options.checkoutLeaseSeconds }),
    },
  })
  started.defer(() => workers.stop())

  const running = started.move()
  return {
    url: workers.url,
    fetch: workers.fetch,
    database,
    databaseUrl: options.databaseUrl,
    neon,
    receiver,
    workers,
    close: () => running.disposeAsync(),
  }
}
