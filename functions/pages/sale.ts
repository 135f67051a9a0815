// What a price means for this visitor.
import type { Site } from './site.ts'
import type { Price } from './structure.ts'

/** The trial that the visitor would get: each user has one on a paywall. */
export const trialDays = ({ user }: Site, price: Price): number =>
  user?.purchases.some(({ trial_end }) => trial_end !== null) ? 0 : price.trial_days
