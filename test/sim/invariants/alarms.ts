import type { OwnerEvent } from '../owner-backend.ts'
import {
  type Case,
  DAY_SECONDS,
  findOrder,
  findSale,
  HOUR_SECONDS,
  type Invariant,
  type StoredPurchase,
} from './case.ts'

/**
 * The owner gets the warnings that docs/contract.md specifies, and no others: `payment.unexpected`, `subscription.stop_failed` and
 * `duplicate_of`. `CHARGED_ONCE` checks that no duplicate goes unreported.
 */
export const ALARMS: Invariant = {
  name: 'alarms',
  faults: (life) => [
    ...falseUnexpected(life),
    ...falseStopFailed(life),
    ...falseDuplicates(life),
    ...(life.known.isQuiet
      ? replacements(life)
          .filter((each) => isCertain(life, each) && !mayHaveEndedUnseen(each.newer))
          .flatMap((each) => [...unreportedCharges(life, each), ...unreportedStopFailures(life, each)])
      : []),
  ],
}

/**
 * A subscription, and a purchase by the same user that was to replace it. All other subscriptions of that user count as older, except those
 * that began an hour after the purchase was reported, or later.
 */
interface Replacement {
  older: StoredPurchase
  newer: StoredPurchase
  /** When the newer one was paid for or its trial began, at the earliest, and the time of its checkout event; in Unix seconds. */
  at: number
  learnedAt: number
}

function replacements(life: Case): Replacement[] {
  const { company, purchases, events } = life
  return purchases.flatMap((newer) => {
    const at = findOrder(company, newer)?.replaces ? begunAt(life, newer) : null
    const completed = findCompleted(events, newer)
    if (at === null || !completed) return []
    const learnedAt = toSeconds(completed.timestamp)
    return purchases
      .filter((older) => older !== newer && older.member === newer.member && older.interval !== null)
      .filter((older) => startedAt(life, older, begunAt(life, older) ?? at) < learnedAt + HOUR_SECONDS)
      .map((older) => ({ older, newer, at, learnedAt }))
  })
}

const toSeconds = (at: string) => Date.parse(at) / 1000

/** A trial lasts seven days, or until the end of the last day. */
const LONGEST_TRIAL_SECONDS = 8 * DAY_SECONDS

function begunAt(life: Case, purchase: StoredPurchase): number | null {
  if (typeof purchase.trial_end === 'string') return toSeconds(purchase.trial_end) - LONGEST_TRIAL_SECONDS
  return findSale(life, purchase)?.paidPeriods[0]?.paidAt ?? null
}

/** A payment may have been created days before it succeeded: a purchase that began at `at` is as old as its first payment. */
function startedAt(life: Case, purchase: StoredPurchase, at: number): number {
  const sale = findSale(life, purchase)
  const payments = life.company.records('payments').filter(({ id }) => sale?.paid.includes(id))
  return Math.min(at, sale?.paidPeriods[0]?.start ?? at, ...payments.map(({ created }) => created))
}

/**
 * Whether the newer one certainly replaces the older one: the older one was reported an hour before the newer one began, and belonged to the
 * same user when the newer one was reported, not only after a later merge. Otherwise the older one may in fact be newer.
 */
function isCertain(life: Case, { older, newer, at }: Replacement): boolean {
  const { events } = life
  const [reported, replaced] = [findCompleted(events, older), findCompleted(events, newer)]
  if (!reported || !replaced || toSeconds(reported.timestamp) + HOUR_SECONDS >= startedAt(life, newer, at)) return false
  const last = events.slice(0, events.indexOf(replaced)).findLast(({ data }) => isAbout(data, older))
  return last?.data.user.id === replaced.data.user.id
}

/** Whether a purchase may have been refunded before it became known: then it replaced nothing. */
const mayHaveEndedUnseen = ({ interval, status, changes }: StoredPurchase) =>
  interval === null ? status !== 'active' : changes[0]?.is.status === 'canceled'

const findCompleted = (events: OwnerEvent[], { id }: StoredPurchase) =>
  events.find(({ data: { checkout } }) => checkout?.purchase_id === id)

const isAbout = ({ subscription, checkout, payment }: OwnerEvent['data'], { id }: StoredPurchase) =>
  [subscription?.id, checkout?.purchase_id, payment?.purchase_id].includes(id)

/** Charges that were wrongly reported as unexpected: they were not made after a replacement, or had been reported before. */
function falseUnexpected(life: Case): string[] {
  const reported = life.events.flatMap(({ type, data: { payment } }) =>
    type === UNEXPECTED && payment ? [payment] : [],
  )
  return reported.flatMap(({ id, purchase_id: purchaseId, occurred_at: paidAt }, place) => {
    const isDue = replacements(life).some(({ older, at }) => older.id === purchaseId && at < toSeconds(paidAt))
    return [
      ...(isDue ? [] : [`payment ${id} of ${paidAt} for ${purchaseId} was reported as unexpected`]),
      ...(reported.findIndex((each) => each.id === id) < place ? [`payment ${id} was unexpected twice`] : []),
    ]
  })
}

