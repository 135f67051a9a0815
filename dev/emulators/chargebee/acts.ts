import { incompleteSubscription, latestReversal, pendingPayment } from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { byInvoice } from '../core/acts/by-invoice.ts'
import { Refused } from '../core/acts/refused.ts'
import { INVOICE_PREFIX } from './bills.ts'
import type { ChargebeeEmulator } from './emulator.ts'
import { refundOwn } from './own.ts'

/** Records a dispute as a credit note, as Chargebee recommends. The alternative is a `payment_reversal`. */
export function chargebeeActs(chargebee: ChargebeeEmulator, account: Account<'chargebee'>): Acts {
  const paidFor = (id: string) => id.replace(INVOICE_PREFIX, '')
  const usual = byInvoice({ ...chargebee, dispute: chargebee.chargeback }, account, paidFor)
  return {
    ...usual,
    /** If the first charge of a subscription fails, the subscription ends. */
    resolve: async (fails, id) => {
      const awaited = incompleteSubscription(account.records, id)
      if (!fails || !awaited || pendingPayment(account.records, id && paidFor(id))) return usual.resolve(fails, id)
      await chargebee.renew(awaited.id, { fail: true })
      return chargebee.end(awaited.id)
    },
    failRefund: async (id) => {
      const latest = latestReversal(account.records, 'refunds', paidFor(id))
      const isChargeback = account.records('refunds').some((each) => each.id === latest && refundOwn(each).isChargeback)
      if (isChargeback) throw new Refused('a chargeback is not a refund that a bank could return')
      return usual.failRefund?.(id)
    },
    decideDispute: async (id, wins) => {
      if (!wins) throw new Refused('Chargebee reports nothing about a lost chargeback')
      return chargebee.winChargeback(latestReversal(account.records, 'refunds', paidFor(id)))
    },
  }
}
