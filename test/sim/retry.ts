import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../support/call.ts'

const LONGEST_SECONDS = 25
const PAUSE_MS = 300

/** Whether a response states the outcome of its call. A 5xx does not. */
export const isDefinite = ({ status }: Reply) => status < 500

/**
 * Repeats a call as a client that may retry does: while the connection breaks, the response is a 5xx, or `again` returns true. Returns null
 * after a timeout, when the client gives up.
 */
export async function retryUntilDefinite(
  ask: () => Promise<Reply>,
  again: (reply: Reply) => boolean = () => false,
): Promise<Reply | null> {
  const deadline = Date.now() + LONGEST_SECONDS * 1000
  while (Date.now() < deadline) {
    const reply = await tryOnce(ask)
    if (reply && isDefinite(reply) && !again(reply)) return reply
    await delay(PAUSE_MS)
  }
  return null
}

/** Makes a call once. Returns the response, whatever its status; null if the connection broke. */
export async function tryOnce(ask: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await ask()
  } catch {
    return null
  }
}
