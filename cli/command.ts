// What every command needs: its environment and arguments, what it gives, and the error that it ends with.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** What a command did: in words, none if it has said all of them, and as the JSON that `--json` prints instead. */
export interface CommandResult {
  text: string
  json: Record<string, unknown>
}

/** Prints a line of what takes long while it goes on. With `--json` it prints nothing. */
export type PrintLine = (line: string) => void

/** Why a command did not do its work, in sentences for the person who ran it. `done`: what it did all the same. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly sentences: string[]
  readonly done: CommandResult | null

  constructor(sentences: string[], { done = null, ...options }: ErrorOptions & { done?: CommandResult | null } = {}) {
    super(sentences.join('\n'), options)
    this.sentences = sentences
    this.done = done
  }
}

/**
 * What seals the secrets that the database holds: three secrets of the Workers. Each is 32 bytes in base64url, or two such keys
 * with a comma between while it is rotated: the first one seals, both open (lib/crypto/seal.ts).
 */
export interface SealingKeys {
  processorCredentialsKey: string
  webhookSecretsKey: string
  turnstileSecretsKey: string
}

/**
 * Where DATABASE_URL is not set, takes the variables from the file that `npm run dev` leaves for its local world.
 * Variables that are set stay as they are. Throws a `CommandError` if there is no local world.
 */
export function enterLocalWorld(): void {
  if (process.env.DATABASE_URL) return
  const folder = resolve(ROOT, process.env.PAYWALL_LOCAL_DIR ?? '.local')
  const path = join(folder, 'env')
  if (!existsSync(path)) {
    throw new CommandError([`DATABASE_URL is not set, and there is no local world in ${folder}: npm run dev makes one`])
  }
  if (process.env.DATABASE_URL === '') delete process.env.DATABASE_URL // loadEnvFile replaces no variable, however empty
  process.loadEnvFile(path)
  process.stderr.write(`DATABASE_URL is not set: using the local world in ${folder}\n`)
}

/** The value of a variable. Throws a `CommandError` if it is not set. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new CommandError([`${name} is not set in the environment`])
  return value
}

/** The keys that the Workers open secrets with. Throws a `CommandError` if one is missing or malformed. */
export function sealingKeys(): SealingKeys {
  return {
    processorCredentialsKey: sealingKey('PROCESSOR_CREDENTIALS_KEY'),
    webhookSecretsKey: sealingKey('WEBHOOK_SECRETS_KEY'),
    turnstileSecretsKey: sealingKey('TURNSTILE_SECRETS_KEY'),
  }
}

function sealingKey(name: string): string {
  const keys = required(name)
  const each = keys.split(',').map((key) => key.trim())
  if (each.length > 2 || !each.every(isKey)) {
    throw new CommandError([`${name} must be 32 bytes in base64url, or two such keys with a comma between`])
  }
  return keys
}

const isKey = (text: string) => /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, 'base64url').length === 32

/** The absolute path of an argument. The person's shell is in its folder; npm runs us in the project's folder. */
export function pathArgument(path: string): string {
  const folder = process.env.npm_lifecycle_event === 'paywall' ? process.env.INIT_CWD : undefined
  return resolve(folder ?? process.cwd(), path)
}