const UNEXPECTED = 'payment.unexpected'

/** Stops that were wrongly reported as failed: within a day of the replacement, or for a subscription that had ended. */
const falseStopFailed = (life: Case): string[] =>
  life.events
    .filter(({ type }) => type === STOP_FAILED)
    .flatMap(({ timestamp, data: { subscription } }) => {
      const isDue = replacements(life).some(
        ({ older, learnedAt }) => older.id === subscription?.id && learnedAt + DAY_SECONDS <= toSeconds(timestamp),
      )
      return isDue && subscription?.status !== 'canceled'
        ? []
        : [`the stop of ${subscription?.id}, ${subscription?.status}, was reported as failed at ${timestamp}`]
    })

const STOP_FAILED = 'subscription.stop_failed'

/** Purchases that were wrongly reported as duplicates: of another price, of an ended subscription, or of what they were to replace. */
const falseDuplicates = (life: Case): string[] =>
  life.events.flatMap(({ data: { checkout }, timestamp }) => {
    if (!checkout?.duplicate_of) return []
    const newer = life.purchases.find(({ id }) => id === checkout.purchase_id)
    const older = life.purchases.find(({ id }) => id === checkout.duplicate_of)
    const isDuplicate =
      newer &&
      older &&
      newer !== older &&
      newer.member === older.member &&
      !findOrder(life.company, newer)?.replaces &&
      (older.interval === null ? older.price_slug === checkout.price_slug : !hasEndedBefore(older, timestamp))
    return isDuplicate ? [] : [`${checkout.purchase_id} does not duplicate ${checkout.duplicate_of}`]
  })

const hasEndedBefore = ({ changes }: StoredPurchase, at: string) =>
  changes.findLast((change) => change.at < Date.parse(at))?.is.status === 'canceled'

/** Charges for a subscription after its buyer had paid for its replacement, of which the owner was not warned. */
function unreportedCharges(life: Case, { older, newer, at }: Replacement): string[] {
  const { company, known, events } = life
  const { paidPeriods = [] } = findSale(life, older) ?? {}
  if (newer.trial_end !== null) return []
  // If the webhook of a charge may be lost and reads include no payments, only a charge after the stop is certainly a violation.
  const isKnown = known.everything || company.capabilities.readsIncludePayments
  const from = isKnown ? at : isUndoneAfter(company, older.processorId, at) ? Infinity : stoppedAfter(older, at)
  const late = paidPeriods.filter(({ paidAt }) => paidAt > from)
  const warnings = events.filter(({ type, data }) => type === UNEXPECTED && data.payment?.purchase_id === older.id)
  return late.length > warnings.length
    ? [`${older.processorId} was charged ${late.length} times after ${newer.processorId} had replaced it`]
    : []
}

/** A subscription that was not stopped for days after its replacement was reported, of which the owner was not warned. */
function unreportedStopFailures({ company, events, now }: Case, { older, at, learnedAt }: Replacement): string[] {
  const before = older.changes.findLast((change) => change.at / 1000 <= learnedAt)
  if (!before || isStopped(before.is) || isUndoneAfter(company, older.processorId, at)) return []
  const isLate = Math.min(stoppedAfter(older, learnedAt), now.getTime() / 1000) > learnedAt + WARNED_AFTER_SECONDS
  const isWarned = events.some(({ type, data }) => type === STOP_FAILED && data.subscription?.id === older.id)
  return isLate && !isWarned ? [`${older.processorId} was not stopped for days, and the owner was not warned`] : []
}

/** A day, and two hours in which the stop is tried again: it is retried hourly. */
const WARNED_AFTER_SECONDS = DAY_SECONDS + 2 * HOUR_SECONDS

/** When a subscription was first reported to end or to have ended, at `at` or later; times in Unix seconds. */
function stoppedAfter({ changes }: StoredPurchase, at: number): number {
  const stop = changes.find((each) => each.at >= at * 1000 && isStopped(each.is))
  return stop ? stop.at / 1000 : Infinity
}

const isStopped = ({ cancel_at_period_end: isEnding, status }: StoredPurchase['changes'][number]['is']) =>
  isEnding || status === 'canceled'

/** Whether the buyer undid the end of a subscription after a time, in Unix seconds, and so wants to be charged. */
export const isUndoneAfter = ({ undone }: Case['company'], processorId: string, at: number) =>
  (undone.get(processorId) ?? 0) > at
