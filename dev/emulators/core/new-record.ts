import { randomBytes } from 'node:crypto'

export const newId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`

/** What every record of a ledger's account starts with. */
export function newRecord(ledger: { account: { id: string }; now: number }, prefix: string, bytes?: number) {
  return { id: newId(prefix, bytes), account: ledger.account.id, created: ledger.now }
}
