import { FEATURES } from '../paywalls.ts'
import type { Case, Invariant, StoredPurchase } from './case.ts'
import { pastDueSince } from './changes.ts'

const DAY_MS = 86_400_000
/** As docs/contract.md has them. */
const [RENEWAL_GRACE_DAYS, GRACE_DAYS] = [3, 7]
/** The service asks its own clock: at the very end of access either answer is right. */
const TOLERANCE_MS = 60_000
/**
 * A clock may be moved while a webhook's read is being stored: then the event has a later time than its purchase. The read is due again 2 s
 * after the webhook, and no clock is moved past what is due.
 */
const CLOCK_STEP_MS = 2_000

const time = (at: unknown) => (typeof at === 'string' ? Date.parse(at) : Infinity)

/**
 * Until when a purchase gives access, as docs/contract.md says it: milliseconds; Infinity: it has no end. Grace begins when we learn that it is
 * past due, of which the owner is notified at once; where no webhook came that is later than the charge that failed.
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

/** Who is let in, by what, and until when. */
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

/** What a purchase says of the end of its access. What has ended, or is paused, gave access until then. */
export const ACCESS_UNTIL: Invariant = {
  name: 'access_until',
  faults: ({ purchases, now }) =>
    purchases.flatMap((purchase) => {
      const { id, status, access_until: until, changes } = purchase
      // What was never paid for gave no access.
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
