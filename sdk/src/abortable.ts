import { noResponseError } from './error.ts'

/**
 * Runs work that any of several signals aborts. `AbortSignal.any` is not available everywhere yet, so they are combined by hand. Rejects
 * immediately on abort, because a custom `fetch` may ignore its signal.
 *
 * @throws PaywallError aborted
 */
export async function abortable<Result>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signals.some((each) => each?.aborted)) throw noResponseError('aborted')
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const each of signals) each?.addEventListener('abort', abort)
  try {
    return await Promise.race([work(controller.signal), untilAborted(controller.signal)])
  } finally {
    for (const each of signals) each?.removeEventListener('abort', abort)
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(noResponseError('aborted'))))
