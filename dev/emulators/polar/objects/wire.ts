import type { models } from '@polar-sh/sdk/2026-10'
import type { AccountContext } from '../../core/domain/context.ts'
import { currentVersion } from '../../core/domain/versions.ts'
import { completer } from '../../core/wire/complete.ts'
import CONSTANTS from './constants.json' with { type: 'json' }

interface Kinds {
  checkout: models.Checkout
  customer: models.CustomerIndividual
  price: models.ProductPriceFixed
  /** The fields of products in all objects. */
  product: Omit<models.OrderProduct, 'metadata'>
  order: models.Order
  item: models.OrderItemSchema
  /** The fields of a subscription within an order. */
  subscription: models.OrderSubscription
  dispute: models.RefundDispute
}

/** Completes an object of Polar with the constants of its kind in `constants.json`. */
export const complete = completer<Kinds>()(CONSTANTS)

export const timeText = (seconds: number) => new Date(seconds * 1000).toISOString()
export const timeOrNull = (seconds: number | null) => (seconds === null ? null : timeText(seconds))

/** Sets the time of the last change, which grows with every change; null if it never changed. */
export function stamped<Shown extends { id: string; created_at: string; modified_at: string | null }>(
  context: AccountContext,
  kind: string,
  shown: Shown,
): Shown {
  const now = Math.max(context.now, Date.parse(shown.created_at) / 1000)
  const { version, isFirst } = currentVersion({ ...context, now }, kind, shown)
  return isFirst ? shown : { ...shown, modified_at: new Date(version).toISOString() }
}

/** The times of objects that never change. */
export const since = (seconds: number) => ({ created_at: timeText(seconds), modified_at: null })
