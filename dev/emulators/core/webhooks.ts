import type { AccountOf, PaywallOf } from './accounts.ts'
import { postWebhook } from './post-webhook.ts'
import type { Telling } from './processor.ts'
import type { DeliveryRecord, EventRecord, Records } from './records.ts'
import type { State } from './state.ts'

/*
 * An event on its way: `send` stores it and makes a delivery for each paywall of its account; while webhooks are held
 * the delivery waits, else it is posted until it is accepted or has been tried as often as the processor tries; then
 * the delivery is deleted. What a shutdown interrupts stays stored, and `resume` posts it at the next start.
 *
 * The processor waits hours and days between its attempts, by the account's clock. Nobody waits so long here, so in
 * real time the pauses are short: an attempt is made when either time has come.
 */

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** How many events are kept. The oldest are deleted first, once they are delivered. */
const KEPT_EVENTS = 2000

interface Options<Paywall extends PaywallOf, Event> {
  processor: { name: string; telling: Telling<Paywall, Event> }
  state: State<Records>
  accounts: () => ReadonlyMap<string, AccountOf<Paywall>>
  /** An account's time, in unix seconds. */
  nowOf: (accountId: string) => number
  serviceUrl: () => string
  /** The emulator's own address. */
  url: () => string
  fetch: typeof fetch
}

/** Sends events to the webhook address of every paywall of their account: at once and in no order, as processors do. */
export function createWebhooks<Paywall extends PaywallOf, Event extends { id: string }>({
  processor: { name, telling },
  state,
  accounts,
  ...options
}: Options<Paywall, Event>) {
  const { deliveries, events } = state.records
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()
  /** The next attempts in real time, by delivery. */
  const timers = new Map<string, NodeJS.Timeout>()
  const drains: (() => void)[] = []
  let heldDeliveries: DeliveryRecord[] | null = null

  function send(event: EventRecord): void {
    events.set(event.id, event)
    deleteOldEvents()
    for (const { paywallId } of paywallsOf(event)) {
      const delivery = { id: `${event.id} ${paywallId}`, event: event.id, paywallId, attempts: 0, nextAt: 0 }
      deliveries.set(delivery.id, delivery)
      if (heldDeliveries) heldDeliveries.push(delivery)
      else void attempt(delivery)
    }
  }

  function deleteOldEvents(): void {
    for (const id of events.keys()) {
      if (events.size <= KEPT_EVENTS) return
      if (pendingFor(id) === 0) events.delete(id)
    }
  }

  /** Makes the next attempt now. */
  async function attempt(delivery: DeliveryRecord): Promise<void> {
    clearTimeout(timers.get(delivery.id))
    timers.delete(delivery.id)
    const done = post(delivery)
      .then((status) => conclude(delivery, isAccepted(status)))
      .catch((error: unknown) => console.error(`${name} emulator: a webhook was given up`, error))
    underWay.add(done)
    await done
    underWay.delete(done)
    reportDrained()
  }

  async function conclude(delivery: DeliveryRecord, accepted: boolean): Promise<void> {
    // A shutdown aborts the attempts, too: such a delivery must not be deleted, so that the next start makes it.
    if (closing.signal.aborted) return
    const wait = telling.retrySeconds[delivery.attempts]
    if (accepted || wait === undefined) return finish(delivery)
    const pause = Math.min(FIRST_RETRY_MS * 2 ** delivery.attempts, LONGEST_RETRY_MS)
    delivery.attempts += 1
    delivery.nextAt = options.nowOf(events.get(delivery.event)?.account ?? '') + wait
    timers.set(delivery.id, setTimeout(() => void attempt(delivery), pause).unref())
  }

  async function finish(delivery: DeliveryRecord): Promise<void> {
    deliveries.delete(delivery.id)
    await state.save()
  }

  /** The status of the response to one attempt, 0 if there was none. A paywall that is gone counts as delivered. */
  async function post({ event: eventId, paywallId }: DeliveryRecord): Promise<number> {
    const event = events.get(eventId)
    const paywall = event && paywallsOf(event).find((one) => one.paywallId === paywallId)
    if (!paywall) return 200
    const body = JSON.stringify(telling.eventObject(event, { url: options.url(), pending: pendingFor(eventId) }))
    const address = `${options.serviceUrl()}/webhooks/${name}/${encodeURIComponent(paywallId)}`
    const message = { headers: telling.headers(body, paywall, event), body }
    return postWebhook(address, message, { send: options.fetch, closing: closing.signal })
  }

  const paywallsOf = ({ account }: EventRecord) => accounts().get(account)?.paywalls ?? []

  /** How many paywalls an event is still to be delivered to. */
  const pendingFor = (eventId: string) => [...deliveries.values()].filter(({ event }) => event === eventId).length

  /** All events as they are shown, the oldest first. */
  function shown(): Event[] {
    const pending = Map.groupBy(deliveries.values(), ({ event }) => event)
    return [...events.values()].map((event) =>
      telling.eventObject(event, { url: options.url(), pending: pending.get(event.id)?.length ?? 0 }),
    )
  }

  /** Ends the hold. What `order` repeats is sent again, what it leaves out is lost, what is refused is retried. */
  async function sendHeld(order: (events: Event[]) => Event[] = (inOrder) => inOrder): Promise<number[]> {
    const waiting = heldDeliveries ?? []
    heldDeliveries = null
    const byEvent = Map.groupBy(waiting, ({ event }) => event)
    const shownHeld = [...byEvent.keys()].flatMap((id) => events.get(id) ?? [])
    const chosen = order(shownHeld.map((event) => telling.eventObject(event, { url: options.url(), pending: 1 })))
    const statuses: number[] = []
    const accepted = new Map<DeliveryRecord, boolean>()
    for (const delivery of chosen.flatMap(({ id }) => byEvent.get(id) ?? [])) {
      const status = await post(delivery)
      statuses.push(status)
      accepted.set(delivery, accepted.get(delivery) === true || isAccepted(status))
    }
    for (const delivery of waiting) {
      if (accepted.get(delivery) === false) void attempt(delivery)
      else await finish(delivery)
    }
    return statuses
  }

  /** Sends an event once more, whether it was delivered or not; one status for each paywall of its account. */
  function resend(eventId: string): Promise<number[]> {
    const event = events.get(eventId)
    const again = { id: '', event: eventId, attempts: 0, nextAt: 0 }
    return Promise.all((event ? paywallsOf(event) : []).map(({ paywallId }) => post({ ...again, paywallId })))
  }

  const isDrained = () => underWay.size === 0 && timers.size === 0

  function reportDrained(): void {
    if (isDrained() || closing.signal.aborted) for (const report of drains.splice(0)) report()
  }

  return {
    send,
    shown,
    methods: {
      holdWebhooks() {
        heldDeliveries ??= []
      },
      sendHeldWebhooks: sendHeld,
      resend,
      drainWebhooks: () => (isDrained() ? Promise.resolve() : new Promise<void>((report) => drains.push(report))),
    },
    /** The next attempts of an account's webhooks that were not accepted, by the account's clock. */
    retriesOf: (accountId: string) =>
      [...timers.keys()]
        .flatMap((id) => deliveries.get(id) ?? [])
        .filter(({ event }) => events.get(event)?.account === accountId)
        .map((delivery) => ({ at: delivery.nextAt, run: () => attempt(delivery) })),
    /** Resolves once no attempt is under way. */
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
    /** Makes the deliveries that the last run left undone. */
    resume() {
      for (const delivery of [...deliveries.values()]) void attempt(delivery)
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

const isAccepted = (status: number) => status >= 200 && status < 300
