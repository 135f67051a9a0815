import {
  type AccountRecords,
  incompleteSubscription,
  latestPaid,
  latestReversal,
  pendingPayment,
  requirePending,
} from './account-records.ts'
import type { Acts } from './acts.ts'

/** A control of a record, by its id. */
type Control = (id: string) => Promise<unknown>
type FailingControl = (id: string, given?: { fail?: boolean }) => Promise<unknown>

/** The controls that these emulators share. No `rollOver` where a new period is charged at once. */
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

/** The acts about charges, the same at every processor. */
export const charges = (emulator: Pick<Emulator, 'renew'>, getSubscription: (id: string) => string) => ({
  renew: (id: string) => emulator.renew(getSubscription(id)),
  failCharge: (id: string) => emulator.renew(getSubscription(id), { fail: true }),
  recover: (id: string) => emulator.renew(getSubscription(id)),
})

/**
 * The acts at a processor that charges by invoice and has a portal.
 *
 * @param paidFor maps a purchase's id to the subscription or payment that its payments refer to
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

/** Resolves a one-time payment, or the first payment of a subscription, which expires if that fails. */
async function resolve(
  emulator: Emulator,
  records: AccountRecords,
  { fails, sale }: { fails: boolean; sale: string | undefined },
): Promise<unknown> {
  const payment = pendingPayment(records, sale)
  if (payment) return emulator.resolvePayment(payment.id, { fail: fails })
  const { id } = requirePending(incompleteSubscription(records, sale))
  return fails ? emulator.end(id) : emulator.renew(id)
}
