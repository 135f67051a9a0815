import { DEFINITIONS } from '../../lib/processors/definitions.ts'

/** The part of what a processor allows that reconcile may take: the rest is left to checkouts, cancellations and webhooks. */
const SHARE = 1 / 3

/** What reconcile may ask of an account, as `take_calls` reads it; null: as much as it likes. */
export const callLimits = (env: Pick<Cloudflare.ReconcileEnv, 'RATE_LIMITED'>) =>
  env.RATE_LIMITED ? CALL_LIMITS : null

const CALL_LIMITS = Object.fromEntries(
  Object.entries(DEFINITIONS).map(
    ([
      acquiring,
      {
        calls: { test, live, perRead },
      },
    ]) => [acquiring, { calls: perRead, test: takeShare(test), live: takeShare(live) }],
  ),
)

function takeShare({ most, seconds }: { most: number; seconds: number }) {
  return { most: Math.floor(most * SHARE), seconds }
}
