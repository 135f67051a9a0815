import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type RequestInit, type Response } from 'miniflare'
import * as z from 'zod'
import { bundleWorkers } from './bundle.ts'
import { CRON_URL, cronWorker } from './cron-worker.ts'
import { listDataModules } from './data-modules.ts'
import { edgeWorker } from './edge-worker.ts'
import { MAIL_WORKER, mailWorker, type ReceiveMail } from './mail-binding.ts'
import { RUNTIME, WORKER } from './runtime-settings.ts'
import { watchingSpawns } from './spawns.ts'
import { untilItRuns } from './until-it-runs.ts'
import { miniflareOptions, readWorkerConfigs, type WorkerConfig } from './wrangler-config.ts'

const CronEnded = z.object({ outcome: z.string() })

/** A variable or secret of a Worker. */
export type Value = string | number | boolean

export interface WorkersOptions {
  /** 0: a free port. */
  port: number
  /** Variables and secrets by name. A Worker gets only those that its block of wrangler.toml declares. */
  values: Record<string, Value>
  /** The DATABASE_URL of each Worker that has one, by its env. */
  databaseUrls: Record<string, string>
  /** The address of the local Neon proxy. */
  neonUrl: string
  /** The Workers' code by env, if it is bundled already. */
  code?: Map<string, string>
  receiveMail: ReceiveMail
  /** The folder of KV and R2, as for `wrangler --persist-to`; without it they are lost at the end. */
  folder?: string
  /** Whether to open the DevTools inspector. */
  inspect?: boolean
  /** The Workers, by env, whose queue and rate limit bindings fail. */
  brokenBindings?: string[]
  /** The country of every visitor, if it may change. Default: US. */
  country?: () => string
  onLog: (level: string, message: string) => void
}

