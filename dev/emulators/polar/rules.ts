import type { RenewalRules } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../core/periods.ts'
import { rateLimit } from '../core/wire/rate-limit.ts'

export const API_VERSION = '2026-10'
/** `CUSTOMER_SESSION_TTL` and `CHECKOUT_TTL_SECONDS` in server/polar/config.py. */
export const PORTAL_SECONDS = HOUR_SECONDS
export const CHECKOUT_SECONDS = DAY_SECONDS
/** How long a slow payment is pending: UNVERIFIED. */
export const SLOW_PAYMENT_SECONDS = 12 * HOUR_SECONDS

/** `_SANDBOX_RULES` in server/polar/rate_limit.py; in production 500 a minute. */
export const RATE_LIMIT = rateLimit({ calls: 100, seconds: 60 })

/**
 * Polar begins a period, and a job creates and charges its order soon after. How soon is UNVERIFIED, and so is when a subscription
 * that was never paid expires. A failed charge is retried after 2, 5, 7 and 7 days (`DUNNING_RETRY_INTERVALS` in
 * server/polar/config.py), then the subscription is revoked (`_handle_consecutive_dunning_attempts` in
 * server/polar/order/service.py).
 *
 * A past due subscription is billable (`billable_statuses` in server/polar/models/subscription.py): periods begin even if earlier ones
 * are unpaid, and it is active again once no order is in dunning (`handle_payment` in server/polar/order/service.py). When it ends, its
 * pending orders become void (`_on_subscription_revoked` in server/polar/subscription/service.py). An order that a job creates after
 * that is charged once (`_handle_first_dunning_attempt`), such as the order for product changes at a scheduled end
 * (`subscription_cancel` in `cycle`). Depending on the timing of Polar's jobs it may become void instead; here it is charged.
 */
const RENEWALS: RenewalRules = {
  trialNotice: null,
  draft: MINUTE_SECONDS,
  retries: [2, 5, 7, 7].map((days) => days * DAY_SECONDS),
  incomplete: DAY_SECONDS,
  recoversBy: 'all',
  owedAtEnd: 'void',
}

export const renewals = () => RENEWALS
