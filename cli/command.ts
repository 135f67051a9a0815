// Shared by all commands: environment, arguments, results and errors.
import { resolve } from 'node:path'

/** A command's result: text to print, empty if all of it was printed before, and the JSON that `--json` prints instead. */
export interface CommandResult {
  text: string
  json: Record<string, unknown>
}

/** Prints progress. Does nothing with `--json`. */
export type PrintLine = (line: string) => void

/** A command's failure, with messages for the operator. `done` is what it did before it failed. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly messages: string[]
  readonly done: CommandResult | null

  constructor(messages: string[], { done = null, ...options }: ErrorOptions & { done?: CommandResult | null } = {}) {
    super(messages.join('\n'), options)
    this.messages = messages
    this.done = done
  }
}

/**
 * The keys that encrypt the secrets in the database, the same as the Workers'. Each is 32 bytes in base64url, or, during a rotation, two
 * such keys separated by a comma: the first one encrypts, both decrypt (lib/crypto/seal.ts).
 */
export interface SealingKeys {
  processorCredentialsKey: string
  webhookSecretsKey: string
  turnstileSecretsKey: string
}

/** Reads an environment variable. Throws a `CommandError` if it is not set. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new CommandError([`${name} is not set in the environment`])
  return value
}

/** Reads the sealing keys from the environment. Throws a `CommandError` if one is missing or malformed. */
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
    throw new CommandError([`${name} must be 32 bytes in base64url, or two such keys separated by a comma`])
  }
  return keys
}

const isKey = (text: string) => /^[A-Za-z0-9_-]+$/.test(text) && Buffer.from(text, 'base64url').length === 32

/** Resolves a path argument against the folder of the operator's shell: `npm run` changes the working directory to the project's. */
export function pathArgument(path: string): string {
  const folder = process.env.npm_lifecycle_event === 'paywall' ? process.env.INIT_CWD : undefined
  return resolve(folder ?? process.cwd(), path)
}
