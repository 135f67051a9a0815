import { FEATURES } from '../paywalls.ts'
import type { Case, Invariant, StoredPurchase } from './case.ts'
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
function accessUntil(purchase: StoredPurchase): number {
  const { status, interval, cancel_at: cancelAt, current_period_end: periodEnd } = purchase
  const end = cancelAt !== null ? time(cancelAt) : purchase.cancel_at_period_end ? time(periodEnd) : Infinity
  if (status === 'past_due') return Math.min(end, (pastDueSince(purchase.changes) ?? Number.NaN) + GRACE_DAYS * DAY_MS)
  if (status !== 'trialing' && status !== 'active') return 0
  return interval === null ? Infinity : Math.min(end, time(periodEnd) + RENEWAL_GRACE_DAYS * DAY_MS)
}

const isAtItsEnd = ({ now }: Pick<Case, 'now'>, purchase: StoredPurchase) =>
  Math.abs(accessUntil(purchase) - now.getTime()) < TOLERANCE_MS

/** `paid` and the features of a user follow from the purchases that give access at the moment. */
export const ACCESS: Invariant = {
  name: 'access',
  faults({ members, purchases, now }) {
    return members.flatMap((member) => {
      const { paid, features } = member
      const own = purchases.filter((each) => each.member === member)
      if (own.some((each) => isAtItsEnd({ now }, each))) return []
      const open = own.filter((each) => accessUntil(each) > now.getTime())
      const due = [...new Set(open.flatMap(({ price_slug: slug }) => FEATURES[String(slug)] ?? []))].toSorted()
      return [
        ...(paid === open.length > 0 ? [] : [`paid is ${paid}, with ${open.length} purchases that give access`]),
        ...(String(features) === String(due) ? [] : [`the features are ${features}, not ${due}`]),
      ]
    })
  },
}

/** A purchase shows the correct end of its access. If it has ended or is paused, this is a time in the past. */
export const ACCESS_UNTIL: Invariant = {
  name: 'access_until',
  faults: ({ purchases, now }) =>
    purchases.flatMap((purchase) => {
      const { id, status, access_until: until, changes } = purchase
      // A purchase that was never paid for gave no access.
      const hasEnded = status === 'refunded' || (changes.length > 0 && ['paused', 'canceled'].includes(status))
      const isSame =
        time(until) === accessUntil(purchase) || Math.abs(time(until) - accessUntil(purchase)) <= CLOCK_STEP_MS
      const isRight = hasEnded ? time(until) <= now.getTime() + TOLERANCE_MS : isSame || !RUNNING.includes(status)
      return isRight
        ? []
        : [`${id}, ${status}, gives access until ${until}, not ${new Date(accessUntil(purchase)).toJSON()}`]
    }),
}

const RUNNING = ['trialing', 'active', 'past_due']
