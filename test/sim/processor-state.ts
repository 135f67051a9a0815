import type { AccountRecords } from '../../dev/emulators/core/acts/account-records.ts'
import type { Sale } from '../conformance/drivers/sale.ts'
import type { Company } from './person.ts'

type Kind = 'succeeded' | 'failed' | 'refunded' | 'refund_failed' | 'disputed' | 'dispute_lost' | 'dispute_won'

/** The processor's records of a life, read from its emulator and interpreted without our adapters. */
export interface ProcessorState {
  sales: Sale[]
  /** The checkouts of the hosted pages that were opened, and of those that were paid, including with a pending payment. */
  opened: string[]
  paid: string[]
  /** The number of payments of each kind; of `failed` it is the maximum. A renewal that is charged back counts as failed. */
  payments: Record<Kind, number>
}

export function readProcessorState({
  account,
  records,
  capabilities: { refundsWhenDisputed },
}: Company): ProcessorState {
  const pages = account.pages()
  const [takenBack, refunds] = partition(records('refunds'), (refund) => account.isTakenBack?.(refund) === true)
  const disputed = records('disputes').length + takenBack.length
  return {
    sales: account.sales(),
    opened: pages.map(({ checkoutId }) => checkoutId),
    paid: pages.flatMap(({ checkoutId, isPaid }) => (isPaid ? [checkoutId] : [])),
    payments: {
      succeeded: records('payments').filter(({ amount, status }) => amount > 0 && status === 'paid').length,
      failed: failures(records) + neverPaid(records) + disputed,
      refunded: refunds.length,
      refund_failed: refunds.filter(({ status }) => status === 'failed').length,
      disputed,
      dispute_lost: refundsWhenDisputed
        ? disputed
        : records('disputes').filter(({ status }) => status === 'lost').length,
      dispute_won:
        records('disputes').filter(({ status }) => status === 'won').length +
        takenBack.filter(({ status }) => status === 'canceled').length,
    },
  }
}

/** Splits a list into the items that satisfy the condition and the others. */
const partition = <Each>(all: Each[], isSo: (each: Each) => boolean) =>
  [all.filter(isSo), all.filter((each) => !isSo(each))] as const

/** The number of subscriptions whose first payment was not made in time, so that it failed for good. */
const neverPaid = (records: AccountRecords) =>
  records('subscriptions').filter(({ status }) => status === 'incomplete_expired').length

/** The number of failed attempts at payments. A payment may be attempted several times. */
const failures = (records: AccountRecords) =>
  records('payments').reduce((sum, { id, status }) => {
    const attempts = records('attempts').filter(({ payment }) => payment === id)
    const failed = attempts.filter((attempt) => attempt.status === 'failed').length
    return sum + Math.max(failed, status === 'failed' ? 1 : 0)
  }, 0)
