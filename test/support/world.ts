import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Headers, type RequestInit, type Response, fetch as wireFetch } from 'miniflare'
import { afterAll, beforeAll, inject } from 'vitest'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import type { Secrets } from '../../dev/world/secrets.ts'
import { startWorld, type World } from '../../dev/world/world.ts'
import { freshDatabase, testSecrets } from './databases.ts'
import { checkedFetch, expectDocumented, expectDocumentedEvents } from './expect-documented.ts'
import { type FileOverrides, paywallFile } from './paywall-file.ts'
import { reservePort } from './ports.ts'
import { sharedBase, type WorldBase } from './shared-workers.ts'

export interface TestWorldOptions extends WorkersOfItsOwn {
  /** Fields of the file that differ from the default one. */
  file?: FileOverrides
  /** What the emulators know besides the files that the test applies by `apply`. */
  known?: () => PaywallFile[]
  /** Whether the test writes its own events to the outbox, of types that the API's document does not have. */
  writesUndocumentedEvents?: boolean
}

/** Options that the Workers shared by the test files do not have. With any of them a world starts its own Workers. */
interface WorkersOfItsOwn {
  /** How long a start-checkout attempt keeps its claim. Default: as in wrangler.toml. */
  checkoutLeaseSeconds?: number
  /** Whether the gateway limits requests. Off by default, since a test makes more of them than a caller may. */
  rateLimited?: boolean
  /** The country of every visitor. Default: US. */
  country?: () => string
  /** Secrets to use instead of fresh ones. */
  secrets?: Partial<Secrets>
  /** The folder in which KV and R2 are stored. */
  storage?: string
  /** Whether the Workers' memory can be measured: see `peakMemory`. */
  inspect?: boolean
  /** Workers that do not run, by env. A call to one of them gets no response. */
  missingWorkers?: string[]
  /** Code that runs before a Worker's own code when it starts, by env. */
  preludes?: Record<string, string>
  /** Workers, by env, whose bindings of queues and rate limits fail. */
  brokenBindings?: string[]
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
 * Starts one world for all tests of a file in `beforeAll`, and closes it in `afterAll`. It has no fields until it is started, so only tests
 * and hooks may read it.
 */
export function useTestWorld(options?: TestWorldOptions): TestWorld {
  const world = {} as TestWorld
  let started: TestWorld | undefined
  beforeAll(async () => {
    started = await startTestWorld(options)
    Object.assign(world, started)
  })
  afterAll(() => started?.close())
  return world
}

/**
 * Starts a world on a fresh database and applies its file. The caller closes it, usually in `afterAll`. `fetch` throws if a response does
 * not match the API's document; `close` throws if a response that an emulator got to a webhook does not, or an event that the receiver got.
 */
export async function startTestWorld({
  file: overrides,
  known = () => [],
  writesUndocumentedEvents,
  ...own
}: TestWorldOptions = {}): Promise<TestWorld> {
  const logs: TestWorld['logs'] = []
  const files: PaywallFile[] = []
  /** The former versions of paywalls that have changed their processor since: the previous processor keeps their accounts. */
  const former: PaywallFile[] = []
  const faults: unknown[] = []
  const base = Object.keys(own).length > 0 ? await baseOfItsOwn(own) : await sharedBase()
  const world = await startWorld({
    ...base,
    files: () => [...files, ...former.map((file) => onlySwitched(file, files)), ...known()],
    fetch: checkedFetch(faults),
    // A test makes more calls than an account may. A test of this limit sets it itself.
    rateLimitedAccounts: false,
    code: getCode(own),
    onLog: (level, message) => void logs.push({ level, message }),
  })
  async function apply(file: PaywallFile) {
    const applied = await world.apply(file)
    const others = files.filter(({ owner }) => owner.email !== file.owner.email)
    const switched = files.filter((each) => !others.includes(each)).map((each) => onlySwitched(each, [file]))
    former.push(...switched.filter(({ paywalls }) => paywalls.length > 0))
    files.splice(0, Infinity, ...others, file)
    return applied
  }
  const webhook = { url: `${world.receiver.url}/webhooks`, secret: `whsec_${randomBytes(32).toString('base64')}` }
  const file = await paywallFile({ webhooks: [webhook], ...overrides })
  await apply(file)
  return {
    ...world,
    fetch: async (path, init) =>
      expectDocumented({ url: path, method: init?.method }, await send(world, path, uncompressed(init))),
    async close() {
      const written = writesUndocumentedEvents ? [] : await writtenEvents(world)
      await world.close()
      if (faults.length > 0) throw new AggregateError(faults, 'webhooks were answered as openapi.json does not say')
      if (!writesUndocumentedEvents) expectDocumentedEvents(world.receiver.received, written)
    },
    apply,
    file,
    paywall: file.paywalls[0]!,
    key: file.keys[0]?.secret ?? '',
    secrets: base.secrets,
    logs,
  }
}

/** The events in the outbox, for whichever webhook endpoint. None if the test has stopped its Postgres. */
async function writtenEvents({ database }: World): Promise<{ body: string }[]> {
  const { rows } = await database.query<{ body: string }>('select body from events').catch(() => ({ rows: [] }))
  return rows
}

/** A file's paywalls that sell through another processor in the current files. */
function onlySwitched(file: PaywallFile, now: PaywallFile[]): PaywallFile {
  const sellers = new Map(now.flatMap(({ paywalls }) => paywalls.map(({ id, processor }) => [id, processor.acquiring])))
  const isSwitched = ({ id, processor }: FilePaywall) => sellers.has(id) && sellers.get(id) !== processor.acquiring
  return { ...file, webhooks: [], paywalls: file.paywalls.filter(isSwitched) }
}

async function baseOfItsOwn(options: WorkersOfItsOwn): Promise<WorldBase> {
  const {
    checkoutLeaseSeconds,
    rateLimited = false,
    secrets,
    storage,
    inspect = false,
    brokenBindings,
    country,
    databaseUrl,
  } = options
  return {
    databaseUrl: databaseUrl ?? (await freshDatabase()),
    secrets: { ...(await testSecrets()), ...secrets },
    ports: { service: await reservePort(), receiver: 0, mail: 0 },
    inspect,
    ...(brokenBindings && { brokenBindings }),
    ...(country && { country }),
    ...(storage !== undefined && {
      keep: { storage, states: storage },
    }),
    variables: {
      RATE_LIMITED: rateLimited,
      ...(checkoutLeaseSeconds !== undefined && { CHECKOUT_LEASE_SECONDS: checkoutLeaseSeconds }),
    },
  }
}

/** Miniflare's direct call of a Worker loses empty headers, so a request with one goes over HTTP. */
function send({ url, fetch }: World, path: string, init: RequestInit & { headers: Headers }): Promise<Response> {
  if (![...init.headers.values()].includes('')) return fetch(path, init)
  return wireFetch(new URL(path, url), { redirect: 'manual', ...init })
}

/** Asks for responses that are not compressed: compressing them would take a good part of a test's time. */
function uncompressed(init: RequestInit = {}) {
  const headers = new Headers(init.headers)
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
  return { ...init, headers }
}

/** The Workers' code by env. */
function getCode({ missingWorkers = [], preludes = {} }: WorkersOfItsOwn): Map<string, string> {
  const code = new Map(bundledCode())
  for (const env of missingWorkers) code.set(env, 'export default {}')
  for (const [env, prelude] of Object.entries(preludes)) code.set(env, `${prelude}\n${code.get(env)}`)
  return code
}

let bundled: Map<string, string> | undefined

function bundledCode(): Map<string, string> {
  const folder = inject('bundles')
  bundled ??= new Map(
    readdirSync(folder).map((file) => [basename(file, '.js'), readFileSync(join(folder, file), 'utf8')]),
  )
  return bundled
}
