import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inject } from 'vitest'
import { ROLES, roleDatabaseUrl } from '../../cli/migrate/roles.ts'
import type { Secrets } from '../../dev/world/secrets.ts'
import { startWorkers } from '../../dev/world/workers/workers.ts'
import { apiBases } from '../../dev/world/world.ts'
import type { TestWorld } from './world.ts'

/**
 * The same world after a deploy with other secrets: new Workers on the same database, beside the old
 * ones. Closing it stops only the new Workers.
 */
export async function deployed(world: TestWorld, changed: Partial<Secrets>): Promise<TestWorld> {
  const secrets = { ...world.secrets, ...changed }
  const folder = inject('bundles')
  const workers = await startWorkers({
    port: 0,
    values: {
      ...secrets,
      PROCESSOR_API_BASES: apiBases(world),
      TURNSTILE_ORIGIN: world.turnstile.url,
      ALLOW_LOCAL_WEBHOOK_ENDPOINTS: true,
      RATE_LIMITED: false,
    },
    databaseUrls: Object.fromEntries(
      ROLES.map(({ env }) => [env, roleDatabaseUrl(env, world.databaseUrl, secrets.DATABASE_ROLES_KEY)]),
    ),
    neonUrl: world.neon.url,
    code: new Map(readdirSync(folder).map((file) => [basename(file, '.js'), readFileSync(join(folder, file), 'utf8')])),
    receiveMail: world.mail.receive,
    onLog: (level, message) => void world.logs.push({ level, message }),
  })
  return { ...world, url: workers.url, fetch: workers.fetch, workers, secrets, close: () => workers.stop() }
}

/** A key in the format of the secrets: 32 bytes in base64url. */
export const newKey = (): string => randomBytes(32).toString('base64url')
