import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type RequestInit, type Response } from 'miniflare'
import * as z from 'zod'
import { bundleWorkers } from './bundle.ts'
import { CRON_URL, cronWorker } from './cron-worker.ts'
import { listDataModules } from './data-modules.ts'
import { MAIL_WORKER, mailWorker, type TakeMail } from './mail-binding.ts'
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
  /** Variables and secrets by name. A Worker gets those its block of wrangler.toml declares, and no others. */
  values: Record<string, Value>
  /** The DATABASE_URL of each Worker that has one, by its env. */
  databaseUrls: Record<string, string>
  /** The address of what stands in for Neon's proxy. */
  neonUrl: string
  /** The Workers' code by env, where it is bundled already. */
  code?: Map<string, string>
  /** Where the Workers' e-mails go. */
  takeMail: TakeMail
  /** Where KV and R2 are kept, as `wrangler --persist-to` finds it; without it, all is gone at the end. */
  folder?: string
  /** Whether the Workers can be looked into with the DevTools protocol. */
  inspect?: boolean
  /** The Workers, by env, for which queues and rate limits are away: what they ask of them fails. */
  cutOff?: string[]
  onLog: (level: string, message: string) => void
}

/** All Workers of wrangler.toml in one workerd, behind the gateway. */
export interface Workers {
  /** The gateway's origin. */
  readonly url: string
  /** A request to the gateway: a path or a URL of any host, with `cf` as Cloudflare fills it in. Follows no redirect. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Where the DevTools protocol is spoken, if it is. */
  inspector(): Promise<URL>
  /** An R2 bucket, by the Worker's env and its binding. */
  bucket(env: string, binding: string): ReturnType<Miniflare['getR2Bucket']>
  /** A KV namespace, likewise. */
  kv(env: string, binding: string): ReturnType<Miniflare['getKVNamespace']>
  /** The caches of the place where the Workers run. */
  caches(): ReturnType<Miniflare['getCaches']>
  /** Fires the cron trigger of a Worker, named as in wrangler.toml. Rejects if it fails. */
  scheduled(env: string): Promise<void>
  /**
   * Kills the runtime as a crash would. It comes back on the same port, even if it is killed once more as it starts: resolves
   * when it is there again.
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
  takeMail,
  folder,
  inspect,
  cutOff = [],
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
    ...(cutOff.includes(config.env) && { queueProducers: {}, ratelimits: {} }),
    serviceBindings: {
      ...boundTo(config, neonUrl),
      ...(cutOff.includes(config.env) && standIns(config)),
    },
  }))
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
    workers: [...workers, mailWorker(takeMail, configs[0]?.compatibilityDate), cronWorker(configs)],
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
  const configOf = (env: string) => configs.find((candidate) => candidate.env === env)

  return {
    url,
    fetch: (path, init) => miniflare.dispatchFetch(new URL(path, url).href, { redirect: 'manual', ...init }),
    inspector: () => miniflare.getInspectorURL(),
    bucket: (env, binding) => miniflare.getR2Bucket(binding, configOf(env)?.name),
    kv: (env, binding) => miniflare.getKVNamespace(binding, configOf(env)?.name),
    caches: () => miniflare.getCaches(),
    async scheduled(env) {
      const body = JSON.stringify({ worker: env, cron: configOf(env)?.crons[0] ?? '' })
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

/** Miniflare serves its first Worker. */
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
 * What a Worker calls: others, and what stands in for Cloudflare's e-mail service and for Neon's proxy. That is bound to it, because
 * each call to an address would go through a Worker of Miniflare's.
 */
function boundTo({ services, mailBindings, secrets }: WorkerConfig, neonUrl: string) {
  const workers = [
    ...services.map(({ binding, service }) => [binding, service]),
    ...mailBindings.map((binding) => [binding, MAIL_WORKER]),
  ]
  return {
    ...Object.fromEntries(workers),
    ...(secrets.includes('DATABASE_URL') && { NEON_PROXY: { external: { address: new URL(neonUrl).host, http: {} } } }),
  }
}

/** In the place of a queue or a rate limit that is away stands the Worker itself, which does not have their methods. */
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

/** Miniflare ends the whole process on a signal. The world stops its parts in order instead, so its handlers go. */
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
