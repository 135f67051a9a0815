import { setTimeout as delay } from 'node:timers/promises'

/** Looks again and again until there is something to see, and gives that; fails with `what` after `timeoutMs`. */
export async function until<Result>(
  what: string,
  look: () => Promise<Result | null | undefined | false>,
  timeoutMs = 10_000,
): Promise<Result> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const result = await look()
    if (result) return result
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await delay(20)
  }
}
