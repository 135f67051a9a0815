import { fileURLToPath } from 'node:url'
import * as z from 'zod'

/** The environment of wrangler when it runs as a command. */
export const WRANGLER_ENVIRONMENT = { ...process.env }

// As a library it must be silent: it warns about each secret that it does not find, and the world provides all secrets itself.
process.env.WRANGLER_LOG ??= 'error'
const { experimental_generateTypes, unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import('wrangler')

const WRANGLER_CONFIG = fileURLToPath(new URL('../../../wrangler.toml', import.meta.url))

/** An `[env.<env>]` block of wrangler.toml: a Worker and its bindings. */
export interface WorkerConfig {
  env: string
  /** Its name when deployed, which service bindings use. */
  name: string
  compatibilityDate: string
  /** Absolute path of its entry file. */
  main: string
  /** The shell command that builds its assets, run in the project's folder. */
  buildCommand: string | null
  vars: Record<string, string | number | boolean>
  secrets: string[]
  crons: string[]
  /** The Workers it calls: the binding's name and the Worker's name when deployed. */
  services: { binding: string; service: string }[]
  /** The names of its e-mail bindings. */
  mailBindings: string[]
  /** The names of its queue bindings. */
  queueBindings: string[]
  /** The names of its rate limit bindings. */
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

/** Reads all Workers of wrangler.toml, or of another file, in file order. */
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

/** The same block as options of Miniflare, without code. */
export function miniflareOptions(env: string) {
  const { modulesRules: _modulesRules, ...options } = unstable_getMiniflareWorkerOptions(
    WRANGLER_CONFIG,
    env,
  ).workerOptions
  return options
}

/**
 * Generates a `Cloudflare.<Env>Env` interface for each block, as `wrangler types` writes it to `path`. The path is relative to the
 * project's folder, in which this has to run.
 */
export async function generateBindingTypes(path: string): Promise<string> {
  const { content } = await experimental_generateTypes({ path, includeRuntime: false, strictVars: false })
  return content
}
