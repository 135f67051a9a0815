import type { RenewalRules } from '../core/domain/dues.ts'
import { DAY_SECONDS, HOUR_SECONDS } from '../core/periods.ts'

/** The version the emulator speaks: the one the pinned `stripe` package is made for. */
export const API_VERSION = '2026-10-28.endive'

/**
 * A renewal's invoice is a draft for an hour at Stripe. How many retries follow, and when, is the account's own setting there;
 * these are the emulator's.
 */
export const RENEWALS = {
  trialNotice: 3 * DAY_SECONDS,
  draft: HOUR_SECONDS,
  retries: [3, 3, 3].map((days) => days * DAY_SECONDS),
  incomplete: 23 * HOUR_SECONDS,
} satisfies RenewalRules
