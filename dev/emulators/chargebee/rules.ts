import { dunningRules, dunningSetting } from '../core/controls/dunning.ts'
import type { RenewalRulesFor } from '../core/domain/dues.ts'
import { DAY_SECONDS } from '../core/periods.ts'

/**
 * The retries of failed charges and what happens to the subscription after the last one are settings of the site
 * (chargebee.com/docs/2.0/dunning-v2.html): it is cancelled, or stays active with an invoice that is `not_paid`. The days are
 * UNVERIFIED.
 */
export const DUNNING = dunningSetting({ retryDays: [2, 5, 7], finally: 'cancel' })

/**
 * A term's invoice is charged when the term begins, even while earlier ones are in dunning: "the subscription remains Active throughout
 * the dunning process" (chargebee.com/docs/1.0/subscriptions/articles-and-faq/subscription-status-as-active-when-payment-failed-on-renewal.html).
 * When a trial's end is announced is a setting of the site. The three days, and when a pending first payment is retried, are UNVERIFIED.
 */
export const renewals: RenewalRulesFor = (context) => ({
  trialNotice: 3 * DAY_SECONDS,
  draft: null,
  incomplete: 2 * DAY_SECONDS,
  chargesIncomplete: true,
  recoversBy: 'all',
  ...dunningRules(DUNNING.read(context)),
})
