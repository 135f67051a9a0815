import type { Row, Table, Tables } from '../domain/records.ts'
import type { Emulator } from '../emulator.ts'
import { Refused } from './refused.ts'

/** The records of one account as its emulator stores them, the oldest first. Not what an API shows of them. */
export type AccountRecords = <Name extends Table>(table: Name) => Row<Name>[]

/** Those of the account that a paywall sells through. */
export function accountRecords(emulator: Pick<Emulator<unknown, unknown>, 'records' | 'accountOf'>, paywallId: string) {
  const account = emulator.accountOf(paywallId)
  const tables: Tables = emulator.records
  const records: AccountRecords = (name) => [...tables[name].values()].filter((row) => row.account === account)
  return records
}

/** The payments that went through of a subscription, or of a payment's own sale. */
export const findPaid = (records: AccountRecords, id: string) =>
  records('payments').filter(
    (each) => each.status === 'paid' && each.amount > 0 && [each.id, each.subscription].includes(id),
  )

/** The latest of them. */
export function latestPaid(records: AccountRecords, id: string): string {
  const paid = findPaid(records, id).at(-1)
  if (!paid) throw new Refused(`nothing was paid for ${id}`)
  return paid.id
}

/** The latest refund, or dispute, of the payments that went through of a purchase. */
export function latestReversal(records: AccountRecords, table: 'refunds' | 'disputes', id: string): string {
  const payments = findPaid(records, id).map((each) => each.id)
  const latest = records(table).findLast(({ payment }) => payments.includes(payment))
  if (!latest) throw new Refused(`${id} has no ${table}`)
  return latest.id
}

/** The oldest payment that a bank is still to decide about: of all, or of what was sold as `sale`. */
export const pendingPayment = (records: AccountRecords, sale?: string) =>
  records('payments').find(
    ({ status, id, subscription }) => status === 'pending' && (sale === undefined || [id, subscription].includes(sale)),
  )

/** The oldest subscription whose first payment has not arrived: of all, or the one of that id. */
export const incompleteSubscription = (records: AccountRecords, wanted?: string) =>
  records('subscriptions').find(({ status, id }) => status === 'incomplete' && (wanted === undefined || id === wanted))

/** Money that is on its way: a payment, or a subscription's. */
export function onItsWay<Awaiting>(found: Awaiting | undefined): Awaiting {
  if (!found) throw new Refused('no money is on its way')
  return found
}
