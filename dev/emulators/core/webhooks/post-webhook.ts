const TIMEOUT_MS = 10_000

/** Makes one attempt to send a webhook. Resolves to the status of the response; 0: no response. */
export async function postWebhook(
  url: string,
  message: { headers: Record<string, string>; body: string },
  { send, closing }: { send: typeof fetch; closing: AbortSignal },
): Promise<number> {
  try {
    const response = await send(url, {
      method: 'POST',
      ...message,
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    // Connection errors and timeouts are the same for a sender: it can only retry.
    return 0
  }
}
