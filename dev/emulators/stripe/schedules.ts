import * as z from 'zod'
import { type AccountContext, all } from '../core/domain/context.ts'
import { scheduleChange } from '../core/domain/plan-changes.ts'
import type { SoldPrice, SubscriptionRecord } from '../core/domain/selling-records.ts'
import { newId } from '../core/domain/tables.ts'
import { nextPeriodEnd } from '../core/periods.ts'
import { type Route, read, route } from '../core/wire/routes.ts'
import { noSuch, refused } from './errors.ts'
import { scheduleObject } from './objects/schedule.ts'
import { managingSchedule, type Schedule, subscriptionOwn } from './own.ts'

/*
 * Stripe's portal creates a subscription schedule for a change at the end of the period
 * (docs.stripe.com/customer-management/configure-portal: "Downgrades"). It has two phases, the current and the next, and manages
 * the subscription to the end of the second. That it is not released earlier is UNVERIFIED, and the harder case.
 */

export function scheduleInPortal(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice) {
  const { schedules } = subscriptionOwn(subscription)
  const { periodStart, periodEnd, price: from } = subscription
  const until = nextPeriodEnd(periodEnd, price, periodEnd)
  const phases = { from, to: price, start: periodStart, change: periodEnd, until }
  const made: Schedule = { id: newId('sub_sched_'), created: context.now, ...phases, releasedAt: null }
  const before = schedules.map((each) => release(each, context.now))
  return scheduleChange(context, subscription, price, { schedules: [...before, made] })
}

/** Releases the schedule: the subscription continues at its current price. */
export function releaseSchedule(context: AccountContext, subscription: SubscriptionRecord): SubscriptionRecord {
  const { schedules } = subscriptionOwn(subscription)
  return scheduleChange(context, subscription, null, { schedules: schedules.map((each) => release(each, context.now)) })
}

const release = (schedule: Schedule, now: number): Schedule => ({ ...schedule, releasedAt: schedule.releasedAt ?? now })

function findSchedule(context: AccountContext, id: string) {
  for (const subscription of all(context, 'subscriptions')) {
    const schedule = subscriptionOwn(subscription).schedules.find((each) => each.id === id)
    if (schedule) return { subscription, schedule }
  }
  throw noSuch('subscription_schedules', id)
}

const show = ({ subscription, schedule }: ReturnType<typeof findSchedule>) => scheduleObject(subscription, schedule)

/** While a schedule manages a subscription, its end cannot be changed otherwise. */
export function refuseManaged(subscription: SubscriptionRecord): void {
  const schedule = managingSchedule(subscription)
  if (schedule) throw refused('managed_by_schedule', { id: schedule.id, param: 'cancel_at_period_end' })
}

const Release = z.strictObject({ preserve_cancel_date: z.enum(['true', 'false']).optional() })

export const SCHEDULE_ROUTES: Route[] = [
  read('/v1/subscription_schedules/:id', findSchedule, show),
  route('POST', '/v1/subscription_schedules/:id/release', Release, (context, _, [id]) => {
    const { subscription } = findSchedule(context, id)
    if (managingSchedule(subscription)?.id !== id) throw refused('schedule_released')
    releaseSchedule(context, subscription)
    return show(findSchedule(context, id))
  }),
]
