import type { DeliveryRecord, EventRecord, Records } from '../domain/records.ts'
import type { State } from '../state.ts'

/*
 * A delivery is attempted until it is accepted or has been tried as often as the processor tries; then it is deleted.
 *
 * The processor waits hours and days between its attempts, by the account's clock. Nobody waits so long here, so in
 * real time the pauses are short: an attempt is made when either time has come.
 */

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 60_000

interface Options {
  state: State<Records>
  /** For the log. */
  title: string
  /** How long after each failed attempt the next one follows, by the account's clock. */
  retrySeconds: number[]
  /** The time of an event's account. */
  nowOf: (eventId: string) => number
  /** One attempt: the status of the response, 0 if there was none. */
  post: (delivery: DeliveryRecord) => Promise<number>
  /** Aborts attempts: such a delivery stays, so that the next start makes it. */
  closing: AbortController
}

export function createDeliveries({ state, title, retrySeconds, nowOf, post, closing }: Options) {
  const { deliveries } = state.records
  const underWay = new Set<Promise<void>>()
  /** The next attempts in real time, by delivery. */
  const timers = new Map<string, NodeJS.Timeout>()
  const drains: (() => void)[] = []

  /** Makes the next attempt now. */
  async function attempt(delivery: DeliveryRecord): Promise<void> {
    clearTimeout(timers.get(delivery.id))
    timers.delete(delivery.id)
    const done = post(delivery)
      .then((status) => conclude(delivery, isAccepted(status)))
      .catch((error: unknown) => console.error(`${title} emulator: a webhook was given up`, error))
    underWay.add(done)
    await done
    underWay.delete(done)
    reportDrained()
  }

  async function conclude(delivery: DeliveryRecord, accepted: boolean): Promise<void> {
    if (closing.signal.aborted) return
    const wait = retrySeconds[delivery.attempts]
    if (accepted || wait === undefined) return finish(delivery)
    const pause = Math.min(FIRST_RETRY_MS * 2 ** delivery.attempts, LONGEST_RETRY_MS)
    delivery.attempts += 1
    delivery.nextAt = nowOf(delivery.event) + wait
    timers.set(delivery.id, setTimeout(() => void attempt(delivery), pause).unref())
  }

  async function finish(delivery: DeliveryRecord): Promise<void> {
    deliveries.delete(delivery.id)
    await state.save()
  }

  const isDrained = () => underWay.size === 0 && timers.size === 0

  function reportDrained(): void {
    if (isDrained() || closing.signal.aborted) for (const report of drains.splice(0)) report()
  }

  return {
    attempt,
    finish,
    /** Resolves once every delivery was accepted or given up. */
    drain: () => (isDrained() ? Promise.resolve() : new Promise<void>((report) => drains.push(report))),
    /** The deliveries that wait for their next attempt. */
    waiting: () => [...timers.keys()].flatMap((id) => deliveries.get(id) ?? []),
    /** Resolves once no attempt is under way. */
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    async close() {
      closing.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      await Promise.all(underWay)
      reportDrained()
    },
  }
}

export const isAccepted = (status: number) => status >= 200 && status < 300

/** How many webhooks of an event are still to be delivered. */
export const countPending = ({ deliveries }: Records, { id }: Pick<EventRecord, 'id'>) =>
  [...deliveries.values()].filter(({ event }) => event === id).length
