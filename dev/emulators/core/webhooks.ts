import { setTimeout as pause } from 'node:timers/promises'
import type { AccountOf, PaywallOf } from './accounts.ts'
import type { State } from './state.ts'
import type { DeliveryRecord } from './tables.ts'

const TIMEOUT_MS = 10_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** Some four minutes of retries; Stripe itself goes on for days. */
const MAXIMUM_ATTEMPTS = 14
/** Events are history: this many are kept. */
const KEPT_EVENTS = 2000

interface Kept {
  id: string
  account: string
}

export interface Webhooks<EventRecord extends Kept> {
  /** Keeps an event, and sends it. */
  send(event: EventRecord): void
  /** To how many addresses an event is still to be delivered. */
  pendingFor(eventId: string): number
  /** What is still to be delivered, by event. */
  pending(): Map<string, DeliveryRecord[]>
}

export interface WebhookOptions<EventRecord extends Kept, Event extends { id: string }> {
  /** As it stands in our webhook address. */
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

/** Sends events to the webhook address of every paywall of their account, at once and in no order, as processors do. */
export function createWebhooks<EventRecord extends Kept, Event extends { id: string }>({
  state,
  accounts,
  eventObject,
  ...options
}: WebhookOptions<EventRecord, Event>) {
  const { deliveries, events } = state.records
  const closing = new AbortController()
  const underWay = new Set<Promise<void>>()
  let held: DeliveryRecord[] | null = null

  function send(event: EventRecord): void {
    events.set(event.id, event)
    forgetOldEvents()
    for (const { paywallId } of accounts().get(event.account)?.paywalls ?? []) {
      const delivery = { id: `${event.id} ${paywallId}`, event: event.id, paywallId, attempts: 0 }
      deliveries.set(delivery.id, delivery)
      if (held) held.push(delivery)
      else start(delivery)
    }
  }

  function forgetOldEvents(): void {
    for (const id of events.keys()) {
      if (events.size <= KEPT_EVENTS) return
      if (pendingFor(id) === 0) events.delete(id)
    }
  }

  function start(delivery: DeliveryRecord): void {
    const done = persist(delivery).catch((error: unknown) => {
      if (!closing.signal.aborted) console.error(`${options.processor} emulator: a webhook was given up`, error)
    })
    underWay.add(done)
    void done.finally(() => underWay.delete(done))
  }

  async function persist(delivery: DeliveryRecord): Promise<void> {
    while (!isAccepted(await attempt(delivery))) {
      delivery.attempts += 1
      if (delivery.attempts >= MAXIMUM_ATTEMPTS) break
      const wait = Math.min(FIRST_RETRY_MS * 2 ** (delivery.attempts - 1), LONGEST_RETRY_MS)
      await pause(wait, undefined, { signal: closing.signal, ref: false })
    }
    // A shutdown ends attempts too: what it cut off stays recorded and goes out at the next start.
    closing.signal.throwIfAborted()
    await finish(delivery)
  }

  async function finish(delivery: DeliveryRecord): Promise<void> {
    deliveries.delete(delivery.id)
    await state.save()
  }

  /** The status of the answer; 0 when there was none. */
  async function attempt({ event: eventId, paywallId }: DeliveryRecord): Promise<number> {
    const event = events.get(eventId)
    const paywall =
      event &&
      accounts()
        .get(event.account)
        ?.paywalls.find((one) => one.paywallId === paywallId)
    if (!paywall) return 200
    const body = JSON.stringify(eventObject(event, pendingFor(eventId)))
    try {
      const answer = await (options.fetch ?? fetch)(
        `${options.serviceUrl()}/webhooks/${options.processor}/${encodeURIComponent(paywallId)}`,
        {
          method: 'POST',
          headers: options.headers(body, paywall.webhookSecret),
          body,
          redirect: 'manual',
          signal: AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
        },
      )
      await answer.body?.cancel()
      return answer.status
    } catch {
      // Nobody there, or no answer in time: the same to the sender, who tries again.
      return 0
    }
  }

  const pendingFor = (eventId: string) => [...deliveries.values()].filter(({ event }) => event === eventId).length

  const pending = () => Map.groupBy(deliveries.values(), ({ event }) => event)

  /** Ends the hold. Events go out one after the other in the order chosen; one that is left out is lost. */
  async function release(order: (events: Event[]) => Event[] = (inOrder) => inOrder): Promise<number[]> {
    const waiting = held ?? []
    held = null
    const ids = new Set(waiting.map(({ event }) => event))
    const chosen = order([...ids].flatMap((id) => events.get(id) ?? []).map((event) => eventObject(event, 1)))
    const statuses: number[] = []
    const accepted = new Map<DeliveryRecord, boolean>()
    for (const { id } of chosen) {
      for (const delivery of waiting.filter(({ event }) => event === id)) {
        const status = await attempt(delivery)
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

  /** Sends an event once more, now, whatever became of it before; the status from each paywall's address. */
  function resend(eventId: string): Promise<number[]> {
    const event = events.get(eventId)
    const paywalls = (event && accounts().get(event.account)?.paywalls) ?? []
    return Promise.all(paywalls.map(({ paywallId }) => attempt({ id: '', event: eventId, paywallId, attempts: 0 })))
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }

  return {
    send,
    pendingFor,
    pending,
    controls: {
      holdWebhooks: () => {
        held ??= []
      },
      releaseWebhooks: release,
      resend,
      webhooksSettled: settled,
    },
    /** Sends what a former run left behind. */
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
