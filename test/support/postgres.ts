import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { preparedDatabase, startScratchPostgres } from '../../dev/world/database/scratch-postgres.ts'
import { makeSecrets } from '../../dev/world/secrets.ts'
import { bundleWorkers } from '../../dev/world/workers/bundle.ts'
import { readWorkerConfigs } from '../../dev/world/workers/wrangler-config.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The template database: every test world is a copy of it. */
    templateUrl: string
    /** The key from which the passwords of the Workers' database roles are derived. Roles belong to the whole Postgres. */
    databaseRolesKey: string
    /** A folder with `<env>.js`, the code of each Worker. */
    bundles: string
  }
}

/**
 * Sets up what all test files share: one Postgres, whose template is copied to a fresh database in a few milliseconds, the Workers' code,
 * and the SDK as it is published.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bundles = mkdtempSync(join(tmpdir(), 'paywall-bundles-'))
  const [postgres] = await Promise.all([startScratchPostgres(), writeBundles(bundles), buildSdk()])
  const { DATABASE_ROLES_KEY } = await makeSecrets()
  project.provide('databaseRolesKey', DATABASE_ROLES_KEY)
  project.provide('templateUrl', await preparedDatabase(postgres, 'template', DATABASE_ROLES_KEY))
  project.provide('bundles', bundles)
  project.onTestsRerun(() => writeBundles(bundles))
  return async () => {
    await postgres.stop()
    rmSync(bundles, { recursive: true, force: true })
  }
}

async function writeBundles(folder: string): Promise<void> {
  for (const [env, code] of await bundleWorkers(readWorkerConfigs())) writeFileSync(join(folder, `${env}.js`), code)
}

/** Builds the SDK, which tests import as its users do. This tree's compiler emits the same output as the SDK's own, five times faster. */
async function buildSdk(): Promise<void> {
  await promisify(execFile)('node_modules/.bin/tsc', ['-p', 'sdk/tsconfig.json'])
}
