import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inject } from 'vitest'
import { withClient } from '../../dev/database.ts'
import { makeSecrets, type Secrets } from '../../dev/secrets.ts'
import { startWorld, type World } from '../../dev/world.ts'
import type { FilePaywall, PaywallFile } from '../../lib/paywall/file.ts'
import { asDocumented, eventsAsDocumented } from './hold-to-document.ts'
import { type FileOverrides, paywallFile } from './paywall-file.ts'

export interface TestWorldOptions {
  /** Members of the file that differ from the default one. */
  file?: FileOverrides
  /** How long a start-checkout attempt keeps its claim, instead of what wrangler.toml says. */
  checkoutLeaseSeconds?: number
  /** Whether the gateway counts requests; off by default, since a test makes more than a caller may. */
  rateLimited?: boolean
  /** A folder where KV and R2 are kept. */
  storage?: string
  /** Whether the Workers' memory can be measured: see `peakMemory`. */
  inspect?: boolean
  /** Whether the test writes events of its own to the outbox, which are none that the document knows. */
  inventsEvents?: boolean
  /** A database elsewhere, such as on a Postgres that the test kills. It must have the schema. */
  databaseUrl?: string
}

export interface TestWorld extends World {
  /** The file that was applied at the start; its webhook is the world's receiver, unless the options say otherwise. */
  readonly file: PaywallFile
  /** The first paywall of that file. */
  readonly paywall: FilePaywall
  /** The first owner key of that file. */
  readonly key: string
  readonly secrets: Secrets
  /** What the Workers logged. */
  readonly logs: { level: string; message: string }[]
}

/**
 * A world of its own on a fresh database, with its file applied. The caller closes it, in `afterAll` as a rule. Each
 * answer to `fetch` and, when it is closed, each event that the receiver got must be as the API's document says.
 */
export async function startTestWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const logs: TestWorld['logs'] = []
  const files: PaywallFile[] = []
  const secrets = await makeSecrets()
  const world = await startWorld({
    databaseUrl: options.databaseUrl ?? (await freshDatabase()),
    files: () => files,
    secrets,
    ports: { service: 0, stripe: 0, receiver: 0, mail: 0 },
    code: bundledCode(),
    ...(options.inspect && { inspect: true }),
    ...(options.storage !== undefined && {
      keep: { storage: options.storage, stripe: join(options.storage, 'stripe.json') },
    }),
    variables: {
      RATE_LIMITED: options.rateLimited ?? false,
      ...(options.checkoutLeaseSeconds !== undefined && { CHECKOUT_LEASE_SECONDS: options.checkoutLeaseSeconds }),
    },
    onLog: (level, message) => void logs.push({ level, message }),
  })
  async function apply(file: PaywallFile) {
    const applied = await world.apply(file)
    const others = files.filter(({ owner }) => owner.email !== file.owner.email)
    files.splice(0, Infinity, ...others, file)
    return applied
  }
  const webhook = { url: `${world.receiver.url}/hooks`, secret: `whsec_${randomBytes(32).toString('base64')}` }
  const file = await paywallFile({ webhooks: [webhook], ...options.file })
  await apply(file)
  return {
    ...world,
    fetch: async (path, init) => asDocumented({ url: path, method: init?.method }, await world.fetch(path, init)),
    async close() {
      await world.close()
      if (!options.inventsEvents) eventsAsDocumented(world.receiver.received)
    },
    apply,
    file,
    paywall: file.paywalls[0]!,
    key: file.keys[0]?.secret ?? '',
    secrets,
    logs,
  }
}

/** A copy of the template database. It goes away with the run's Postgres. */
export async function freshDatabase(): Promise<string> {
  const name = `world_${randomUUID().replaceAll('-', '')}`
  await withClient(inThisPostgres('postgres'), (client) => client.query(`create database ${name} template template`))
  return inThisPostgres(name)
}

function bundledCode(): Map<string, string> {
  const folder = inject('bundles')
  return new Map(readdirSync(folder).map((file) => [basename(file, '.js'), readFileSync(join(folder, file), 'utf8')]))
}

function inThisPostgres(database: string): string {
  const url = new URL(inject('templateUrl'))
  url.pathname = `/${database}`
  return url.href
}
