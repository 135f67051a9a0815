import { randomBytes } from 'node:crypto'

export const newId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`

/** The fields that every record begins with, see `owned` in tables.ts. */
export function newRecord(context: { account: { id: string }; now: number }, prefix: string, bytes?: number) {
  return { id: newId(prefix, bytes), account: context.account.id, created: context.now }
}
