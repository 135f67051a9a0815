import { DEFINITIONS } from '../../lib/processors/definitions.ts'

/** The part of what a processor allows that reconcile may take: the rest is left to checkouts, cancellations and webhooks. */
const SHARE = 1 / 3

/** What reconcile may ask of an account, as `take_calls` reads it. */
export const CALL_LIMITS = Object.fromEntries(
  Object.entries(DEFINITIONS).map(
    ([
      acquiring,
      {
        calls: { test, live, ofARead },
      },
    ]) => [acquiring, { calls: ofARead, test: shareOf(test), live: shareOf(live) }],
  ),
)

function shareOf({ most, seconds }: { most: number; seconds: number }) {
  return { most: Math.floor(most * SHARE), seconds }
}
