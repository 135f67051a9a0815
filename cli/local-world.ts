// The local world as commands find it: through the file that `npm run dev` writes.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import * as z from 'zod'
import { CommandError } from './command.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * If DATABASE_URL is not set, loads the environment of the local world from the file that `npm run dev` writes. Variables that are set
 * keep their values. Throws a `CommandError` if there is no local world.
 */
export function enterLocalWorld(): void {
  if (process.env.DATABASE_URL) return
  const { folder, path } = localWorld()
  if (!existsSync(path)) {
    throw new CommandError([
      `DATABASE_URL is not set, and there is no local world in ${folder}: start one with npm run dev`,
    ])
  }
  if (process.env.DATABASE_URL === '') delete process.env.DATABASE_URL // loadEnvFile does not replace even an empty variable
  process.loadEnvFile(path)
  process.stderr.write(`DATABASE_URL is not set: using the local world in ${folder}\n`)
}

/** The environment of the local world that was started last in this folder; empty if there is none. */
export function readLocalWorld(): Record<string, string | undefined> {
  const { path } = localWorld()
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
}

const Applied = z.object({ paywalls: z.array(z.string()) })

/**
 * Makes the local world that runs on this database serve what was just applied. Returns what to print; null if none runs: it reads the
 * database when it starts.
 */
export async function reloadLocalWorld(databaseUrl: string, paywallIds: string[]): Promise<string | null> {
  const { DATABASE_URL, HOME_URL: home } = readLocalWorld()
  if (home === undefined || DATABASE_URL !== databaseUrl) return null
  const response = await fetch(new URL('/applied', home), { method: 'POST' }).catch(() => null)
  if (response === null) return null
  const applied = Applied.safeParse(await response.json().catch(() => null))
  return applied.success && paywallIds.every((id) => applied.data.paywalls.includes(id))
    ? `The local world serves it: ${home}/?paywall=${paywallIds[0]}`
    : `The local world at ${home} could not load it: start it again with npm run dev`
}

/** The folder of the local world, and the file in it that `npm run dev` writes for commands. */
function localWorld(): { folder: string; path: string } {
  const folder = resolve(ROOT, process.env.PAYWALL_LOCAL_DIR ?? '.local')
  return { folder, path: join(folder, 'env') }
}
