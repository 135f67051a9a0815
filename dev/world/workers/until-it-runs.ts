import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'

/** Between two attempts at a start that fails, as it does while another process has the port. */
const PAUSE_MS = 200

/**
 * Resolves when the runtime runs again after one of its processes has ended. Miniflare starts the next process by itself,
 * but if that ends before it answers, Miniflare gives up for good, and nobody would be answered any more: then it is given
 * its options anew, which starts the runtime, as often as it takes. Resolves at once when the world stops.
 */
export async function untilItRuns(
  miniflare: Miniflare,
  options: Parameters<Miniflare['setOptions']>[0],
  isStopping: () => boolean,
): Promise<void> {
  // Miniflare hears of the end in the same moment as we do. After that `ready` waits for the start that follows.
  await setImmediate()
  while (!isStopping()) {
    try {
      await miniflare.ready
      return
    } catch {
      await delay(PAUSE_MS)
      if (!isStopping()) await startAgain(miniflare, options)
    }
  }
}

/** A start that fails is seen by `ready`, or by the end of the process that was started. */
async function startAgain(miniflare: Miniflare, options: Parameters<Miniflare['setOptions']>[0]): Promise<void> {
  try {
    await miniflare.setOptions(options)
  } catch (error) {
    console.error('The Workers do not start again yet:', error instanceof Error ? error.message : error)
  }
}
