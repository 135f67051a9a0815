import type { PaymentRecord } from '../../../dev/emulators/core/domain/money-records.ts'
import type { Emulators } from '../../../dev/emulators/emulators.ts'
import type { There } from './driver.ts'
import { type AccountRecords, incompleteSubscription, pendingPayment } from './records.ts'
import { Refused } from './refused.ts'
import { oneTimePayments, oneTimeSale, subscriptionSale } from './sale.ts'

/** The controls that such processors' emulators have in common. */
type Emulator = Pick<Emulators['stripe'], 'renew' | 'portalCancel' | 'portalUndo' | 'end' | 'resolvePayment'>

/**
 * What happens, and is sold, alike at processors that charge by invoice and have a portal. `processorId`: what a one-time sale is
 * known by, made of its payment's id.
 */
export function byInvoice(
  emulator: Emulator,
  records: AccountRecords,
  processorId = (payment: PaymentRecord) => payment.id,
) {
  return {
    renew: (id) => emulator.renew(id),
    failCharge: (id) => emulator.renew(id, { fail: true }),
    recover: (id) => emulator.renew(id),
    cancel: (id) => emulator.portalCancel(id),
    undo: (id) => emulator.portalUndo(id),
    end: (id) => emulator.end(id),
    resolve: (fails) => resolve(emulator, records, fails),
    sales: () => [
      ...records('subscriptions').map((each) => subscriptionSale(records, each)),
      ...oneTimePayments(records).map((each) => oneTimeSale(records, each, { processorId: processorId(each) })),
    ],
  } satisfies Partial<There>
}

/** A one-time payment's money, or that of the first period of a subscription, which expires if the money does not come. */
async function resolve(emulator: Emulator, records: AccountRecords, fails: boolean): Promise<void> {
  const payment = pendingPayment(records)
  const subscription = incompleteSubscription(records)
  if (payment) await emulator.resolvePayment(payment.id, { fail: fails })
  else if (!subscription) throw new Refused('no money is on its way')
  else if (fails) await emulator.end(subscription.id)
  else await emulator.renew(subscription.id)
}
