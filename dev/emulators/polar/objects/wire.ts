import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import { currentVersion } from '../../core/domain/versions.ts'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

interface Kinds {
  checkout: models.Checkout
  customer: models.CustomerIndividual
  price: models.ProductPriceFixed
  /** What products have wherever they are shown. */
  product: Omit<models.OrderProduct, 'metadata'>
  order: models.Order
  item: models.OrderItemSchema
  /** What a subscription has also where it is only part of an order. */
  subscription: models.OrderSubscription
  dispute: models.RefundDispute
}

/** An object of Polar's: what is the same in all of its kind is in `constants.json`. */
export const complete = completer<Kinds>()(CONSTANTS)

/** A time as Polar writes it. */
export const timeText = (seconds: number) => new Date(seconds * 1000).toISOString()
export const timeOrNull = (seconds: number | null) => (seconds === null ? null : timeText(seconds))

/** An object with the time of its last change, which grows with each; null if it never was changed. */
export function stamped<Shown extends { id: string; created_at: string; modified_at: string | null }>(
  context: AccountContext,
  kind: string,
  shown: Shown,
): Shown {
  const now = Math.max(context.now, Date.parse(shown.created_at) / 1000)
  const { version, isFirst } = currentVersion({ ...context, now }, kind, shown)
  return isFirst ? shown : { ...shown, modified_at: new Date(version).toISOString() }
}

/** When something was made, of what is never changed here. */
export const since = (seconds: number) => ({ created_at: timeText(seconds), modified_at: null })
