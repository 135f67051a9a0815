import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Release } from '../../../cli/migrate/release.ts'
import { removeCluster } from './cluster.ts'
import { ensureDatabase, prepareDatabase } from './database.ts'
import { isRunning } from './leftover.ts'
import { type Postgres, startPostgres } from './postgres.ts'

/** Linux's in-memory file system. Copying a database there takes a tenth of the time, because it has no journal. */
const MEMORY = '/dev/shm'
/** More than a full test run writes. Containers often have less; then the disk is used. */
const ROOM_BYTES = 4 * 2 ** 30
const NAME = 'paywall-postgres-'

/** A Postgres whose data is deleted when it stops. The data survives a crash of Postgres, not of the machine. */
export async function startScratchPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(scratchFolder(), `${NAME}${process.pid}-`))
  chmodSync(folder, 0o755) // mkdtemp creates it with 0700, which excludes the user that Postgres runs as
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

/** Deletes the folders of processes that were killed before they could clean up: they occupy memory until a reboot. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1]
    if (!pid || isRunning(Number(pid))) continue
    const folder = join(MEMORY, name)
    // Its Postgres may still be shutting down and writing, hence the retries.
    if (statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.())
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Creates a database and migrates it to this tree's version. Returns its URL. */
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
