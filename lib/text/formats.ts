// Formats amounts and times for display.
import { toDecimalText } from '../money/money.ts'

/** `2026-11-03T14:05:06.789Z` is `3 Nov 2026, 14:05`. */
export const formatTime = (at: string): string => times.format(new Date(at))

export const formatDate = (at: string): string => dates.format(new Date(at))

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `999` and `USD` are `9.99 USD`. */
export const formatAmount = (amount: number | bigint, currency: string): string =>
  `${toDecimalText(amount, currency)} ${currency}`

/** `123456789` and `USD` are `1,234,567.89 USD`. */
export const formatSum = (amount: bigint, currency: string): string =>
  formatAmount(amount, currency).replace(/\d+/, groupThousands)

export const formatCount = (count: bigint): string => String(count).replace(/\d+/, groupThousands)

const groupThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** `payment.succeeded` stays; `past_due` is `past due`. */
export const toWords = (name: string): string => name.replaceAll('_', ' ')
