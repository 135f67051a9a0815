// Formats amounts and times for display.
import { toDecimalText } from '../../lib/money/money.ts'

/** `2026-11-03T14:05:06.789Z` is `3 Nov 2026, 14:05`. */
export const formatTime = (at: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(at))

export const formatDate = (at: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(at))

/** `999` and `USD` are `9.99 USD`. */
export const formatAmount = (amount: number, currency: string): string =>
  `${toDecimalText(amount, currency)} ${currency}`

/** `payment.succeeded` stays; `past_due` is `past due`. */
export const toWords = (name: string): string => name.replaceAll('_', ' ')
