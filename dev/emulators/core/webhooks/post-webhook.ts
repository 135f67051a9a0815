const TIMEOUT_MS = 10_000

/** One attempt to send a webhook. Resolves to the status of the response, or to 0 if there was none. */
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
    // Whether nobody listens there or no response came in time: a sender can only try again.
    return 0
  }
}
