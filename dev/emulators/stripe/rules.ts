import { dunningRules, dunningSetting } from '../core/controls/dunning.ts'
import type { RenewalRulesFor } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../core/periods.ts'
import { rateLimit } from '../core/wire/rate-limit.ts'

/** The emulator's API version: that of the pinned `stripe` package. */
export const API_VERSION = '2026-10-28.endive'

/** 25 calls a second in a sandbox, 100 with live keys (docs.stripe.com/rate-limits). */
export const RATE_LIMIT = rateLimit({ calls: 25, seconds: 1 })

/**
 * Smart Retries, the default of new accounts: "the recommended default setting is 8 tries within 2 weeks"
 * (docs.stripe.com/billing/revenue-recovery/smart-retries). Stripe's models choose the times; here they are fixed. What happens to
 * the subscription afterwards is also a setting: cancelled, `unpaid` or left `past_due`.
 */
export const DUNNING = dunningSetting({ retryDays: [1, 1, 2, 2, 2, 2, 2, 2], finally: 'cancel' })

/**
 * A trial's end is announced "three days before" (docs.stripe.com/api/events/types). A renewal's invoice is a draft for "about 1 hour"
 * (docs.stripe.com/billing/invoices/subscription). A subscription not paid "within 23 hours" expires
 * (docs.stripe.com/api/subscriptions/object). A past due subscription "continues to create invoices", and "paying the latest associated
 * invoice" makes it active, even if others are open (docs.stripe.com/billing/subscriptions/overview). When it ends, "Stripe stops
 * automatic collection of all finalized invoices" (docs.stripe.com/api/subscriptions/cancel).
 */
export const renewals: RenewalRulesFor = (context) => ({
  trialNotice: 3 * DAY_SECONDS,
  draft: HOUR_SECONDS,
  incomplete: 23 * HOUR_SECONDS,
  recoversBy: 'latest',
  ...dunningRules(DUNNING.read(context)),
})
