import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../support/call.ts'

const LONGEST_SECONDS = 25
const PAUSE_MS = 300

/** An answer that says what came of a call, and not that it may be made again. */
export const isDefinite = ({ status }: Reply) => status < 500

/**
 * Repeats a call until it is answered, as a client does that may retry: while the connection breaks, the response is a
 * 5xx, or `again` says so. Null if that takes too long: the client gives up.
 */
export async function insist(
  ask: () => Promise<Reply>,
  again: (reply: Reply) => boolean = () => false,
): Promise<Reply | null> {
  const deadline = Date.now() + LONGEST_SECONDS * 1000
  while (Date.now() < deadline) {
    const reply = await once(ask)
    if (reply && isDefinite(reply) && !again(reply)) return reply
    await delay(PAUSE_MS)
  }
  return null
}

/** The answer, whatever it is; null if the connection broke. */
export async function once(ask: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await ask()
  } catch {
    return null
  }
}
