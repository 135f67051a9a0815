import { execFile } from 'node:child_process'
import type { Secrets } from '../../dev/world/secrets.ts'

/** The parts of a world that the command needs. */
interface CommandWorld {
  databaseUrl: string
  secrets: Pick<Secrets, 'PROCESSOR_CREDENTIALS_KEY' | 'WEBHOOK_SECRETS_KEY' | 'TURNSTILE_SECRETS_KEY'>
}

/** Runs the `paywall` command in its own process, on the world's database. */
export function paywall(
  { databaseUrl, secrets }: CommandWorld,
  args: string[],
  variables: Record<string, string> = {},
): Promise<{ code: number | string; out: string; err: string }> {
  const { PROCESSOR_CREDENTIALS_KEY, WEBHOOK_SECRETS_KEY, TURNSTILE_SECRETS_KEY } = secrets
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    PROCESSOR_CREDENTIALS_KEY,
    WEBHOOK_SECRETS_KEY,
    TURNSTILE_SECRETS_KEY,
    ...variables,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, ['cli/main.ts', ...args], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}
