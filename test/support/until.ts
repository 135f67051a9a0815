import { setTimeout as delay } from 'node:timers/promises'

/** Looks again and again until there is something to see, and gives that; fails with `what` after `timeoutMs`. */
export async function until<Seen>(
  what: string,
  look: () => Promise<Seen | null | undefined | false>,
  timeoutMs = 10_000,
): Promise<Seen> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await delay(20)
  }
}
