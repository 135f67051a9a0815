import type { Account, AnyPaywall } from '../domain/accounts.ts'
import type { DeliveryRecord, EventRecord, Records } from '../domain/records.ts'
import type { WebhookFormat } from '../processor.ts'
import type { State } from '../state.ts'
import { countPending, createDeliveries, isAccepted } from './deliveries.ts'
import { postWebhook } from './post-webhook.ts'

/** In a delivery to the address that an object has, in the place of a paywall. */
const NOTICE = ''

/** How many events are kept. The oldest are deleted first, once they are delivered. */
const KEPT_EVENTS = 2000

interface Options<Paywall extends AnyPaywall, Event> {
  processor: { name: string; webhookFormat: WebhookFormat<Paywall, Event> }
  /** For the log. */
  title: string
  state: State<Records>
  accounts: () => ReadonlyMap<string, Account<Paywall>>
  /** An account's time, in unix seconds. */
  nowOf: (accountId: string) => number
  serviceUrl: () => string
  /** The emulator's own address. */
  url: () => string
  fetch: typeof fetch
}

/**
 * Sends events to the webhook address of every paywall of their account: at once and in no order, as processors do.
 * `send` stores an event and makes a delivery for each paywall. While webhooks are held the deliveries wait. What a
 * shutdown interrupts stays stored, and `resume` makes it at the next start.
 */
export function createWebhooks<Paywall extends AnyPaywall, Event extends { id: string }>({
  processor: { name, webhookFormat },
  title,
  state,
  accounts,
  nowOf,
  ...options
}: Options<Paywall, Event>) {
  const { events } = state.records
  const closing = new AbortController()
  const accountOf = (eventId: string) => events.get(eventId)?.account ?? ''
  const deliveries = createDeliveries({
    ...{ state, title, closing, post, retrySeconds: webhookFormat.retrySeconds },
    nowOf: (eventId) => nowOf(accountOf(eventId)),
  })
  let heldDeliveries: DeliveryRecord[] | null = null

  function send(event: EventRecord): void {
    events.set(event.id, event)
    deleteOldEvents()
    const isNoticed = webhookFormat.toNotice?.(event) != null
    for (const paywallId of [...paywallsOf(event).map((each) => each.paywallId), ...(isNoticed ? [NOTICE] : [])]) {
      const delivery = { id: `${event.id} ${paywallId}`, event: event.id, paywallId, attempts: 0, nextAt: 0 }
      state.records.deliveries.set(delivery.id, delivery)
      if (heldDeliveries) heldDeliveries.push(delivery)
      else void deliveries.attempt(delivery)
    }
  }

  function deleteOldEvents(): void {
    for (const id of events.keys()) {
      if (events.size <= KEPT_EVENTS) return
      if (countPending(state.records, { id }) === 0) events.delete(id)
    }
  }

  /** A paywall that is gone counts as delivered. */
  async function post({ event: eventId, paywallId }: DeliveryRecord): Promise<number> {
    const event = events.get(eventId)
    if (event && paywallId === NOTICE) return postNotice(event)
    const paywall = event && paywallsOf(event).find((one) => one.paywallId === paywallId)
    if (!paywall) return 200
    const body = JSON.stringify(shown(event, countPending(state.records, event)))
    const address = `${options.serviceUrl()}/webhooks/${name}/${encodeURIComponent(paywallId)}`
    const message = { headers: webhookFormat.headers(body, paywall, event), body }
    return postWebhook(address, message, { send: options.fetch, closing: closing.signal })
  }

  async function postNotice(event: EventRecord): Promise<number> {
    const notice = webhookFormat.toNotice?.(event)
    if (!notice) return 200
    return postWebhook(notice.address, notice, { send: options.fetch, closing: closing.signal })
  }

  const paywallsOf = ({ account }: EventRecord) =>
    (accounts().get(account)?.paywalls ?? []).filter((paywall) => webhookFormat.hasWebhook?.(paywall) ?? true)

  const shown = (event: EventRecord, pending: number) =>
    webhookFormat.eventObject(event, { url: options.url(), pending })

  /** Ends the hold. What `order` repeats is sent again, what it leaves out is lost, what is refused is retried. */
  async function sendHeld(order: (events: Event[]) => Event[] = (inOrder) => inOrder): Promise<number[]> {
    const waiting = heldDeliveries ?? []
    heldDeliveries = null
    const byEvent = Map.groupBy(waiting, ({ event }) => event)
    const chosen = order([...byEvent.keys()].flatMap((id) => events.get(id) ?? []).map((event) => shown(event, 1)))
    const statuses: number[] = []
    const accepted = new Map<DeliveryRecord, boolean>()
    for (const delivery of chosen.flatMap(({ id }) => byEvent.get(id) ?? [])) {
      const status = await post(delivery)
      statuses.push(status)
      accepted.set(delivery, accepted.get(delivery) === true || isAccepted(status))
    }
    for (const delivery of waiting) {
      if (accepted.get(delivery) === false) void deliveries.attempt(delivery)
      else await deliveries.finish(delivery)
    }
    return statuses
  }

  /** Sends an event once more, whether it was delivered or not; one status for each paywall of its account. */
  function resend(eventId: string): Promise<number[]> {
    const event = events.get(eventId)
    const again = { id: '', event: eventId, attempts: 0, nextAt: 0 }
    return Promise.all((event ? paywallsOf(event) : []).map(({ paywallId }) => post({ ...again, paywallId })))
  }

  return {
    send,
    /** All events as they are shown, the oldest first. */
    shown(): Event[] {
      const pending = Map.groupBy(state.records.deliveries.values(), ({ event }) => event)
      return [...events.values()].map((event) => shown(event, pending.get(event.id)?.length ?? 0))
    },
    methods: {
      holdWebhooks() {
        heldDeliveries ??= []
      },
      sendHeldWebhooks: sendHeld,
      resend,
      drainWebhooks: deliveries.drain,
    },
    /** The next attempts of an account's webhooks that were not accepted, by the account's clock. */
    retriesOf: (accountId: string) =>
      deliveries
        .waiting()
        .filter(({ event }) => accountOf(event) === accountId)
        .map((delivery) => ({ at: delivery.nextAt, run: () => deliveries.attempt(delivery) })),
    idle: deliveries.idle,
    /** Makes the deliveries that the last run left undone. */
    resume() {
      for (const delivery of [...state.records.deliveries.values()]) void deliveries.attempt(delivery)
    },
    close: deliveries.close,
  }
}
