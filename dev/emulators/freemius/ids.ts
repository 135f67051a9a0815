import { randomBytes } from 'node:crypto'
import type { Kind } from '../core/domain/records.ts'

/** Ids of Freemius are numbers, written as text; later ones are higher. The SDK reads them as JavaScript numbers. */
let latest = 0

export function newId(kind: Kind): string {
  // What stands in a portal's address has to be secret.
  if (kind === 'portalSessions') return randomBytes(20).toString('hex')
  latest = Math.max(latest + 1, Date.now() * 1000)
  return String(latest)
}
