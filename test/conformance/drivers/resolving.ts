import type { Emulators } from '../../../dev/emulators/emulators.ts'
import { type AccountRecords, incompleteSubscription, pendingPayment } from './records.ts'
import { Refused } from './refused.ts'

/**
 * Money that is on its way arrives, or does not, at a processor that charges by invoice: a one-time payment's, or that of the
 * first period of a subscription, which expires if the money does not come.
 */
export async function resolveByInvoice(
  emulator: Pick<Emulators['stripe'], 'resolvePayment' | 'renew' | 'end'>,
  records: AccountRecords,
  fails: boolean,
): Promise<void> {
  const payment = pendingPayment(records)
  const subscription = incompleteSubscription(records)
  if (payment) await emulator.resolvePayment(payment.id, { fail: fails })
  else if (!subscription) throw new Refused('no money is on its way')
  else if (fails) await emulator.end(subscription.id)
  else await emulator.renew(subscription.id)
}
