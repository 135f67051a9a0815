import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'

/** The pause between attempts at a start that fails, as it does while another process has the port. */
const PAUSE_MS = 200

/**
 * Resolves when the runtime is up again after its process has exited. Miniflare starts the next process by itself, but gives up
 * for good if that exits before it is ready. Then we set Miniflare's options again, which restarts the runtime, until it is up.
 * Resolves at once when the world stops.
 */
export async function untilItRuns(
  miniflare: Miniflare,
  options: Parameters<Miniflare['setOptions']>[0],
  isStopping: () => boolean,
): Promise<void> {
  // Miniflare handles the same exit event. After that, `ready` waits for the next start.
  await setImmediate()
  while (!isStopping()) {
    try {
      await miniflare.ready
      return
    } catch {
      await delay(PAUSE_MS)
      if (!isStopping()) await restart(miniflare, options)
    }
  }
}

/** A failed start also shows in `ready`, or in the exit of the process. */
async function restart(miniflare: Miniflare, options: Parameters<Miniflare['setOptions']>[0]): Promise<void> {
  try {
    await miniflare.setOptions(options)
  } catch (error) {
    console.error('The Workers could not be restarted yet:', error instanceof Error ? error.message : error)
  }
}
