import { ApiError, type ErrorTable } from './errors.ts'

/** How long a duplicate waits for the reply of the attempt before it, polling with exponential backoff. */
const WAIT_MS = 5_000
const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 1_200
/** By then a slow attempt should have finished, and less is left of the lease of one that crashed. */
const RETRY_AFTER_SECONDS = 5

/**
 * Claims an Idempotency-Key. While another attempt holds the claim, polls until there is a reply or the wait times out.
 *
 * @throws ApiError `inProgress`, with `Retry-After`
 */
export async function untilDecided<Row extends { verdict: string }>(
  claim: () => Promise<Row>,
  inProgress: ErrorTable[string],
): Promise<Exclude<Row, { verdict: 'in_progress' }>> {
  const deadline = Date.now() + WAIT_MS
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const row = await claim()
    if (isDecided(row)) return row
    if (Date.now() > deadline) throw new ApiError(inProgress, { retryAfter: RETRY_AFTER_SECONDS })
    await scheduler.wait(pause * (0.5 + Math.random()))
  }
}

function isDecided<Row extends { verdict: string }>(row: Row): row is Exclude<Row, { verdict: 'in_progress' }> {
  return row.verdict !== 'in_progress'
}
