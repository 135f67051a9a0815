import { FEATURES, isUnmatched } from '../paywalls.ts'
import { type Case, findOrder, findSale, type Invariant, type StoredPurchase } from './case.ts'
import { pastDueSince } from './changes.ts'

const DAY_MS = 86_400_000
/** As defined in docs/contract.md. */
const [RENEWAL_GRACE_DAYS, GRACE_DAYS] = [3, 7]
/** The service uses its own clock: this close to the end of access either result is correct. */
const TOLERANCE_MS = 60_000
/**
 * A clock may be moved while the read of a webhook is being stored; then the event has a later time than its purchase. The difference is
 * limited: the read is due again 2 s after the webhook, and no clock is moved past something due.
 */
const CLOCK_STEP_MS = 2_000

const time = (at: unknown) => (typeof at === 'string' ? Date.parse(at) : Infinity)

/**
 * When the access of a purchase ends by the rules of docs/contract.md, in milliseconds; Infinity: never. The grace period begins when we
 * learn that the purchase is past due, of which the owner is notified at once; without a webhook, that is some time after the charge
 * failed.
 */
function accessUntil(purchase: State): number {
  const { status, interval, current_period_end: periodEnd } = purchase
  const end = scheduledEnd(purchase)
  if (status === 'past_due') return Math.min(end, (pastDueSince(purchase.changes) ?? Number.NaN) + GRACE_DAYS * DAY_MS)
  if (status !== 'trialing' && status !== 'active') return 0
  return interval === null ? Infinity : Math.min(end, time(periodEnd) + RENEWAL_GRACE_DAYS * DAY_MS)
}

type State = Pick<
  StoredPurchase,
  'status' | 'interval' | 'cancel_at' | 'cancel_at_period_end' | 'current_period_end' | 'changes'
>

function scheduledEnd({ cancel_at: cancelAt, cancel_at_period_end: ends, current_period_end: periodEnd }: State) {
  if (cancelAt !== null) return time(cancelAt)
  return ends ? time(periodEnd) : Infinity
}

const LOST: readonly string[] = ['paused', 'canceled']

/** When a subscription that has ended or is paused lost its access: when that was reported, or when its access was to end, if earlier. */
function accessLostAt(purchase: StoredPurchase): number {
  const { changes } = purchase
  const place = changes.findLastIndex(({ was, is }) => LOST.includes(is.status) && !LOST.includes(String(was?.status)))
  const { was, at } = changes[place] ?? { was: undefined, at: Number.NaN }
  const before = was ? accessUntil({ ...was, interval: purchase.interval, changes: changes.slice(0, place) }) : Infinity
  return Math.min(at, before, scheduledEnd(purchase))
}

const isAtItsEnd = ({ now }: Pick<Case, 'now'>, purchase: StoredPurchase) =>
  Math.abs(accessUntil(purchase) - now.getTime()) < TOLERANCE_MS

/** `paid` and the features of a user follow from the purchases that give access at the moment. */
export const ACCESS: Invariant = {
  name: 'access',
  faults(life) {
    const { members, purchases, now } = life
    return members.flatMap((member) => {
      const { paid, features } = member
      const own = purchases.filter((each) => each.member === member)
      if (own.some((each) => isAtItsEnd({ now }, each))) return []
      const open = own.filter((each) => accessUntil(each) > now.getTime())
      const certain = union(open.map((each) => getFeatures(life, each).certain))
      const possible = union(open.map((each) => getFeatures(life, each).possible))
      const isRight =
        certain.every((each) => features.includes(each)) && features.every((each) => possible.includes(each))
      return [
        ...(paid === open.length > 0 ? [] : [`paid is ${paid}, with ${open.length} purchases that give access`]),
        ...(isRight ? [] : [`the features are ${features}, not ${certain} or ${possible}`]),
      ]
    })
  },
}

const union = (all: string[][]) => [...new Set(all.flat())].toSorted()

/**
 * The features that a purchase certainly gives, and those that it may give. If its plan was changed to a price that is not in the paywall
 * file, it keeps its features to the end of the period that was paid for at its last listed price. If the change was read together with a
 * later payment of that price, this is the end of either period.
 */
function getFeatures(life: Case, purchase: StoredPurchase): { certain: string[]; possible: string[] } {
  const { price_slug: slug, changes } = purchase
  if (slug !== null) {
    const listed = FEATURES[String(slug)] ?? []
    return { certain: listed, possible: listed }
  }
  const was = changes.findLast(({ is }) => is.price_slug !== null)?.is
  const { paidPeriods = [] } = findSale(life, purchase) ?? {}
  // Without an event before the change, a trial is the only period that may not be paid for.
  const paidEnds = paidPeriods.filter(({ unitAmount }) => !isUnmatched(unitAmount)).map(({ end }) => end * 1000)
  const ends = [time(was?.current_period_end ?? purchase.trial_end), Math.max(...paidEnds)].filter(Number.isFinite)
  const kept = FEATURES[was?.price_slug ?? findOrder(life.company, purchase)?.slug ?? ''] ?? []
  const now = life.now.getTime()
  return {
    certain: now < Math.min(...ends) - DAY_MS ? kept : [],
    possible: now < Math.max(...ends) + DAY_MS ? kept : [],
  }
}

/** A purchase shows the correct end of its access. If it was refunded, this is a time in the past. */
export const ACCESS_UNTIL: Invariant = {
  name: 'access_until',
  faults: ({ purchases, now }) =>
    purchases.flatMap((purchase) => {
      const { id, status, access_until: until } = purchase
      const due = accessEnd(purchase)
      const isRight =
        status === 'refunded'
          ? time(until) <= now.getTime() + TOLERANCE_MS
          : due === null || time(until) === due || Math.abs(time(until) - due) <= CLOCK_STEP_MS
      return isRight ? [] : [`${id}, ${status}, gives access until ${until}, not ${new Date(due ?? 0).toJSON()}`]
    }),
}

/** When the access of a purchase ends, or ended; null if it never gave any. */
function accessEnd(purchase: StoredPurchase): number | null {
  if (RUNNING.includes(purchase.status)) return accessUntil(purchase)
  return LOST.includes(purchase.status) && purchase.changes.length > 0 ? accessLostAt(purchase) : null
}

const RUNNING = ['trialing', 'active', 'past_due']
