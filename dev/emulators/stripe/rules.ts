import { dunningRules, dunningSetting } from '../core/controls/dunning.ts'
import type { RenewalRulesOf } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../core/periods.ts'
import { rateLimit } from '../core/wire/rate-limit.ts'

/** The version the emulator speaks: the one the pinned `stripe` package is made for. */
export const API_VERSION = '2026-10-28.endive'

/** 25 calls a second in a sandbox, 100 with live keys (docs.stripe.com/rate-limits). */
export const RATE_LIMIT = rateLimit({ calls: 25, seconds: 1 })

/**
 * Smart Retries, which are on for new accounts: "the recommended default setting is 8 tries within 2 weeks"
 * (docs.stripe.com/billing/revenue-recovery/smart-retries). Stripe's models choose the single times; here they are fixed. What
 * becomes of the subscription afterwards is a setting, too: cancelled, `unpaid` or left `past_due`.
 */
export const DUNNING = dunningSetting({ retryDays: [1, 1, 2, 2, 2, 2, 2, 2], finally: 'cancel' })

/** A renewal's invoice is a draft for an hour at Stripe. */
export const renewals: RenewalRulesOf = (context) => ({
  trialNotice: 3 * DAY_SECONDS,
  draft: HOUR_SECONDS,
  incomplete: 23 * HOUR_SECONDS,
  ...dunningRules(DUNNING.of(context)),
})
