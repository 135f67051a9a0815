import { isDeepStrictEqual } from 'node:util'
import { isoTime, type Sale } from '../../conformance/drivers/sale.ts'
import { waitsForBank } from '../../conformance/drivers/stopping.ts'
import { findSequenceErrors } from '../../support/owner-events.ts'
import type { Case, Invariant } from './case.ts'
import { type Change, type EventSubscription, getChanges } from './changes.ts'

/** The events about each user of a paywall are numbered in order, without gaps. */
export const SEQUENCE: Invariant = {
  name: 'sequence',
  faults({ events }) {
    const users = Map.groupBy(events, ({ data }) => `${data.paywall_id} ${data.user.id}`)
    return [...users.values()].flatMap((own) =>
      findSequenceErrors(
        own.toSorted((one, other) => one.data.sequence - other.data.sequence),
        { crashed: true },
      ),
    )
  },
}

/** Events name the mode of their paywall, and go only to the webhook endpoints of that mode. */
export const EVENT_MODE: Invariant = {
  name: 'events of its mode',
  async faults({ company: { worlds }, events }) {
    const faults = worlds.map(async ({ database, file, paywall: { id, is_test: isTest } }) => {
      const { rows } = await database.query<{ url: string; type: string }>(
        `select distinct w.url, e.type from events e join deliveries d on d.event_id = e.id
         join webhook_endpoints w on w.id = d.endpoint_id where e.paywall_id = $1`,
        [id],
      )
      const due = file.webhooks.filter((webhook) => webhook.is_test === isTest).map(({ url }) => url)
      return [
        ...rows.filter(({ url }) => !due.includes(url)).map(({ url, type }) => `${type} of ${id} goes to ${url}`),
        ...events
          .filter(({ data, is_test: marked }) => data.paywall_id === id && marked !== isTest)
          .map(({ type }) => `${type} of ${id} does not have is_test ${isTest}`),
      ]
    })
    return (await Promise.all(faults)).flat()
  },
}

/** The last event about a subscription has the state that the user endpoint returns. Payments have events of their own. */
export const LAST_EVENT: Invariant = {
  name: 'last event',
  faults: ({ members, events }) =>
    members
      .flatMap(({ purchases }) => purchases)
      .filter(({ last_payment: _, ...state }) => {
        const last = events.findLast(({ data }) => data.subscription?.id === state.id)
        return last && !isDeepStrictEqual(last.data.subscription, state)
      })
      .map(({ id, status }) => `the last event of ${id} does not say ${status}`),
}

const DAY_MS = 86_400_000
/** The service uses its own clock: this close to the end of access either result is correct. */
const TOLERANCE_MS = 60_000

const time = (at: string | null) => (at === null ? Infinity : Date.parse(at))

/** Whether the access of a running subscription ends before any scheduled end: it is past due, or its next period is unknown. */
function hasGrace({ status, access_until: until, ...is }: EventSubscription): boolean {
  const scheduledEnd = is.cancel_at ?? (is.cancel_at_period_end ? is.current_period_end : null)
  return ['trialing', 'active', 'past_due'].includes(status) && time(until) < time(scheduledEnd)
}

const isPastGrace = ({ is, at }: Change) => hasGrace(is) && time(is.access_until) <= at
const isAtItsEnd = ({ is, at }: Change) => hasGrace(is) && Math.abs(time(is.access_until) - at) < TOLERANCE_MS

/** Whether an event of a type reports a change, by the state before and after, and whether access had ended before. */
const TYPES: Record<
  string,
  (is: EventSubscription, was: EventSubscription, hadEnded: boolean, change: Change) => boolean
> = {
  'subscription.ended': (is, was) => is.status === 'canceled' && was.status !== 'canceled',
  'subscription.past_due': (is, was) => is.status === 'past_due' && was.status !== 'past_due',
  'subscription.access_ended': (_is, _was, hadEnded, change) => isPastGrace(change) && !hadEnded,
  'subscription.recovered': (is, _was, hadEnded) => is.status === 'active' && hadEnded,
  'subscription.plan_changed': (is, was) => isOtherPlan(is, was),
  'subscription.plan_change_scheduled': (is, was) =>
    is.scheduled_change !== null && (!was.scheduled_change || isOtherPlan(is.scheduled_change, was.scheduled_change)),
  'subscription.cancel_scheduled': (is, was) =>
    is.status !== 'canceled' && is.cancel_at_period_end && !was.cancel_at_period_end,
  'subscription.uncanceled': (is, was) =>
    is.status !== 'canceled' && !is.cancel_at_period_end && was.cancel_at_period_end,
}

