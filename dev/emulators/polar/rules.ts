import type { RenewalRules } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../core/periods.ts'
import { rateLimit } from '../core/wire/rate-limit.ts'

export const API_VERSION = '2026-10'
export const PORTAL_SECONDS = HOUR_SECONDS
/** How long a payment that takes its time is on its way: UNVERIFIED. */
export const SLOW_PAYMENT_SECONDS = 12 * HOUR_SECONDS

/** `_SANDBOX_RULES` in server/polar/rate_limit.py; in production 500 a minute. */
export const RATE_LIMIT = rateLimit({ calls: 100, seconds: 60 })

/**
 * Polar begins a period, makes its order and charges it by a job soon after; how soon is not documented. A failed charge is
 * repeated after 2, 5, 7 and 7 days (`DUNNING_RETRY_INTERVALS` in server/polar/config.py), then the subscription is revoked
 * (`_handle_consecutive_dunning_attempts` in server/polar/order/service.py).
 */
const RENEWALS: RenewalRules = {
  trialNotice: null,
  draft: MINUTE_SECONDS,
  retries: [2, 5, 7, 7].map((days) => days * DAY_SECONDS),
  incomplete: DAY_SECONDS,
}

export const renewals = () => RENEWALS
