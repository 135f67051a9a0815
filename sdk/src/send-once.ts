import { abortable } from './abortable.ts'
import { noResponseError } from './error.ts'

export interface SendOnceOptions {
  fetch: typeof fetch
  /** In milliseconds. */
  timeout: number
  /** Aborts the call. */
  signal: AbortSignal
}

/** The longest delay of a timer, 24 days: a longer one would fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Sends a request once. The timeout includes reading the body, which may stall.
 *
 * @throws PaywallError network_error, timeout, aborted
 */
export async function sendOnce(request: Request, { fetch, timeout, signal }: SendOnceOptions): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), Math.min(timeout, MAX_TIMEOUT_MS))
  try {
    return await abortable([signal, late.signal], async (either) => {
      const response = await fetch(new Request(request, { signal: either }))
      return new Response(await toBody(response), response)
    })
  } catch (cause) {
    if (signal.aborted) throw noResponseError('aborted')
    throw late.signal.aborted ? noResponseError('timeout') : noResponseError('network_error', cause)
  } finally {
    clearTimeout(timer)
  }
}

/** `new Response` throws if a response with one of these statuses has a body, even an empty one. */
const toBody = async (response: Response) => ([204, 205, 304].includes(response.status) ? null : response.arrayBuffer())
