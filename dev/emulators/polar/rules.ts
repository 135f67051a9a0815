import type { RenewalRules } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../core/periods.ts'
import { rateLimit } from '../core/wire/rate-limit.ts'

export const API_VERSION = '2026-10'
/** `CUSTOMER_SESSION_TTL` and `CHECKOUT_TTL_SECONDS` in server/polar/config.py. */
export const PORTAL_SECONDS = HOUR_SECONDS
export const CHECKOUT_SECONDS = DAY_SECONDS
/** How long a payment that takes its time is on its way: UNVERIFIED. */
export const SLOW_PAYMENT_SECONDS = 12 * HOUR_SECONDS

/** `_SANDBOX_RULES` in server/polar/rate_limit.py; in production 500 a minute. */
export const RATE_LIMIT = rateLimit({ calls: 100, seconds: 60 })

/**
 * Polar begins a period; a job makes its order and charges it soon after; how soon is UNVERIFIED, and so is when what was never paid
 * expires. A failed charge is
 * repeated after 2, 5, 7 and 7 days (`DUNNING_RETRY_INTERVALS` in server/polar/config.py), then the subscription is revoked
 * (`_handle_consecutive_dunning_attempts` in server/polar/order/service.py).
 *
 * What is past due is billable, too (`billable_statuses` in server/polar/models/subscription.py): periods begin although those before
 * are not paid, and it is active again once no order is in dunning (`handle_payment` in server/polar/order/service.py). When it ends,
 * its pending orders are void (`_on_subscription_revoked` in server/polar/subscription/service.py). An order that a job makes after
 * that is charged once (`_handle_first_dunning_attempt`), such as the one of what changes of product have left at a scheduled end
 * (`subscription_cancel` in `cycle`). Polar's jobs may run so that this one is void, too; here it is charged.
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