/** All Workers of wrangler.toml in one workerd, behind the gateway. */
export interface Workers {
  /** The gateway's origin. */
  readonly url: string
  /** Sends a request to the gateway: a path or a URL of any host, with `cf` as Cloudflare fills it in. Does not follow redirects. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The URL of the DevTools inspector, if it is open. */
  inspector(): Promise<URL>
  /** An R2 bucket by the Worker's env and its binding. */
  bucket(env: string, binding: string): ReturnType<Miniflare['getR2Bucket']>
  /** A KV namespace by the Worker's env and its binding. */
  kv(env: string, binding: string): ReturnType<Miniflare['getKVNamespace']>
  /** The runtime's caches. */
  caches(): ReturnType<Miniflare['getCaches']>
  /** Runs the cron trigger of a Worker, by its env in wrangler.toml. Rejects if it fails. */
  scheduled(env: string): Promise<void>
  /**
   * Kills the runtime as a crash would. It restarts on the same port, even if it is killed again while it starts. Resolves
   * when it is up again.
   */
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function startWorkers({
  port,
  values,
  databaseUrls,
  neonUrl,
  code,
  receiveMail,
  folder,
  inspect,
  brokenBindings = [],
  country,
  onLog,
}: WorkersOptions): Promise<Workers> {
  const configs = readWorkerConfigs()
  const valuesFor = ({ env }: WorkerConfig) => ({
    ...values,
    ...(databaseUrls[env] && { DATABASE_URL: databaseUrls[env] }),
  })
  const scripts = code ?? (await bundleWorkers(configs))
  const workers = gatewayFirst(configs).map((config) => ({
    ...workerOptions(config, scripts, valuesFor(config)),
    ...(brokenBindings.includes(config.env) && { queueProducers: {}, ratelimits: {} }),
    serviceBindings: {
      ...serviceBindings(config, neonUrl),
      ...(brokenBindings.includes(config.env) && standIns(config)),
    },
  }))
  const [gateway] = workers
  const edge = country && gateway ? [edgeWorker(gateway.name, country, configs[0]?.compatibilityDate)] : []
  let runtime: ChildProcess | undefined
  let running: Promise<void> | undefined
  let stopping = false
  const options = convertV4MiniflareOptions({
    ...RUNTIME,
    port,
    ...(folder && { resourcePersistencePath: join(folder, 'v3') }),
    ...(inspect && { inspectorPort: 0 }),
    handleStructuredLogs: ({ level, message }) => onLog(level, message),
    handleUncaughtError: (error) => onLog('error', error.stack ?? error.message),
    workers: [...edge, ...workers, mailWorker(receiveMail, configs[0]?.compatibilityDate), cronWorker(configs)],
  })
  const onSpawn = (child: ChildProcess) => {
    runtime = child
    child.once('exit', () => {
      running ??= untilItRuns(miniflare, options, () => stopping).finally(() => {
        running = undefined
      })
    })
  }
  const miniflare = watchingSpawns(onSpawn, () => withoutSignalHandlers(() => new Miniflare(options)))
  const url = (await miniflare.ready).origin
  const findConfig = (env: string) => configs.find((candidate) => candidate.env === env)

  return {
    url,
    fetch: (path, init) => miniflare.dispatchFetch(new URL(path, url).href, { redirect: 'manual', ...init }),
    inspector: () => miniflare.getInspectorURL(),
    bucket: (env, binding) => miniflare.getR2Bucket(binding, findConfig(env)?.name),
    kv: (env, binding) => miniflare.getKVNamespace(binding, findConfig(env)?.name),
    caches: () => miniflare.getCaches(),
    async scheduled(env) {
      const body = JSON.stringify({ worker: env, cron: findConfig(env)?.crons[0] ?? '' })
      const response = await miniflare.dispatchFetch(CRON_URL, { method: 'POST', body })
      const { outcome } = CronEnded.parse(await response.json())
      if (outcome !== 'ok') throw new Error(`the cron of ${env} ended with: ${outcome}`)
    },
    async kill() {
      if (runtime && runtime.exitCode === null && runtime.signalCode === null) {
        const gone = once(runtime, 'exit')
        runtime.kill('SIGKILL')
        await gone
      }
      await running
    },
    async stop() {
      stopping = true
      await miniflare.dispose()
    },
  }
}

/** Miniflare routes requests to its first Worker. */
function gatewayFirst(configs: WorkerConfig[]): WorkerConfig[] {
  return configs.toSorted((one, other) => Number(other.env === 'gateway') - Number(one.env === 'gateway'))
}

function workerOptions(config: WorkerConfig, scripts: Map<string, string>, values: Record<string, Value>) {
  const script = scripts.get(config.env)
  if (script === undefined) throw new Error(`[env.${config.env}] was not bundled`)
  return {
    ...miniflareOptions(config.env),
    ...WORKER,
    ...(config.mailBindings.length > 0 && { email: {} }),
    name: config.name,
    modules: listModules(script),
    bindings: bindings(config, values),
  }
}

/**
 * A Worker's service bindings: other Workers, and the stand-ins for Cloudflare's e-mail service and Neon's proxy. The proxy is bound
 * because calls to a URL would go through a Worker of Miniflare's.
 */
function serviceBindings({ services, mailBindings, secrets }: WorkerConfig, neonUrl: string) {
  const workers = [
    ...services.map(({ binding, service }) => [binding, service]),
    ...mailBindings.map((binding) => [binding, MAIL_WORKER]),
  ]
  return {
    ...Object.fromEntries(workers),
    ...(secrets.includes('DATABASE_URL') && { NEON_PROXY: { external: { address: new URL(neonUrl).host, http: {} } } }),
  }
}

/** Replaces queues and rate limits by the Worker itself, which does not have their methods, so that calls fail. */
function standIns({ name, queueBindings, limitBindings }: WorkerConfig) {
  return Object.fromEntries([...queueBindings, ...limitBindings].map((binding) => [binding, name]))
}

function listModules(script: string) {
  const data = [...listDataModules(script)].map(([path, contents]) => ({ type: 'Data' as const, path, contents }))
  return [{ type: 'ESModule' as const, path: 'worker.js', contents: script }, ...data]
}

function bindings({ env, vars, secrets }: WorkerConfig, values: Record<string, Value>): Record<string, Value> {
  const missing = secrets.filter((name) => values[name] === undefined)
  if (missing.length > 0) throw new Error(`the local world has no ${missing.join(', ')}, which [env.${env}] requires`)
  const given = Object.entries(values).filter(([name]) => name in vars || secrets.includes(name))
  return { ...vars, ...Object.fromEntries(given) }
}

/** Removes Miniflare's signal handlers, which exit the process: the world stops its parts in order instead. */
function withoutSignalHandlers<T>(start: () => T): T {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const before = signals.map((signal) => process.listeners(signal))
  const started = start()
  for (const [index, signal] of signals.entries()) {
    const added = process.listeners(signal).filter((listener) => !before[index]?.includes(listener))
    for (const listener of added) process.removeListener(signal, listener)
  }
  return started
}
