import { DEFINITIONS } from '../../lib/processors/definitions.ts'

/** The share of a processor's rate limit that reconcile may use: the rest is left to checkouts, cancellations and webhooks. */
const SHARE = 1 / 3

/** The limits of reconcile's calls per account, as `consume_calls` expects them; null: not limited. */
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

function takeShare({ max, seconds }: { max: number; seconds: number }) {
  return { max: Math.floor(max * SHARE), seconds }
}
