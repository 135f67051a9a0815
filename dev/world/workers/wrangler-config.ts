import { fileURLToPath } from 'node:url'
import * as z from 'zod'

/** What wrangler runs in when it is run as a command. */
export const WRANGLER_ENVIRONMENT = { ...process.env }

// As a library it must be silent: it warns of each secret it does not find, and the world gives every secret itself.
process.env.WRANGLER_LOG ??= 'error'
const { experimental_generateTypes, unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import('wrangler')

const WRANGLER_CONFIG = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url))

/** One `[env.<env>]` block of wrangler.toml: a Worker and what it may touch. */
export interface WorkerConfig {
  env: string
  /** Its name when deployed, which service bindings use. */
  name: string
  compatibilityDate: string
  /** Absolute path of its entry file. */
  main: string
  /** The shell command that makes what it serves besides its code, if anything. It is run in the project's folder. */
  buildCommand: string | null
  vars: Record<string, string | number | boolean>
  secrets: string[]
  crons: string[]
  /** The Workers it calls: the name of the binding, and the Worker's name when deployed. */
  services: { binding: string; service: string }[]
  /** Names of its bindings that send e-mail. */
  mailBindings: string[]
  /** Names of its bindings that send to a queue. */
  queueBindings: string[]
  /** Names of its bindings that count against a limit. */
  limitBindings: string[]
}

const Root = z.object({ definedEnvironments: z.array(z.string()) })

const Block = z.object({
  name: z.string(),
  compatibility_date: z.string(),
  main: z.string(),
  build: z.object({ command: z.string().nullable().default(null) }),
  vars: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  secrets: z.object({ required: z.array(z.string()).default([]) }).default({ required: [] }),
  triggers: z.object({ crons: z.array(z.string()).default([]) }),
  services: z.array(z.object({ binding: z.string(), service: z.string() })).default([]),
  send_email: z.array(z.object({ name: z.string() })).default([]),
  queues: z.object({ producers: z.array(z.object({ binding: z.string() })).default([]) }),
  ratelimits: z.array(z.object({ name: z.string() })).default([]),
})

/** Every Worker of wrangler.toml, or of another file, in its order. */
export function readWorkerConfigs(path = WRANGLER_CONFIG): WorkerConfig[] {
  const { definedEnvironments } = Root.parse(unstable_readConfig({ config: path }))
  return definedEnvironments.map((env) => {
    const config = unstable_readConfig({ config: path, env })
    const { secrets, triggers, queues, ratelimits, build, ...block } = Block.parse(config)
    const { send_email: mail, compatibility_date: compatibilityDate, ...rest } = block
    return {
      ...rest,
      env,
      compatibilityDate,
      buildCommand: build.command,
      secrets: secrets.required,
      crons: triggers.crons,
      mailBindings: mail.map(({ name }) => name),
      queueBindings: queues.producers.map(({ binding }) => binding),
      limitBindings: ratelimits.map(({ name }) => name),
    }
  })
}

/** The same block in Miniflare's words, without code. */
export function miniflareOptions(env: string) {
  const { modulesRules: _modulesRules, ...options } = unstable_getMiniflareWorkerOptions(
    WRANGLER_CONFIG,
    env,
  ).workerOptions
  return options
}

/**
 * One `Cloudflare.<Env>Env` interface for each block: what `wrangler types` writes to `path`, relative to the project's
 * folder, where it has to run.
 */
export async function generateBindingTypes(path: string): Promise<string> {
  const { content } = await experimental_generateTypes({ path, includeRuntime: false, strictVars: false })
  return content
}
