import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from './call.ts'

/**
 * Repeats a call for as long as it gets 503 with `Retry-After`, as docs/contract.md tells clients to: where a test makes many calls at
 * once, a slow machine may keep some of them waiting for longer than the database's limits.
 */
export async function untilServed(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await ask()
    const seconds = reply.headers['retry-after']
    if (reply.status !== 503 || seconds === undefined) return reply
    await delay(Number(seconds) * 1000)
  }
}
