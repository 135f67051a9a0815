import { abortable } from './abortable.ts'
import { noAnswer } from './error.ts'

export interface SendOnceOptions {
  fetch: typeof fetch
  /** How long to wait for an answer, in milliseconds. */
  timeout: number
  /** Aborts the call. */
  signal: AbortSignal
}

/** Timers take no more milliseconds: they would end at once. It is 24 days. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Sends a request once. The body is read under the same timeout, since an answer that stalls is none.
 *
 * @throws PaywallError network_error, timeout, aborted
 */
export async function sendOnce(request: Request, { fetch, timeout, signal }: SendOnceOptions): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), Math.min(timeout, LONGEST_TIMEOUT_MS))
  try {
    return await abortable([signal, late.signal], async (either) => {
      const response = await fetch(new Request(request, { signal: either }))
      return new Response(await toBody(response), response)
    })
  } catch (cause) {
    if (signal.aborted) throw noAnswer('aborted')
    throw late.signal.aborted ? noAnswer('timeout') : noAnswer('network_error', cause)
  } finally {
    clearTimeout(timer)
  }
}

/** A response of these statuses may not have a body, not even an empty one. */
const toBody = async (response: Response) => ([204, 205, 304].includes(response.status) ? null : response.arrayBuffer())
