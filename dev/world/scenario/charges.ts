import { findAccount } from '../../emulators/acts-for.ts'
import type { RefundRecord } from '../../emulators/core/domain/money-records.ts'
import type { Stage } from './stage.ts'

/** A payment in the processor's records. Amounts are in the processor's units. */
export interface Charge {
  at: Date
  amount: number
  currency: string
  refunded: number
  chargedBack: number
}

/** All payments in the account of a paywall, oldest first. */
export function readCharges({ world, paywall }: Stage): Charge[] {
  const { records } = findAccount(world, paywall)
  const refunds = records('refunds').filter(({ status }) => status !== 'failed' && status !== 'canceled')
  const disputes = records('disputes').filter(({ status }) => status === 'open' || status === 'lost')
  return records('payments')
    .filter(({ status, amount }) => status === 'paid' && amount > 0)
    .map(({ id, endedAt, created, amount, currency }) => {
      const ofPayment = ({ payment }: { payment: string }) => payment === id
      const refundsOfPayment = refunds.filter(ofPayment)
      const isRefund = (refund: RefundRecord) => !isChargeback(refund)
      return {
        at: new Date((endedAt ?? created) * 1000),
        amount,
        currency: currency.toUpperCase(),
        refunded: total(refundsOfPayment.filter(isRefund)),
        chargedBack: total([...disputes.filter(ofPayment), ...refundsOfPayment.filter(isChargeback)]),
      }
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
}

/** Some processors record a chargeback as a marked refund. */
const isChargeback = ({ own }: RefundRecord) => own.isChargeback === true

const total = (parts: { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0)
