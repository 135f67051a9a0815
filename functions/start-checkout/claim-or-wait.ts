import { claimCheckout } from '../../generated/calls.ts'
import { type Caller, callerParameters } from '../../lib/auth/gate.ts'
import type { Database } from '../../lib/db/connect.ts'
import { nearestLocale } from '../../lib/http/locale.ts'
import type { PaywallTarget } from '../../lib/http/paywall-target.ts'
import { untilDecided } from '../../lib/http/until-decided.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { ClaimResult, DecidedResult } from './claimed-checkout.ts'
import { type CheckoutRequest, errors } from './contract.ts'

/** Processors whose trial length is fixed by the product. */
const FIXED_TRIALS = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.trialLength === 'of the product')

/** Processors that count the periods of a discount from the end of a trial. */
const AFTER_TRIAL = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].discounts?.trialProblem === null)

/** The language of each processor's page that is closest to the buyer's, by the processor's name; only of those that may be sent it. */
function pageLocales(wanted: string | null): Record<string, string> {
  if (wanted === null) return {}
  return Object.fromEntries(
    PROCESSOR_NAMES.flatMap((name) => {
      const { locales, usesBuyerLocale } = DEFINITIONS[name].checkoutOptions
      const nearest = usesBuyerLocale ? nearestLocale(locales, wanted) : undefined
      return nearest === undefined ? [] : [[name, nearest]]
    }),
  )
}

/** How long one attempt holds the claim: longer than the timeout of the processor client. After a crash other calls wait this long. */
type Lease = { holder: string; leaseSeconds: number }

/**
 * Claims the checkout, or waits for the reply of the attempt that holds the claim.
 *
 * @throws ApiError 409 `checkout_in_progress`
 */
export function claimOrWait(
  db: Database,
  caller: Caller,
  target: PaywallTarget,
  request: CheckoutRequest,
  lease: Lease,
): Promise<DecidedResult> {
  const parameters = {
    ...target,
    ...callerParameters(caller),
    ...request,
    ...lease,
    fixedTrials: FIXED_TRIALS,
    afterTrial: AFTER_TRIAL,
    pageLocales: pageLocales(request.locale),
  }
  return untilDecided(() => claimCheckout<ClaimResult>(db, parameters), errors.in_progress)
}
