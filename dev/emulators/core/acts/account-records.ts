import type { Row, Table, Tables } from '../domain/records.ts'
import type { Emulator } from '../emulator.ts'
import { Refused } from './refused.ts'

/** The stored records of one account, oldest first; not the objects that the API shows. */
export type AccountRecords = <Name extends Table>(table: Name) => Row<Name>[]

/** The records of the account that a paywall sells through. */
export function accountRecords(
  emulator: Pick<Emulator<unknown, unknown>, 'records' | 'getAccount'>,
  paywallId: string,
) {
  const account = emulator.getAccount(paywallId)
  const tables: Tables = emulator.records
  const records: AccountRecords = (name) => [...tables[name].values()].filter((row) => row.account === account)
  return records
}

/** The successful payments of a subscription, or a one-time payment itself. */
export const findPaid = (records: AccountRecords, id: string) =>
  records('payments').filter(
    (each) => each.status === 'paid' && each.amount > 0 && [each.id, each.subscription].includes(id),
  )

/** The id of the latest of these payments. */
export function latestPaid(records: AccountRecords, id: string): string {
  const paid = findPaid(records, id).at(-1)
  if (!paid) throw new Refused(`nothing was paid for ${id}`)
  return paid.id
}

/** The id of the latest refund or dispute of a purchase's successful payments. */
export function latestReversal(records: AccountRecords, table: 'refunds' | 'disputes', id: string): string {
  const payments = findPaid(records, id).map((each) => each.id)
  const latest = records(table).findLast(({ payment }) => payments.includes(payment))
  if (!latest) throw new Refused(`${id} has no ${table}`)
  return latest.id
}

/** The oldest payment that is pending at the bank: of all, or of the subscription or payment `sale`. */
export const pendingPayment = (records: AccountRecords, sale?: string) =>
  records('payments').find(
    ({ status, id, subscription }) => status === 'pending' && (sale === undefined || [id, subscription].includes(sale)),
  )

/** The oldest subscription whose first payment is pending: of all, or the one with that id. */
export const incompleteSubscription = (records: AccountRecords, wanted?: string) =>
  records('subscriptions').find(({ status, id }) => status === 'incomplete' && (wanted === undefined || id === wanted))

/** Throws `Refused` if no pending payment or subscription was found. */
export function requirePending<Awaiting>(found: Awaiting | undefined): Awaiting {
  if (!found) throw new Refused('no payment is pending')
  return found
}
