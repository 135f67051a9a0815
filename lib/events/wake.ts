import { currentRequestId, log } from '../log/log.ts'

/** Wakes deliver-events; its fields are for the log only. */
export interface WakeMessage {
  queued: number
  request_id: string | null
}

/**
 * Wakes deliver-events if a call queued deliveries; for `waitUntil`, since no response depends on it. If the queue is unavailable, the cron
 * finds them within a minute. Never throws.
 */
export async function wakeDeliverEvents(env: { EVENTS: Queue }, queued: number): Promise<void> {
  if (queued === 0) return
  try {
    await env.EVENTS.send({ queued, request_id: currentRequestId() } satisfies WakeMessage)
  } catch (cause) {
    log('warn', 'deliver-events not woken', { queued, cause })
  }
}
