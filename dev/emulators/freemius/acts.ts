import { incompleteSubscription, latestPaid } from '../core/acts/account-records.ts'
import type { Account, Acts } from '../core/acts/acts.ts'
import { charges } from '../core/acts/by-invoice.ts'
import { Refused } from '../core/acts/refused.ts'
import type { FreemiusEmulator } from './emulator.ts'

export function freemiusActs(freemius: FreemiusEmulator, { records }: Account<'freemius'>): Acts {
  /** A licence's, which is known to the core as the page that sold it. */
  const subscription = (license: string) => records('pages').find(({ id }) => id === license)?.subscription ?? ''
  const payment = (license: string) => {
    const sold = records('pages').find(({ id }) => id === license)
    return latestPaid(records, sold?.subscription ?? sold?.payment ?? '')
  }
  return {
    ...charges(freemius, subscription),
    refund: (id, cents) => freemius.refund(payment(id), cents),
    dispute: (id) => freemius.dispute(payment(id)),
    cancel: (id) => freemius.portalCancel(subscription(id)),
    end: (id) => freemius.cancelLicense(id),
    async resolve(fails) {
      const waiting = incompleteSubscription(records)
      if (!waiting) throw new Refused('no money is on its way')
      await freemius.renew(waiting.id, { fail: fails })
    },
  }
}
