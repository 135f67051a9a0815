import { PaywallError } from './error.ts'

export interface AttemptOptions {
  fetch: typeof fetch
  /** How long to wait for an answer, in milliseconds. */
  timeout: number
  /** Aborts the call. */
  signal: AbortSignal | null
}

/**
 * Sends a request once. `AbortSignal.any` is not everywhere yet, so two signals are joined by hand.
 *
 * @throws PaywallError network_error, timeout, aborted
 */
export async function attempt(request: Request, { fetch, timeout, signal }: AttemptOptions): Promise<Response> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeout)
  signal?.addEventListener('abort', abort)
  try {
    if (signal?.aborted) throw new DOMException('aborted', 'AbortError')
    const response = await fetch(new Request(request, { signal: controller.signal }))
    // The body is read under the same timeout, since an answer that stalls is none.
    return new Response(await bodyOf(response), response)
  } catch (cause) {
    throw noAnswer(signal?.aborted ? 'aborted' : controller.signal.aborted ? 'timeout' : 'network_error', cause)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** A response of these statuses may not have a body, not even an empty one. */
const bodyOf = async (response: Response) => ([204, 205, 304].includes(response.status) ? null : response.arrayBuffer())

const SENTENCES = {
  aborted: 'The call was aborted.',
  timeout: 'No answer came in time.',
  network_error: 'The service was not reached, or the connection broke.',
}

const noAnswer = (code: keyof typeof SENTENCES, cause: unknown) =>
  new PaywallError({ status: 0, code, message: SENTENCES[code] }, { cause })
