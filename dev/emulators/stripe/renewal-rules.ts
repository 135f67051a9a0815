import type { RenewalRules } from '../core/domain/dues.ts'

const DAY_SECONDS = 24 * 3600

/** How long a renewal's invoice stays a draft at Stripe. */
export const DRAFT_SECONDS = 3600
export const RETRY_SECONDS = 3 * DAY_SECONDS

/** How many retries follow, and when, is the account's own setting at Stripe; these are the emulator's. */
export const RENEWALS: RenewalRules = {
  trialNotice: 3 * DAY_SECONDS,
  draft: DRAFT_SECONDS,
  retries: [RETRY_SECONDS, RETRY_SECONDS, RETRY_SECONDS],
  incomplete: 23 * 3600,
}
