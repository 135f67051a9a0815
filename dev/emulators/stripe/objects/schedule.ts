import type { SubscriptionRecord } from '../../core/domain/selling-records.ts'
import { snakeFields } from '../../core/wire/snake.ts'
import { managingSchedule, type Schedule } from '../own.ts'
import { automaticTax } from './selling.ts'
import { complete } from './wire.ts'

/** A subscription schedule. */
export function scheduleObject(subscription: SubscriptionRecord, schedule: Schedule) {
  const { phases, releasedAt } = schedule
  const isActive = managingSchedule(subscription)?.id === schedule.id
  const current = phases.findLast(({ start }) => start <= subscription.periodStart) ?? phases[0]!
  return complete('subscription_schedule', {
    ...snakeFields(schedule, 'id', 'created', 'endBehavior', 'releasedAt'),
    customer: subscription.customer,
    current_phase: isActive ? { start_date: current.start, end_date: current.end } : null,
    phases: phases.map((phase) => phaseObject(subscription, phase)),
    released_subscription: isActive ? null : subscription.id,
    status: isActive ? 'active' : 'released',
    subscription: isActive ? subscription.id : null,
    ...(!isActive && releasedAt === null && { released_at: phases.at(-1)!.end }),
  })
}

const phaseObject = (
  { trialEnd }: SubscriptionRecord,
  { price, quantity, start: start_date, end: end_date, isTaxed }: Schedule['phases'][number],
) =>
  complete('subscription_schedule_phase', {
    start_date,
    end_date,
    automatic_tax: automaticTax(isTaxed),
    currency: price.currency,
    items: [complete('subscription_schedule_item', { price: price.id, plan: price.id, quantity })],
    trial_end: trialEnd === end_date ? trialEnd : null,
  })
