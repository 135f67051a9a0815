import * as z from 'zod'
import { type AccountContext, all } from '../domain/context.ts'
import type { SubscriptionRecord } from '../domain/selling-records.ts'
import { onRecordWith } from './controls.ts'

const DAY_SECONDS = 24 * 3600

const TIMES = [
  ...['created', 'anchor', 'periodStart', 'periodEnd', 'trialEnd', 'cancelAt', 'canceledAt', 'endedAt', 'paidAt'],
  'expiresAt',
]

/** Moves all times of a record into the past. */
export function moveBack(record: object, days: number): void {
  for (const [name, at] of Object.entries(record)) {
    if (TIMES.includes(name) && typeof at === 'number') Object.assign(record, { [name]: at - days * DAY_SECONDS })
  }
}

/**
 * A control that lets so many days pass for one subscription, by moving all its times, its invoices' and its payments'
 * into the past. `follow` does the same to what else belongs to it.
 */
export const elapseControl = (
  show: (subscription: SubscriptionRecord, context: AccountContext) => { id: string },
  follow: (context: AccountContext, subscription: SubscriptionRecord, days: number) => void = () => {},
) =>
  onRecordWith('subscription', 'subscriptions', ['days', z.int().positive()], (context, subscription, days) => {
    const isOfIt = (record: { subscription: string | null }) => record.subscription === subscription.id
    const bills = [...all(context, 'invoices').filter(isOfIt), ...all(context, 'payments').filter(isOfIt)]
    for (const record of [subscription, ...bills]) moveBack(record, days)
    follow(context, subscription, days)
    return show(subscription, context)
  })
