import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleWorkers } from '../../dev/bundle.ts'
import { ensureDatabase, ensureSchema } from '../../dev/database.ts'
import { startPostgres } from '../../dev/postgres.ts'
import { removeCluster } from '../../dev/postgres-cluster.ts'
import { readWorkerConfigs } from '../../dev/wrangler-config.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The template database: every test world is a copy of it. */
    templateUrl: string
    /** A folder with `<env>.js`, the code of each Worker. */
    bundles: string
  }
}

/**
 * What every test file shares: one Postgres, whose template is copied to a fresh database in a few milliseconds, and
 * the Workers' code.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-test-'))
  chmodSync(folder, 0o755) // mkdtemp's folder is closed to the user that Postgres runs as
  const bundles = join(folder, 'bundles')
  const cluster = join(folder, 'postgres')
  const [postgres] = await Promise.all([startPostgres({ folder: cluster, durable: false }), writeBundles(bundles)])
  const templateUrl = await ensureDatabase(postgres.url('postgres'), 'template')
  await ensureSchema(templateUrl)
  project.provide('templateUrl', templateUrl)
  project.provide('bundles', bundles)
  project.onTestsRerun(() => writeBundles(bundles))
  return async () => {
    await postgres.stop()
    removeCluster(cluster)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function writeBundles(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const [env, code] of await bundleWorkers(readWorkerConfigs())) writeFileSync(join(folder, `${env}.js`), code)
}
