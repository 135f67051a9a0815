import { hash } from 'node:crypto'
import type { AccountContext } from './context.ts'

/**
 * The version of an object as the processor shows it: a time in milliseconds that grows whenever the shown object changes. `isFirst`:
 * it has never changed.
 */
export function currentVersion({ records, account, now }: AccountContext, kind: string, object: { id: string }) {
  const id = `${account.id} ${kind} ${object.id}`
  const fingerprint = hash('sha256', JSON.stringify(object))
  const known = records.versions.get(id)
  if (known?.fingerprint === fingerprint) return known
  const version = Math.max(now * 1000, (known?.version ?? 0) + 1)
  const next = { id, fingerprint, version, isFirst: known === undefined }
  records.versions.set(id, next)
  return next
}
