import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { base64url } from 'jose'
import type { SealingKeys } from './difference/difference.ts'
import { Refusal } from './refusal.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * Makes the environment that of the local world, if it names no database: `npm run dev` leaves one in `.local/env`.
 * Variables that are set stay as they are.
 */
export function enterLocalWorld(): void {
  if (process.env.DATABASE_URL) return
  const folder = resolve(ROOT, process.env.PAYWALL_LOCAL_DIR ?? '.local')
  const path = join(folder, 'env')
  if (!existsSync(path)) {
    throw new Refusal([`DATABASE_URL is not set, and there is no local world in ${folder}: npm run dev makes one`])
  }
  if (process.env.DATABASE_URL === '') delete process.env.DATABASE_URL // an empty variable would count as set
  process.loadEnvFile(path)
  process.stderr.write(`DATABASE_URL is not set: using the local world in ${folder}\n`)
}

/** A variable that must be set. */
export function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Refusal([`${name} is not set in the environment`])
  return value
}

/** The keys that the Workers open secrets with. */
export function sealingKeys(): SealingKeys {
  return {
    processorCredentialsKey: sealingKey('PROCESSOR_CREDENTIALS_KEY'),
    webhookSecretsKey: sealingKey('WEBHOOK_SECRETS_KEY'),
  }
}

function sealingKey(name: string): string {
  const key = required(name)
  if (!/^[A-Za-z0-9_-]+$/.test(key) || base64url.decode(key).length !== 32) {
    throw new Refusal([`${name} must be 32 bytes in base64url`])
  }
  return key
}

/** A path as the person typed it: npm runs us in the project's folder, wherever that was. */
export function typedPath(path: string): string {
  const folder = process.env.npm_lifecycle_event === 'paywall' ? process.env.INIT_CWD : undefined
  return resolve(folder ?? process.cwd(), path)
}