type PlanOfEvent = Pick<EventSubscription, 'price_id' | 'quantity'>

const isOtherPlan = (is: PlanOfEvent, was: PlanOfEvent) => is.price_id !== was.price_id || is.quantity !== was.quantity

/** The event types of a change. Renewals have an invariant of their own, since not every change of a period is one. */
function dueTypes(change: Change, hadEnded: boolean): string[] {
  const { types, was, is } = change
  if (was === undefined) return ['subscription.created']
  const due = Object.keys(TYPES).filter((type) => TYPES[type]!(is, was, hadEnded, change))
  // A plan that no price of the paywall refers to may be changed to another such plan.
  const isUnmatched = is.price_id === null && was.price_id === null && !isDeepStrictEqual(is, was)
  if (isUnmatched && types.includes('subscription.plan_changed')) due.push('subscription.plan_changed')
  if (types.includes(RENEWED)) due.push(RENEWED)
  return due.length > 0 || isDeepStrictEqual(is, was) ? due : ['subscription.updated']
}

const RENEWED = 'subscription.renewed'

/** A change has one event of each type that fits it, and no others. */
export const EVENT_TYPES: Invariant = {
  name: 'event types',
  faults: ({ purchases, now, known: { isQuiet } }) =>
    purchases.flatMap(({ id, interval, status, changes }) => {
      const isRunning = interval !== null && ['trialing', 'active', 'past_due', 'paused'].includes(status)
      if (isRunning && changes.length === 0) return [`${id} was created untold`]
      let hadEnded = false
      return changes.flatMap((change, place) => {
        const { types, was, is, at } = change
        const due = dueTypes(change, hadEnded)
        const isRight = (isAtItsEnd(change) && was !== undefined) || isDeepStrictEqual(types.toSorted(), due.toSorted())
        const stillEnded = hadEnded && (isPastGrace(change) || is.status === 'paused')
        const endsNow = was === undefined || types.includes('subscription.access_ended')
        hadEnded = stillEnded || (isPastGrace(change) && endsNow)
        // If the processor cannot be polled at once, it is polled hourly.
        const until = changes[place + 1]?.at ?? (isQuiet ? now.getTime() : at)
        const isUnreported = hasGrace(is) && !hadEnded && until > time(is.access_until) + DAY_MS
        return [
          ...(isRight ? [] : [`${types} and not ${due}: ${JSON.stringify(was)} became ${JSON.stringify(is)}`]),
          ...(isUnreported ? [`${id} gives no access since ${is.access_until}, and the owner was not notified`] : []),
        ]
      })
    }),
}

/** A subscription's new period is reported once, when it is paid for. */
export const RENEWALS_REPORTED: Invariant = {
  name: 'renewals reported',
  faults: (life) =>
    life.purchases.flatMap(({ id, processorId, changes }) => {
      const sale = life.processorState.sales.find((each) => each.processorId === processorId)
      const reported = changes.filter(({ types }) => types.includes(RENEWED)).map(({ is }) => is.current_period_end)
      return [
        ...reported
          .filter((end, place) => reported.indexOf(end) !== place)
          .map((end) => `${id} was renewed twice until ${end}`),
        ...reported.filter((end) => end === changes[0]?.is.current_period_end).map((end) => `${id} began until ${end}`),
        ...unpaidRenewals(life, changes, sale).map(
          (end) => `${id} was reported as renewed until ${end} before that was paid for`,
        ),
        ...paidPeriodEnds(life, changes, sale)
          .filter((end) => !reported.includes(end))
          .map((end) => `${id} was renewed until ${end} untold`),
      ]
    }),
}

/**
 * The ends of periods whose renewal was reported before another period was paid for. Lives that are charged in advance are left out: by the
 * step `renew`, and by `roll-over` where a charge waits for the bank. Both payments have the date of the next charge.
 */
function unpaidRenewals({ company: { life } }: Case, changes: Change[], sale: Sale | undefined): string[] {
  const inAdvance = waitsForBank(life.processor) ? ['renew', 'roll-over'] : ['renew']
  if (!sale || life.steps.some((step) => step && inAdvance.includes(step.act))) return []
  const first = sale.hadTrial ? 0 : 1
  return changes
    .filter(({ types }) => types.includes(RENEWED))
    .filter(({ at }, place) => {
      const paid = sale.paidPeriods.filter(({ paidAt }) => paidAt * 1000 <= at + TOLERANCE_MS)
      return paid.length <= first + place
    })
    .map(({ is }) => String(is.current_period_end))
}

export const isSameDay = (seconds: number, at: string) => isoTime(seconds).slice(0, 10) === at.slice(0, 10)

