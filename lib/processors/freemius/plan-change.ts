// Changing the plan of a licence at Freemius: on the page of an upgrade link, where the buyer pays. Freemius has no other way, and none that
// waits for the end of the period. A link changes nothing before it is paid, so a retry gets another one.
import { intervalsLater } from '../later.ts'
import type { PlanChange, PlanChangePreview, PurchaseSnapshot } from '../processor.ts'
import { withTax } from '../taxes.ts'
import { sales, total } from './money.ts'
import { minorUnits, type Payment } from './objects.ts'
import { isPriceCovered, type Observed } from './translate.ts'

/**
 * See `ProcessorMethods.previewPlanChange`. Freemius calculates the amount on the page, when that is opened, so it is an estimate by the
 * published formula (freemius.com/help/documentation/checkout/features/proration): the new price, less the last payment for the current
 * plan in proportion to the rest of its period. A period begins with the change. Nothing was paid on trial, so the whole price is due.
 */
export function estimatePlanChange(
  observed: Observed,
  { currentPeriodStart: start, currentPeriodEnd: end }: PurchaseSnapshot,
  { to, pricedAt }: PlanChange,
): PlanChangePreview {
  const paid = isPriceCovered(observed) ? sales(observed.payments).at(-1) : undefined
  const unused = paid && start && end ? minorUnits(paid.gross, paid.currency) * shareLeft(start, end, pricedAt) : 0
  const credit = Math.min(Math.round(unused), to.amount)
  const charge = toCharge(paid)
  return {
    currency: to.currency,
    dueNow: withTax(to.amount - credit, charge),
    credit: withTax(credit, charge),
    effectiveAt: pricedAt,
    next: { amount: withTax(to.amount, charge), at: intervalsLater(pricedAt, to.interval, to.intervalCount) },
    isEstimate: true,
  }
}

/** The share of a period that is left: 1 at its start, 0 from its end on. */
const shareLeft = (start: Date, end: Date, now: Date) =>
  Math.min(1, Math.max(0, (end.getTime() - now.getTime()) / (end.getTime() - start.getTime())))

/** A payment with and without its tax; without one, no tax is known. */
const toCharge = (paid: Payment | undefined) =>
  paid ? { net: minorUnits(paid.gross, paid.currency), total: total(paid) } : { net: 0, total: 0 }

/** Whether the licence has the plan, perhaps since the page of an earlier attempt was paid. */
export const hasPlan = ({ processorPrice, interval }: PurchaseSnapshot, { to }: PlanChange): boolean =>
  processorPrice === to.processorPrice && interval === to.interval
