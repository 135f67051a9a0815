import { claimCheckout } from '../../generated/calls.ts'
import { type Caller, callerParameters } from '../../lib/auth/gate.ts'
import type { Database } from '../../lib/db/connect.ts'
import { ApiError } from '../../lib/http/errors.ts'
import type { PaywallTarget } from '../../lib/http/paywall-target.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { ClaimResult, DecidedResult } from './claimed-checkout.ts'
import { type CheckoutRequest, errors } from './contract.ts'

/** Processors whose trial length is fixed by the product. */
const FIXED_TRIALS = PROCESSOR_NAMES.filter((name) => DEFINITIONS[name].capabilities.trialLength === 'of the product')

/** How long one attempt holds the claim: longer than the timeout of the processor client. After a crash other calls wait this long. */
type Lease = { holder: string; leaseSeconds: number }

/** How long a duplicate waits for the reply of the attempt before it, polling with exponential backoff. */
const WAIT_MS = 5_000
const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 1_200
/** By then a slow attempt should have finished, and less is left of the lease of one that crashed. */
const RETRY_AFTER_SECONDS = 5

/**
 * Claims the checkout. While another attempt holds the claim, polls until there is a reply or the wait times out.
 *
 * @throws ApiError 409 `checkout_in_progress`
 */
export async function claimOrWait(
  db: Database,
  caller: Caller,
  target: PaywallTarget,
  request: CheckoutRequest,
  lease: Lease,
): Promise<DecidedResult> {
  const parameters = { ...target, ...callerParameters(caller), ...request, ...lease, fixedTrials: FIXED_TRIALS }
  const deadline = Date.now() + WAIT_MS
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const row = await claimCheckout<ClaimResult>(db, parameters)
    if (row.verdict !== 'in_progress') return row
    if (Date.now() > deadline) throw new ApiError(...errors.in_progress, { retryAfter: RETRY_AFTER_SECONDS })
    await scheduler.wait(pause * (0.5 + Math.random()))
  }
}