/**
 * The ends of the periods after the first that were already paid for when they became known. A period that is paid for later may be over
 * before its payment is known; so may any period without a webhook. A change of plan also begins a period, but is no renewal. Nor is a
 * period that ends before one that was paid for earlier, as after a renewal in advance and a change to a shorter plan.
 */
function paidPeriodEnds({ known }: Case, changes: Change[], sale: Sale | undefined) {
  if (!known.everything || !sale) return []
  return changes.flatMap(({ was, is, at }, place) => {
    if (!was || isOtherPlan(is, was) || !['trialing', 'active'].includes(was.status)) return []
    const { status, current_period_end: end } = is
    if (status !== 'active' || !end) return []
    const latestEnd = Math.max(...changes.slice(0, place).map((earlier) => time(earlier.is.current_period_end)))
    if (time(end) <= latestEnd) return []
    const isPaid = sale.paidPeriods.some(
      (period) => isSameDay(period.end, end) && period.paidAt * 1000 < at && !period.isGivenBack,
    )
    return isPaid ? [end] : []
  })
}

/** A trial's end is announced once, days before it, and never for a cancelled one. */
export const TRIAL_ENDS_REPORTED: Invariant = {
  name: 'trial ends reported',
  faults: ({ purchases, events, now }) =>
    purchases.flatMap(({ id, changes }) => {
      const reported = events
        .filter(({ type, data }) => type === 'subscription.trial_ending' && data.subscription?.id === id)
        .flatMap(({ data }) => data.subscription ?? [])
      const ends = reported.map(({ trial_end: end }) => end)
      return [
        ...reported
          .filter((each) => each.cancel_at_period_end)
          .map(() => `the end of a cancelled trial of ${id} was reported`),
        ...ends
          .filter((end, place) => !end || ends.indexOf(end) !== place)
          .map((end) => `${id}: ${end} was reported twice`),
        ...changes
          .filter(({ is, at }, place) => {
            const until = changes[place + 1]?.at ?? now.getTime()
            const noticeAt = Math.max(time(is.trial_end) - TRIAL_NOTICE_MS, at)
            // If the processor cannot be polled at once, it is polled hourly.
            return is.status === 'trialing' && !is.cancel_at_period_end && until > noticeAt + DAY_MS
          })
          .filter(({ is }) => !ends.includes(is.trial_end))
          .map(({ is }) => `the end of a trial of ${id}, ${is.trial_end}, was not reported`),
      ]
    }),
}

/** As defined in docs/contract.md. */
const TRIAL_NOTICE_MS = 3 * DAY_MS

/** The checkout of every purchase is reported once. */
export const CHECKOUTS_REPORTED: Invariant = {
  name: 'checkouts reported',
  faults: ({ purchases, events }) =>
    purchases.flatMap(({ id, status, changes }) => {
      const count = events.filter(({ data }) => data.checkout?.purchase_id === id).length
      // A purchase that was never paid for is `canceled`, too.
      const isRight =
        status === 'canceled' && changes.length === 0 ? count <= 1 : count === (status === 'pending' ? 0 : 1)
      return isRight ? [] : [`the checkout of ${id}, which is ${status}, was reported ${count} times`]
    }),
}

/** `previous` of an event is the state that the event before it reported. */
export const PREVIOUS: Invariant = {
  name: 'previous',
  faults: ({ events }) =>
    [...getChanges(events)].flatMap(([id, changes]) =>
      changes.flatMap(({ types, was }, place) => {
        const last = changes[place - 1]?.is
        if (!was || !last || isDeepStrictEqual(was, last)) return []
        return [
          `${types} of ${id} follows ${JSON.stringify(was)}, and the event before reported ${JSON.stringify(last)}`,
        ]
      }),
    ),
}

/** Each merge of a user is reported once, on each paywall where it was a member. */
export const MERGES_REPORTED: Invariant = {
  name: 'merges reported',
  async faults({ company: { world, worlds }, events }) {
    const { rows } = await world.database.query<{ merged: string }>(
      `select concat_ws(' ', paywall_id, user_id) as merged from members where paywall_id = any ($1) and merged_into is not null`,
      [worlds.map(({ paywall }) => paywall.id)],
    )
    const merged = rows.map((row) => row.merged)
    const reported = events.flatMap(({ data }) =>
      data.merged_user ? [`${data.paywall_id} ${data.merged_user.id}`] : [],
    )
    return isDeepStrictEqual(merged.toSorted(), reported.toSorted())
      ? []
      : [`the merges of ${merged.join(', ')} were reported as ${reported.join(', ')}`]
  },
}
