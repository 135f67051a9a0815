import type { Account, AnyPaywall } from '../domain/accounts.ts'
import type { DeliveryRecord, EventRecord, Records } from '../domain/records.ts'
import type { AnyEvent, WebhookFormat } from '../processor.ts'
import type { State } from '../state.ts'
import { countPending, createDeliveries, isAccepted } from './deliveries.ts'
import { DISABLED_ENDPOINTS, hasFailedInARow } from './endpoints.ts'
import { postWebhook } from './post-webhook.ts'

/** The `paywallId` of a delivery to a URL in the event's object. */
const NOTICE = ''

/** How many events are kept. The oldest delivered ones are deleted first. */
const KEPT_EVENTS = 2000

interface Options {
  processor: { name: string; webhookFormat: WebhookFormat<AnyPaywall, AnyEvent> }
  /** For the log. */
  title: string
  state: State<Records>
  accounts: () => ReadonlyMap<string, Account<AnyPaywall>>
  /** The account's time in unix seconds. */
  accountTime: (accountId: string) => number
  serviceUrl: () => string
  /** The emulator's own address. */
  url: () => string
  fetch: typeof fetch
}

/**
 * Sends events to the webhook URL of every paywall of their account: immediately and unordered, as processors do. `send` stores
 * an event and makes a delivery for each paywall. While webhooks are held, deliveries wait. Deliveries that a shutdown
 * interrupts stay stored, and `resume` makes them at the next start.
 */
export function createWebhooks({
  processor: { name, webhookFormat },
  title,
  state,
  accounts,
  accountTime,
  ...options
}: Options) {
  const { events } = state.records
  const closing = new AbortController()
  const findAccountId = (eventId: string) => events.get(eventId)?.account ?? ''
  const deliveries = createDeliveries({
    state,
    title,
    closing,
    post,
    onFailed,
    retrySeconds: webhookFormat.retrySeconds,
    eventTime: (eventId) => accountTime(findAccountId(eventId)),
  })
  let heldDeliveries: DeliveryRecord[] | null = null

  function send(event: EventRecord): void {
    events.set(event.id, event)
    deleteOldEvents()
    const hasNotice = webhookFormat.toNotice?.(event) != null
    for (const paywallId of [...listReceivers(event).map((each) => each.paywallId), ...(hasNotice ? [NOTICE] : [])]) {
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

  /** Deliveries to a paywall that no longer exists count as accepted. */
  async function post({ event: eventId, paywallId }: DeliveryRecord): Promise<number> {
    const event = events.get(eventId)
    if (event && paywallId === NOTICE) return postNotice(event)
    const paywall = event && listReceivers(event).find((one) => one.paywallId === paywallId)
    if (!paywall) return 200
    const status = await postTo(paywall, event)
    if (isAccepted(status)) event.outcomes[paywallId] = true
    return status
  }

  function postTo(paywall: AnyPaywall, event: EventRecord): Promise<number> {
    const body = JSON.stringify(shown(event, countPending(state.records, event)))
    const address = `${options.serviceUrl()}/webhooks/${name}/${encodeURIComponent(paywall.paywallId)}`
    const message = { headers: webhookFormat.headers(body, paywall, event), body }
    return postWebhook(address, message, { send: options.fetch, closing: closing.signal })
  }

  function onFailed({ event: eventId, paywallId }: DeliveryRecord): void {
    const event = events.get(eventId)
    const count = webhookFormat.failuresToDisable
    if (!event) return
    event.outcomes[paywallId] ??= false
    const { account } = event
    if (count && hasFailedInARow(state.records, { account, paywallId, count })) disableEndpoint(account, paywallId)
  }

  /** Its pending events are not sent any more, not even once it is enabled again. */
  function disableEndpoint(account: string, paywallId: string): void {
    console.warn(
      `${title} emulator: the webhook endpoint of paywall ${paywallId} is disabled, because too many events in a row have failed`,
    )
    DISABLED_ENDPOINTS.set(state.records, account, [...listDisabled(account), paywallId])
    const pending = [...state.records.deliveries.values()].filter((each) => each.paywallId === paywallId)
    for (const delivery of pending) if (findAccountId(delivery.event) === account) deliveries.skip(delivery)
  }

  async function postNotice(event: EventRecord): Promise<number> {
    const notice = webhookFormat.toNotice?.(event)
    if (!notice) return 200
    return postWebhook(notice.address, notice, { send: options.fetch, closing: closing.signal })
  }

  function listReceivers({ account }: EventRecord): AnyPaywall[] {
    const disabled = listDisabled(account)
    return (accounts().get(account)?.paywalls ?? []).filter(
      (paywall) => !disabled.includes(paywall.paywallId) && (webhookFormat.hasWebhook?.(paywall) ?? true),
    )
  }

  const listDisabled = (account: string) => DISABLED_ENDPOINTS.get(state.records, account)

  const shown = (event: EventRecord, pending: number) =>
    webhookFormat.eventObject(event, { url: options.url(), pending })

  /** Ends the hold. Events that `order` repeats are sent again, those it leaves out are lost, those not accepted are retried. */
  async function sendHeld(order: (events: AnyEvent[]) => AnyEvent[] = (inOrder) => inOrder): Promise<number[]> {
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

  /** Sends an event again, delivered or not. Resolves to one status for each paywall of its account. */
  function resend(eventId: string): Promise<number[]> {
    const event = events.get(eventId)
    const again = { id: '', event: eventId, attempts: 0, nextAt: 0 }
    return Promise.all((event ? listReceivers(event) : []).map(({ paywallId }) => post({ ...again, paywallId })))
  }

  return {
    send,
    /** All events in the API's format, oldest first. */
    shown(): AnyEvent[] {
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
    /** The retries of an account's webhooks, by the account's clock. */
    listRetries: (accountId: string) =>
      deliveries
        .waiting()
        .filter(({ event }) => findAccountId(event) === accountId)
        .map((delivery) => ({ at: delivery.nextAt, run: () => deliveries.attempt(delivery) })),
    idle: deliveries.idle,
    /** Makes the deliveries that the last run did not complete. */
    resume() {
      for (const delivery of [...state.records.deliveries.values()]) void deliveries.attempt(delivery)
    },
    close: deliveries.close,
  }
}
