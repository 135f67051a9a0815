import { setTimeout as delay } from 'node:timers/promises'

/**
 * Repeats `poll` until it returns something, and returns that. Fails with `what` after `timeoutMs`, which by default is longer than
 * anything takes on a slow machine.
 */
export async function until<Result>(
  what: string,
  poll: () => Promise<Result | null | undefined | false>,
  timeoutMs = 60_000,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const result = await poll()
    if (result) return result
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await delay(20)
  }
}
