import type { RenewalRules } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../core/periods.ts'

export const API_VERSION = '2026-10'
export const PORTAL_SECONDS = HOUR_SECONDS
/** How long a payment that takes its time is on its way: UNVERIFIED. */
export const SLOW_PAYMENT_SECONDS = 12 * HOUR_SECONDS

/**
 * Polar begins a period, makes its order and charges it by a job soon after; how soon is not documented. A failed charge is
 * repeated after 2, 5, 7 and 7 days, as in Polar's source.
 */
export const RENEWALS = {
  trialNotice: null,
  draft: MINUTE_SECONDS,
  retries: [2, 5, 7, 7].map((days) => days * DAY_SECONDS),
  incomplete: DAY_SECONDS,
} satisfies RenewalRules
