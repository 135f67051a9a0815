import * as z from 'zod'
import { readLocalWorld } from './command.ts'

const Applied = z.object({ paywalls: z.array(z.string()) })

/**
 * Makes the local world that runs on this database serve what was just applied, and returns its home's URL. Null if none runs: it reads the
 * database when it starts.
 */
export async function reloadLocalWorld(databaseUrl: string, paywallIds: string[]): Promise<string | null> {
  const { DATABASE_URL, HOME_URL } = readLocalWorld()
  if (HOME_URL === undefined || DATABASE_URL !== databaseUrl) return null
  const response = await fetch(new URL('/applied', HOME_URL), { method: 'POST' }).catch(() => null)
  const applied = Applied.safeParse(await response?.json().catch(() => null))
  return applied.success && paywallIds.every((id) => applied.data.paywalls.includes(id)) ? HOME_URL : null
}
