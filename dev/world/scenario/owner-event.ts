import { toDecimalText } from '../../../lib/money/money.ts'
import type { CapturedEvent } from '../capture-events.ts'

/** An event as the scenario's tables show it. */
export interface OwnerEvent {
  /** By the paywall's clock. */
  at: Date
  type: string
  /** The amount of a payment, `9.99 USD`; the prices of a change of plan, made or scheduled, `monthly → yearly`. */
  about: string | null
}

export function toOwnerEvent({ type, timestamp: at, data }: CapturedEvent): OwnerEvent {
  const { payment, subscription, previous } = data
  if (payment) return { at, type, about: `${toDecimalText(payment.amount, payment.currency)} ${payment.currency}` }
  switch (type) {
    case 'subscription.plan_changed':
      return { at, type, about: `${previous?.price_slug} → ${subscription?.price_slug}` }
    case 'subscription.plan_change_scheduled':
      return { at, type, about: `${subscription?.price_slug} → ${subscription?.scheduled_change?.price_slug}` }
    default:
      return { at, type, about: null }
  }
}
