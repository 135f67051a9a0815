import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Release } from '../../../cli/migrate/release.ts'
import { removeCluster } from './cluster.ts'
import { ensureDatabase, prepareDatabase } from './database.ts'
import { isRunning } from './leftover.ts'
import { type Postgres, startPostgres } from './postgres.ts'

/** Where Linux keeps files in memory: a database is copied there in a tenth of the time, because no file system writes a journal. */
const MEMORY = '/dev/shm'
/** More than a whole run of the tests writes. A container often has less there, and then the disk has to do. */
const ROOM_BYTES = 4 * 2 ** 30
const NAME = 'paywall-postgres-'

/** A Postgres that leaves nothing behind once it is stopped. Its data survives a crash of Postgres, not of the machine. */
export async function startScratchPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(scratchFolder(), `${NAME}${process.pid}-`))
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

function scratchFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  removeLeftovers()
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES ? MEMORY : tmpdir()
}

/** Frees the memory of those whose process was killed before it could: nothing else would, until the machine starts anew. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1]
    if (!pid || isRunning(Number(pid))) continue
    const folder = join(MEMORY, name)
    // Its Postgres may just be ending, and write: then what it wrote is removed at the next attempt.
    if (statSync(folder).uid === process.getuid?.()) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
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
