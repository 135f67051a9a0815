import type { models } from '@polar-sh/sdk/2026-10'
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

/** When something was made, of what is never changed here. */
export const since = (seconds: number) => ({ created_at: timeText(seconds), modified_at: null })
