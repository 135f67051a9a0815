import { type AccountRecords, incompleteSubscription, pendingPayment } from './account-records.ts'
import type { Acts } from './acts.ts'
import { Refused } from './refused.ts'

/** A control of a record, by its id. */
type Control = (id: string) => Promise<unknown>
type FailingControl = (id: string, given?: { fail?: boolean }) => Promise<unknown>

/** The controls that such processors' emulators have in common. */
interface Emulator {
  renew: FailingControl
  resolvePayment: FailingControl
  portalCancel: Control
  portalUndo: Control
  end: Control
}

/** What charges do, alike at every processor. */
export const charges = (emulator: Pick<Emulator, 'renew'>, subscriptionOf: (id: string) => string) => ({
  renew: (id: string) => emulator.renew(subscriptionOf(id)),
  failCharge: (id: string) => emulator.renew(subscriptionOf(id), { fail: true }),
  recover: (id: string) => emulator.renew(subscriptionOf(id)),
})

/** What happens alike at processors that charge by invoice and have a portal. */
export function byInvoice(emulator: Emulator, records: AccountRecords) {
  return {
    ...charges(emulator, (id) => id),
    cancel: (id) => emulator.portalCancel(id),
    undo: (id) => emulator.portalUndo(id),
    end: (id) => emulator.end(id),
    resolve: (fails) => resolve(emulator, records, fails),
  } satisfies Partial<Acts>
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
