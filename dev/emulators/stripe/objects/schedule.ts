import type { SoldPrice, SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { managingSchedule, type Schedule } from '../own.ts'
import { complete } from './wire.ts'

/** A subscription schedule as the portal creates it. */
export function scheduleObject(subscription: SubscriptionRecord, schedule: Schedule) {
  const { from, to, start, change, until, releasedAt } = schedule
  const isActive = managingSchedule(subscription)?.id === schedule.id
  return complete('subscription_schedule', {
    ...snakeFields(schedule, 'id', 'created', 'releasedAt'),
    customer: subscription.customer,
    current_phase: isActive ? { start_date: start, end_date: change } : null,
    phases: [phase(from, subscription, [start, change]), phase(to, subscription, [change, until])],
    released_subscription: isActive ? null : subscription.id,
    status: isActive ? 'active' : 'released',
    subscription: isActive ? subscription.id : null,
    ...(!isActive && releasedAt === null && { released_at: until }),
  })
}

const phase = (price: SoldPrice, { quantity }: SubscriptionRecord, [start_date, end_date]: [number, number]) =>
  complete('subscription_schedule_phase', {
    start_date,
    end_date,
    currency: price.currency,
    items: [complete('subscription_schedule_item', { price: price.id, plan: price.id, quantity })],
  })
