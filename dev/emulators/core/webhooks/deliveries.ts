import type { DeliveryRecord, EventRecord, Records } from '../domain/records.ts'
import type { State } from '../state.ts'

/*
 * A delivery is attempted until it is accepted or the processor's number of attempts is reached; then it is deleted.
 *
 * The processor waits hours or days between attempts, by the account's clock. In real time the pauses are short, because nobody
 * waits that long here: an attempt is made at whichever time comes first.
 */

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 60_000

interface Options {
  state: State<Records>
  /** For the log. */
  title: string
  /** The intervals between attempts, by the account's clock. */
  retrySeconds: number[]
  /** The time of an event's account. */
  eventTime: (eventId: string) => number
  /** Called once all attempts have failed. */
  onFailed: (delivery: DeliveryRecord) => void
  /** Makes one attempt. Resolves to the status of the response; 0: no response. */
  post: (delivery: DeliveryRecord) => Promise<number>
  /** Aborts attempts. Aborted deliveries are kept for the next start. */
  closing: AbortController
}

export function createDeliveries({ state, title, retrySeconds, eventTime, onFailed, post, closing }: Options) {
  const { deliveries } = state.records
  const inProgress = new Set<Promise<void>>()
  /** The timers of the next attempts in real time, by delivery. */
  const timers = new Map<string, NodeJS.Timeout>()
  const drains: (() => void)[] = []

  /** Makes the next attempt now. */
  async function attempt(delivery: DeliveryRecord): Promise<void> {
    clearTimeout(timers.get(delivery.id))
    timers.delete(delivery.id)
    const done = post(delivery)
      .then((status) => conclude(delivery, isAccepted(status)))
      .catch((error: unknown) => console.error(`${title} emulator: a webhook was given up`, error))
    inProgress.add(done)
    await done
    inProgress.delete(done)
    reportDrained()
  }

  async function conclude(delivery: DeliveryRecord, accepted: boolean): Promise<void> {
    if (closing.signal.aborted || !deliveries.has(delivery.id)) return
    if (accepted) return finish(delivery)
    const wait = retrySeconds[delivery.attempts]
    if (wait === undefined) {
      onFailed(delivery)
      return finish(delivery)
    }
    const pause = Math.min(FIRST_RETRY_MS * 2 ** delivery.attempts, LONGEST_RETRY_MS)
    delivery.attempts += 1
    delivery.nextAt = eventTime(delivery.event) + wait
    timers.set(delivery.id, setTimeout(() => void attempt(delivery), pause).unref())
  }

  async function finish(delivery: DeliveryRecord): Promise<void> {
    deliveries.delete(delivery.id)
    await state.save()
  }

  /** Makes no further attempts. */
  function skip(delivery: DeliveryRecord): void {
    deliveries.delete(delivery.id)
    clearTimeout(timers.get(delivery.id))
    timers.delete(delivery.id)
  }

  const isDrained = () => inProgress.size === 0 && timers.size === 0

  function reportDrained(): void {
    if (isDrained() || closing.signal.aborted) for (const report of drains.splice(0)) report()
  }

  return {
    attempt,
    finish,
    skip,
    /** Resolves once every delivery was accepted or given up. */
    drain: () => (isDrained() ? Promise.resolve() : new Promise<void>((report) => drains.push(report))),
    /** The deliveries that wait for a retry. */
    waiting: () => [...timers.keys()].flatMap((id) => deliveries.get(id) ?? []),
    /** Resolves once no attempt is in progress. */
    async idle() {
      while (inProgress.size > 0) await Promise.all(inProgress)
    },
    async close() {
      closing.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      await Promise.all(inProgress)
      reportDrained()
    },
  }
}

export const isAccepted = (status: number) => status >= 200 && status < 300

/** The number of undelivered webhooks of an event. */
export const countPending = ({ deliveries }: Records, { id }: Pick<EventRecord, 'id'>) =>
  [...deliveries.values()].filter(({ event }) => event === id).length
