import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { base64url, exportJWK, generateKeyPair } from 'jose'
import * as z from 'zod'
import { randomHex } from '../../lib/crypto/crypto.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { EMULATORS } from '../emulators/emulators.ts'
import { readJsonFile, writePrivately } from './private-file.ts'

/** The defaults of `env:NAME` in the demo's paywall file. */
const DemoSecrets = z.object({
  DEMO_API_KEY: z.string(),
  DEMO_WEBHOOK_SECRET: z.string(),
  ...Object.fromEntries(Object.keys(demoCredentials()).map((name) => [name, z.string()])),
})

/** The secrets of this world's Workers and paywall files. */
const Secrets = DemoSecrets.extend({
  ACCESS_TOKEN_PRIVATE_KEY: z.string(),
  ACCESS_TOKEN_PUBLIC_KEYS: z.string(),
  SIGN_IN_CODE_KEY: z.string(),
  CONSOLE_CODE_KEY: z.string(),
  PROCESSOR_CREDENTIALS_KEY: z.string(),
  WEBHOOK_SECRETS_KEY: z.string(),
  TURNSTILE_SECRETS_KEY: z.string(),
  DATABASE_ROLES_KEY: z.string(),
})
export type Secrets = z.infer<typeof Secrets>

/** The secrets kept in `folder`, created if missing: sealed and signed data must survive a restart. */
export async function readSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'secrets.json')
  const kept = Secrets.partial().parse(readJsonFile(path) ?? {})
  const complete = Secrets.safeParse(kept)
  if (complete.success) return complete.data
  const secrets = Secrets.parse({ ...(await makeSecrets()), ...kept })
  writePrivately(path, JSON.stringify(secrets, null, 2))
  return secrets
}

export async function makeSecrets(): Promise<Secrets> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const identity = { kid: randomHex(8), alg: 'EdDSA', use: 'sig' }
  return {
    ACCESS_TOKEN_PRIVATE_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), ...identity }),
    ACCESS_TOKEN_PUBLIC_KEYS: JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), ...identity }] }),
    SIGN_IN_CODE_KEY: base64url.encode(randomBytes(32)),
    CONSOLE_CODE_KEY: base64url.encode(randomBytes(32)),
    PROCESSOR_CREDENTIALS_KEY: base64url.encode(randomBytes(32)),
    WEBHOOK_SECRETS_KEY: base64url.encode(randomBytes(32)),
    TURNSTILE_SECRETS_KEY: base64url.encode(randomBytes(32)),
    DATABASE_ROLES_KEY: base64url.encode(randomBytes(32)),
    DEMO_API_KEY: `pk_test_${randomHex(32)}`,
    DEMO_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    ...demoCredentials(),
  }
}

/** The credentials of an account at each processor, by the variable names in the demo's paywall file. */
function demoCredentials(): Record<string, string> {
  const named = PROCESSOR_NAMES.flatMap((acquiring) =>
    Object.entries(EMULATORS[acquiring].demoCredentials()).map(([field, value]) => [
      variableName(acquiring, field),
      value,
    ]),
  )
  return Object.fromEntries(named)
}

/** The demo's account at a processor, as written in its paywall file. */
export function demoAccount(acquiring: ProcessorName): {
  acquiring: ProcessorName
  credentials: Record<string, string>
} {
  const fields = Object.keys(DEFINITIONS[acquiring].credentials)
  const credentials = fields.map((field) => [field, `env:${variableName(acquiring, field)}`])
  return { acquiring, credentials: Object.fromEntries(credentials) }
}

function variableName(acquiring: ProcessorName, field: string): string {
  return `${acquiring}_${field.replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase()
}

/** The values of `env:NAME` in a paywall file: the real environment first, then this world's secrets. */
export function fileEnvironment(secrets: Secrets): Record<string, string | undefined> {
  return { ...DemoSecrets.parse(secrets), ...process.env }
}

/** The subfolder in which the local world keeps KV and R2. */
export const STORAGE = 'storage'

/** Writes a dotenv file for the `paywall` command, which reads it if DATABASE_URL is not set. */
export function writeCommandEnvironment(
  folder: string,
  { databaseUrl, home }: { databaseUrl: string; home: string },
  secrets: Secrets,
): void {
  const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY, TURNSTILE_SECRETS_KEY, DATABASE_ROLES_KEY } = secrets
  const variables = {
    DATABASE_URL: databaseUrl,
    HOME_URL: home,
    ATTACHMENTS_FOLDER: join(folder, STORAGE),
    PROCESSOR_CREDENTIALS_KEY,
    WEBHOOK_SECRETS_KEY,
    TURNSTILE_SECRETS_KEY,
    DATABASE_ROLES_KEY,
    ...DemoSecrets.parse(secrets),
  }
  const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"`)
  writePrivately(join(folder, 'env'), `${lines.join('\n')}\n`)
}
