import {
  findPaid,
  incompleteSubscription,
  latestPaid,
  latestReversal,
  requirePending,
} from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { charges } from '../core/acts/by-invoice.ts'
import type { FreemiusEmulator } from './emulator.ts'
import { soldOwn } from './own.ts'

export function freemiusActs(freemius: FreemiusEmulator, { records }: Account<'freemius'>): Acts {
  // In the core a licence is the page that sold it.
  const sold = (license: string) => records('pages').find(({ id }) => id === license)
  const subscription = (license: string) => sold(license)?.subscription ?? ''
  /** What the latest payment paid for: a change of plan that charges nothing leaves it with an earlier subscription of the licence. */
  const findSaleId = (license: string) => {
    const subscriptions = records('subscriptions').filter((each) => soldOwn(each).license === license)
    const paid = subscriptions.findLast(({ id }) => findPaid(records, id).length > 0)
    return paid?.id ?? sold(license)?.subscription ?? sold(license)?.payment ?? ''
  }
  const payment = (license: string) => latestPaid(records, findSaleId(license))
  return {
    ...charges(freemius, subscription),
    refund: (id, cents) => freemius.refund(payment(id), cents),
    dispute: (id) => freemius.dispute(payment(id)),
    decideDispute: async (id, won) =>
      freemius.closeDispute(latestReversal(records, 'disputes', findSaleId(id)), { won }),
    cancel: (id) => freemius.portalCancel(subscription(id)),
    changePlan: (id, price) => freemius.changePlan(subscription(id), price),
    end: (id) => freemius.cancelLicense(id),
    resolve: async (fails, license) =>
      freemius.renew(requirePending(incompleteSubscription(records, license && subscription(license))).id, {
        fail: fails,
      }),
  }
}
