import {
  type AccountRecords,
  incompleteSubscription,
  latestPaid,
  latestReversal,
  onItsWay,
  pendingPayment,
} from './account-records.ts'
import type { Acts } from './acts.ts'

/** A control of a record, by its id. */
type Control = (id: string) => Promise<unknown>
type FailingControl = (id: string, given?: { fail?: boolean }) => Promise<unknown>

/** The controls that such processors' emulators have in common. Where a period begins and is charged at once, none rolls over. */
interface Emulator {
  renew: FailingControl
  resolvePayment: FailingControl
  portalCancel: Control
  portalUndo: Control
  pause: Control
  resume: Control
  changePlan: (id: string, price?: string) => Promise<unknown>
  schedulePlan?: (id: string, price?: string) => Promise<unknown>
  end: Control
  refund: (id: string, cents?: number) => Promise<unknown>
  resolveRefund: FailingControl
  dispute: Control
  closeDispute: (id: string, given?: { won?: boolean }) => Promise<unknown>
  rollOver?: Control
}

/** What charges do, alike at every processor. */
export const charges = (emulator: Pick<Emulator, 'renew'>, subscriptionOf: (id: string) => string) => ({
  renew: (id: string) => emulator.renew(subscriptionOf(id)),
  failCharge: (id: string) => emulator.renew(subscriptionOf(id), { fail: true }),
  recover: (id: string) => emulator.renew(subscriptionOf(id)),
})

/**
 * What can happen at a processor that charges by invoice and has a portal.
 *
 * @param paidFor what the payments of a purchase are known by: a subscription's by its id, another's by that of its payment
 */
export function byInvoice(
  emulator: Emulator,
  { records }: { records: AccountRecords },
  paidFor = (id: string) => id,
): Acts {
  const { rollOver, schedulePlan } = emulator
  return {
    ...charges(emulator, (id) => id),
    refund: (id, cents) => emulator.refund(latestPaid(records, paidFor(id)), cents),
    failRefund: async (id) => emulator.resolveRefund(latestReversal(records, 'refunds', paidFor(id)), { fail: true }),
    dispute: (id) => emulator.dispute(latestPaid(records, paidFor(id))),
    decideDispute: async (id, won) => emulator.closeDispute(latestReversal(records, 'disputes', paidFor(id)), { won }),
    cancel: (id) => emulator.portalCancel(id),
    undo: (id) => emulator.portalUndo(id),
    changePlan: (id, price) => emulator.changePlan(id, price),
    ...(schedulePlan && { schedulePlan: (id, price) => schedulePlan(id, price) }),
    pause: (id) => emulator.pause(id),
    resume: (id) => emulator.resume(id),
    end: (id) => emulator.end(id),
    ...(rollOver && { rollOver: (id) => rollOver(id) }),
    resolve: (fails, id) => resolve(emulator, records, { fails, sale: id && paidFor(id) }),
  }
}

/** A one-time payment's money, or that of the first period of a subscription, which expires if the money does not come. */
async function resolve(
  emulator: Emulator,
  records: AccountRecords,
  { fails, sale }: { fails: boolean; sale: string | undefined },
): Promise<unknown> {
  const payment = pendingPayment(records, sale)
  if (payment) return emulator.resolvePayment(payment.id, { fail: fails })
  const { id } = onItsWay(incompleteSubscription(records, sale))
  return fails ? emulator.end(id) : emulator.renew(id)
}
