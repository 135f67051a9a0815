import type { RenewalRules } from '../core/domain/dues.ts'

/** The version the emulator speaks: the one the pinned `stripe` package is made for. */
export const API_VERSION = '2026-10-28.endive'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** How long a renewal's invoice stays a draft at Stripe. */
export const DRAFT_SECONDS = HOUR_SECONDS
export const RETRY_SECONDS = 3 * DAY_SECONDS

/** How many retries follow, and when, is the account's own setting at Stripe; these are the emulator's. */
export const RENEWALS: RenewalRules = {
  trialNotice: 3 * DAY_SECONDS,
  draft: DRAFT_SECONDS,
  retries: [RETRY_SECONDS, RETRY_SECONDS, RETRY_SECONDS],
  incomplete: 23 * HOUR_SECONDS,
}

/** How long a bank has a payment in hand: shorter than at a real bank, so that no subscription expires meanwhile. */
export const DEBIT_SECONDS = 12 * HOUR_SECONDS

export const LONGEST_SESSION_SECONDS = DAY_SECONDS
export const SHORTEST_SESSION_SECONDS = HOUR_SECONDS / 2
export const PORTAL_SECONDS = HOUR_SECONDS
