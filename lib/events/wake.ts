import { log } from '../http/log.ts'

/**
 * Wakes deliver-events if a call made deliveries wait; to be handed to `waitUntil`, since nobody's answer depends on it. If
 * the queue is away, its cron finds them within a minute. Never throws.
 */
export async function wakeDeliverEvents(env: { EVENTS: Queue }, queued: number): Promise<void> {
  if (queued === 0) return
  try {
    await env.EVENTS.send({ queued })
  } catch (cause) {
    log('warn', 'deliver-events was not woken', { queued, cause })
  }
}
