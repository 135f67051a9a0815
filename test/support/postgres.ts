import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureDatabase, ensureSchema } from '../../dev/database.ts'
import { startPostgres } from '../../dev/postgres.ts'
import { removeCluster } from '../../dev/postgres-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The template database: every test world is a copy of it. */
    templateUrl: string
  }
}

/** One Postgres for the whole run. A copy of its template is a fresh database in a few milliseconds. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = join(mkdtempSync(join(tmpdir(), 'paywall-test-')), 'postgres')
  chmodSync(join(folder, '..'), 0o755)
  const postgres = await startPostgres({ folder, durable: false })
  const templateUrl = await ensureDatabase(postgres.url('postgres'), 'template')
  await ensureSchema(templateUrl)
  provide('templateUrl', templateUrl)
  return async () => {
    await postgres.stop()
    removeCluster(folder)
  }
}
