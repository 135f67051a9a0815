import * as z from 'zod'
import { type AccountContext, all, find } from '../core/domain/context.ts'
import { scheduleChange } from '../core/domain/plan-changes.ts'
import type { SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { change, hasEnded, scheduleEnd } from '../core/domain/subscriptions.ts'
import { newId } from '../core/domain/tables.ts'
import { nextPeriodEnd } from '../core/periods.ts'
import { boolean, integer, text } from '../core/wire/form-fields.ts'
import { type Route, read, route } from '../core/wire/routes.ts'
import { noSuch, refused } from './errors.ts'
import { scheduleObject } from './objects/schedule.ts'
import { isTaxed } from './objects/selling.ts'
import { managingSchedule, type Schedule, subscriptionOwn } from './own.ts'
import { findPrice } from './plan-changes.ts'

/*
 * A change at the end of the period is a subscription schedule with two phases, the current period and the next. It manages the
 * subscription to the end of the second phase, as measured in a sandbox (github.com/pay-rails/pay, notes on `swap`), in the portal as
 * well (docs.stripe.com/customer-management/configure-portal: "Downgrades").
 */

export function scheduleInPortal(
  context: AccountContext,
  subscription: SubscriptionRecord,
  price: SoldPrice,
  quantity = subscription.quantity,
) {
  const { schedules } = subscriptionOwn(subscription)
  const { periodEnd } = subscription
  const made = newSchedule(context, subscription)
  const end = nextPeriodEnd(periodEnd, price, periodEnd)
  made.phases.push({ price, quantity, start: periodEnd, end, isTaxed: isTaxed(subscription) })
  const before = schedules.map((each) => release(each, context.now))
  return scheduleChange(context, subscription, price, { schedules: [...before, made] }, quantity)
}

/** A schedule of the current period only. */
function newSchedule({ now }: AccountContext, subscription: SubscriptionRecord): Schedule {
  const { price, quantity, periodStart, periodEnd, cancelAt } = subscription
  return {
    id: newId('sub_sched_'),
    created: now,
    phases: [{ price, quantity, start: periodStart, end: periodEnd, isTaxed: isTaxed(subscription) }],
    endBehavior: cancelAt === null ? 'release' : 'cancel',
    releasedAt: null,
  }
}

/** Releases the schedule: the subscription continues at its current price. */
export function releaseSchedule(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  const { schedules } = subscriptionOwn(subscription)
  return scheduleChange(context, subscription, null, { schedules: schedules.map((each) => release(each, context.now)) })
}

const release = (schedule: Schedule, now: number): Schedule => ({ ...schedule, releasedAt: schedule.releasedAt ?? now })

interface Found {
  subscription: SubscriptionRecord
  schedule: Schedule
}

function lookUpSchedule(context: AccountContext, id: string): Found | null {
  for (const subscription of all(context, 'subscriptions')) {
    const schedule = subscriptionOwn(subscription).schedules.find((each) => each.id === id)
    if (schedule) return { subscription, schedule }
  }
  return null
}

function findSchedule(context: AccountContext, id: string): Found {
  const found = lookUpSchedule(context, id)
  if (!found) throw noSuch('subscription_schedules', id)
  return found
}

/** A schedule as Stripe shows it; null if there is none with that id. */
export function findScheduleObject(context: AccountContext, id: string): object | null {
  const found = lookUpSchedule(context, id)
  return found && show(found)
}

const show = ({ subscription, schedule }: Found) => scheduleObject(subscription, schedule)

/** While a schedule manages a subscription, its end cannot be changed otherwise. */
export function refuseManaged(subscription: SubscriptionRecord): void {
  const schedule = managingSchedule(subscription)
  if (schedule) throw refused('managed_by_schedule', { id: schedule.id, param: 'cancel_at_period_end' })
}

/**
 * "A subscription schedule will be created using the subscription's item(s), set to auto-renew using the subscription's interval"
 * (docs.stripe.com/api/subscription_schedules/create). That the schedule of a subscription that is to end has the `end_behavior` cancel is
 * UNVERIFIED.
 */
function createSchedule(context: AccountContext, { from_subscription: id }: z.output<typeof CreateParameters>) {
  const subscription = find(context, 'subscriptions', id, 'from_subscription')
  // The text is from the log of a live account (github.com/BasedHardware/omi/pull/7649).
  const current = managingSchedule(subscription)
  if (current) throw refused('already_scheduled', { id: current.id })
  if (hasEnded(subscription)) throw refused('subscription_canceled')
  const made = newSchedule(context, subscription)
  change(context, subscription, () => {
    const own = subscriptionOwn(subscription)
    subscription.own = { ...own, schedules: [...own.schedules, made] }
  })
  context.emit({ what: 'subscription.change_scheduled', subscription })
  return { subscription, schedule: made }
}

/**
 * Sets the phases, of which the first is the current one: it must be repeated with its own start. The schedule decides whether the
 * subscription ends: while it manages the subscription, "updating any cancelation behavior directly is not allowed. Please update the
 * schedule instead" is Stripe's error. Only `subscription_schedule.updated` is sent for it, as measured in a sandbox.
 */
function updateSchedule(context: AccountContext, id: string, given: z.output<typeof UpdateParameters>) {
  const { subscription, schedule } = findSchedule(context, id)
  if (managingSchedule(subscription)?.id !== id) throw refused('schedule_not_active')
  const [current, next] = given.phases
  if (current.start_date !== schedule.phases[0]!.start)
    throw refused('phase_started', { param: 'phases[0][start_date]' })
  const price = findPrice(context, current.items[0].price, 'phases[0][items][0][price]')
  const { start_date: start, end_date: end, automatic_tax: tax } = current
  const { quantity } = current.items[0]
  const phases: Schedule['phases'] = [{ price, quantity, start, end, isTaxed: tax?.enabled ?? false }]
  if (next) phases.push(nextPhase(context, end, next))
  const { schedules, ...own } = subscriptionOwn(subscription)
  const endBehavior = given.end_behavior ?? schedule.endBehavior
  const updated = { ...schedule, phases, endBehavior }
  subscription.own = { ...own, schedules: schedules.map((each) => (each.id === id ? updated : each)) }
  const later = phases.at(-1)!
  subscription.scheduled = next ? { price: later.price, quantity: later.quantity } : null
  // Whether a phase without `automatic_tax` is taxed is UNVERIFIED: here it is not.
  if (!later.isTaxed) subscription.terms = { ...subscription.terms, taxPercent: 0 }
  if (endBehavior === 'release') scheduleEnd(context, subscription, false)
  context.emit({ what: 'subscription.schedule_updated', subscription })
  return { subscription, schedule: updated }
}

function nextPhase(
  context: AccountContext,
  start: number,
  { items, duration, automatic_tax: tax }: z.output<typeof NextPhase>,
) {
  const price = findPrice(context, items[0].price, 'phases[1][items][0][price]')
  const cycle = { interval: duration.interval, intervalCount: duration.interval_count }
  return {
    price,
    quantity: items[0].quantity,
    start,
    end: nextPeriodEnd(start, cycle, start),
    isTaxed: tax?.enabled ?? false,
  }
}

const CreateParameters = z.strictObject({ from_subscription: text() })

const ProrationBehavior = z.literal('none')
/** That an item without a quantity has one unit is UNVERIFIED. */
const phase = {
  items: z.tuple([z.strictObject({ price: text(), quantity: integer(1).default(1) })]),
  proration_behavior: ProrationBehavior.optional(),
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
}
const CurrentPhase = z.strictObject({
  ...phase,
  start_date: integer(0),
  end_date: integer(0),
  trial_end: integer(0).optional(),
})
const NextPhase = z.strictObject({
  ...phase,
  duration: z.strictObject({
    interval: z.enum(['day', 'week', 'month', 'year']),
    interval_count: integer(1).default(1),
  }),
})
const UpdateParameters = z.strictObject({
  end_behavior: z.enum(['release', 'cancel']).optional(),
  proration_behavior: ProrationBehavior.optional(),
  phases: z.tuple([CurrentPhase, NextPhase.optional()]),
})

const Release = z.strictObject({ preserve_cancel_date: z.enum(['true', 'false']).optional() })

const SCHEDULE = '/v1/subscription_schedules/:id'

export const SCHEDULE_ROUTES: Route[] = [
  read(SCHEDULE, findSchedule, show),
  route('POST', '/v1/subscription_schedules', CreateParameters, createSchedule, show),
  route('POST', SCHEDULE, UpdateParameters, (context, given, [id]) => updateSchedule(context, id, given), show),
  route('POST', `${SCHEDULE}/release`, Release, (context, _, [id]) => {
    const { subscription } = findSchedule(context, id)
    if (managingSchedule(subscription)?.id !== id) throw refused('schedule_released')
    releaseSchedule(context, subscription)
    return show(findSchedule(context, id))
  }),
]
