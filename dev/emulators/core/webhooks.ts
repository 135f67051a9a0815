import { setTimeout as pause } from 'node:timers/promises'
import type { AccountOf, PaywallOf } from './accounts.ts'
import { postWebhook } from './post-webhook.ts'
import type { State } from './state.ts'
import type { DeliveryRecord } from './tables.ts'

/*
 * An event on its way: `send` stores it and makes a delivery for each paywall of its account; while webhooks are held
 * the delivery waits, else it is posted until it is accepted or has been tried too often; then the delivery is deleted.
 * What a shutdown interrupts stays stored, and `resume` posts it at the next start.
 */

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** Some four minutes of retries; Stripe itself goes on for days. */
const MAXIMUM_ATTEMPTS = 14
/** How many events are kept. The oldest are deleted first, once they are delivered. */
const KEPT_EVENTS = 2000

interface StoredEvent {
  id: string
  account: string
}

export interface Webhooks<EventRecord extends StoredEvent> {
  /** Stores an event and sends it. */
  send(event: EventRecord): void
  /** The deliveries that are still to be made, by event. */
  pending(): Map<string, DeliveryRecord[]>
}

export interface WebhookOptions<EventRecord extends StoredEvent, Event extends { id: string }> {
  /** The processor's name in our webhook address. */
  processor: string
  state: State<{ deliveries: Map<string, DeliveryRecord>; events: Map<string, EventRecord> }>
  accounts: () => Map<string, AccountOf<PaywallOf>>
  serviceUrl: () => string
  fetch?: typeof fetch
  /** The event as it is sent. */
  eventObject: (event: EventRecord, pending: number) => Event
  /** The headers that the processor sends a body with, its signature among them. */
  headers: (body: string, secret: string) => Record<string, string>
}

/** Sends events to the webhook address of every paywall of their account: at once and in no order, as processors do. */
export function createWebhooks<EventRecord extends StoredEvent, Event extends { id: string }>({
  state,
  accounts,
  eventObject,
  ...options
}: WebhookOptions<EventRecord, Event>) {
  const { deliveries, events } = state.records
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()
  let heldDeliveries: DeliveryRecord[] | null = null

  function send(event: EventRecord): void {
    events.set(event.id, event)
    deleteOldEvents()
    for (const { paywallId } of accounts().get(event.account)?.paywalls ?? []) {
      const delivery = { id: `${event.id} ${paywallId}`, event: event.id, paywallId, attempts: 0 }
      deliveries.set(delivery.id, delivery)
      if (heldDeliveries) heldDeliveries.push(delivery)
      else start(delivery)
    }
  }

  function deleteOldEvents(): void {
    for (const id of events.keys()) {
      if (events.size <= KEPT_EVENTS) return
      if (pendingFor(id) === 0) events.delete(id)
    }
  }

  function start(delivery: DeliveryRecord): void {
    const done = deliver(delivery).catch((error: unknown) => {
      if (!closing.signal.aborted) console.error(`${options.processor} emulator: a webhook was given up`, error)
    })
    underWay.add(done)
    void done.finally(() => underWay.delete(done))
  }

  /**
   * Posts until the webhook is accepted, or has been tried too often; each pause is twice as long as the one before.
   */
  async function deliver(delivery: DeliveryRecord): Promise<void> {
    while (!isAccepted(await post(delivery))) {
      delivery.attempts += 1
      if (delivery.attempts >= MAXIMUM_ATTEMPTS) break
      const wait = Math.min(FIRST_RETRY_MS * 2 ** (delivery.attempts - 1), LONGEST_RETRY_MS)
      await pause(wait, undefined, { signal: closing.signal, ref: false })
    }
    // A shutdown aborts the attempts, too: such a delivery must not be deleted, so that the next start makes it.
    closing.signal.throwIfAborted()
    await finish(delivery)
  }

  async function finish(delivery: DeliveryRecord): Promise<void> {
    deliveries.delete(delivery.id)
    await state.save()
  }

  /** One attempt: the status of the response, 0 if there was none. A paywall that is gone counts as delivered. */
  async function post({ event: eventId, paywallId }: DeliveryRecord): Promise<number> {
    const event = events.get(eventId)
    const paywall = event && paywallsOf(event).find((one) => one.paywallId === paywallId)
    if (!paywall) return 200
    const body = JSON.stringify(eventObject(event, pendingFor(eventId)))
    const url = `${options.serviceUrl()}/webhooks/${options.processor}/${encodeURIComponent(paywallId)}`
    const message = { headers: options.headers(body, paywall.webhookSecret), body }
    return postWebhook(url, message, { send: options.fetch ?? fetch, closing: closing.signal })
  }

  const paywallsOf = ({ account }: EventRecord) => accounts().get(account)?.paywalls ?? []

  /** How many paywalls an event is still to be delivered to. */
  const pendingFor = (eventId: string) => [...deliveries.values()].filter(({ event }) => event === eventId).length

  const pending = () => Map.groupBy(deliveries.values(), ({ event }) => event)

  /** Ends the hold. What `order` repeats is sent again, what it leaves out is lost, what is refused is retried. */
  async function sendHeld(order: (events: Event[]) => Event[] = (inOrder) => inOrder): Promise<number[]> {
    const waiting = heldDeliveries ?? []
    heldDeliveries = null
    const ids = new Set(waiting.map(({ event }) => event))
    const chosen = order([...ids].flatMap((id) => events.get(id) ?? []).map((event) => eventObject(event, 1)))
    const statuses: number[] = []
    const accepted = new Map<DeliveryRecord, boolean>()
    for (const { id } of chosen) {
      for (const delivery of waiting.filter(({ event }) => event === id)) {
        const status = await post(delivery)
        statuses.push(status)
        accepted.set(delivery, accepted.get(delivery) === true || isAccepted(status))
      }
    }
    for (const delivery of waiting) {
      if (accepted.get(delivery) === false) start(delivery)
      else await finish(delivery)
    }
    return statuses
  }

  /** Sends an event once more, whether it was delivered or not; one status for each paywall of its account. */
  function resend(eventId: string): Promise<number[]> {
    const event = events.get(eventId)
    const paywalls = event ? paywallsOf(event) : []
    return Promise.all(paywalls.map(({ paywallId }) => post({ id: '', event: eventId, paywallId, attempts: 0 })))
  }

  async function drain(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }

  return {
    send,
    pending,
    controls: {
      holdWebhooks: () => {
        heldDeliveries ??= []
      },
      sendHeldWebhooks: sendHeld,
      resend,
      drainWebhooks: drain,
    },
    /** Starts the deliveries that the last run left undone. */
    resume: () => {
      for (const delivery of [...deliveries.values()]) start(delivery)
    },
    async close() {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}

const isAccepted = (status: number) => status >= 200 && status < 300
