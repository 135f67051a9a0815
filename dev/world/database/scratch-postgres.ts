import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Release } from '../../../cli/migrate/release.ts'
import { removeCluster } from './cluster.ts'
import { ensureDatabase, prepareDatabase } from './database.ts'
import { type Postgres, startPostgres } from './postgres.ts'

/** A Postgres that leaves nothing behind once it is stopped. Its data survives a crash of Postgres, not of the machine. */
export async function startScratchPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-postgres-'))
  chmodSync(folder, 0o755) // mkdtemp's folder is closed to the user that Postgres runs as
  const cluster = join(folder, 'postgres')
  const postgres = await startPostgres({ folder: cluster, durable: false })
  return {
    port: postgres.port,
    url: (database) => postgres.url(database),
    kill: () => postgres.kill(),
    ready: () => postgres.ready(),
    async stop() {
      await postgres.stop()
      removeCluster(cluster)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A database on it that has all that this tree needs. */
export async function preparedDatabase(
  postgres: Postgres,
  name: string,
  rolesKey: string,
  release?: Release,
): Promise<string> {
  const url = await ensureDatabase(postgres.url('postgres'), name)
  await prepareDatabase(url, rolesKey, release)
  return url
}
