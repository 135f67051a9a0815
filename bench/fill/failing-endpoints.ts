import { type Filler, ownedWith } from './insert.ts'
import { filledId } from './users.ts'

/** Webhook endpoints whose last attempt failed, each with deliveries about several users that are due in an hour. */
export interface FailingEndpoints {
  paywallId: string
  webhookEndpoints: number
  /** The number of deliveries for all of them together. */
  deliveries: number
}

const toId = (number: string) => `md5('failing-' || ${number})::uuid`

/** Creates the webhook endpoints. They subscribe to none of the benchmark's events. */
export async function fillFailingEndpoints(
  filler: Filler,
  { paywallId, webhookEndpoints }: FailingEndpoints,
): Promise<void> {
  await filler.insert(
    'webhook_endpoints',
    { from: 1, to: webhookEndpoints },
    {
      id: toId('n'),
      ...ownedWith(paywallId),
      url: `'https://failing-' || n || '.example/'`,
      secret: `'unused'`,
      events: `'{payment.failed}'`,
      failures: '1',
    },
  )
}

/** Creates one event per user, each with a pending delivery at every one of these webhook endpoints. */
export async function fillFailingDeliveries(filler: Filler, failing: FailingEndpoints): Promise<void> {
  const { paywallId, webhookEndpoints, deliveries } = failing
  const events = Math.floor(deliveries / webhookEndpoints)
  const eventId = (number: string) => `'evt_' || md5('failing-event-' || ${number})`
  const about = (number: string) => ({ paywall_id: `'${paywallId}'`, user_id: filledId(number), sequence: '3000000' })
  await filler.insert(
    'events',
    { from: 1, to: events },
    { ...ownedWith(paywallId), ...about('n'), id: eventId('n'), type: `'payment.failed'`, body: `'{}'` },
  )
  const endpointNumber = `(1 + (n - 1) % ${webhookEndpoints})`
  const eventNumber = `(1 + (n - 1) / ${webhookEndpoints})`
  await filler.insert(
    'deliveries',
    { from: 1, to: events * webhookEndpoints },
    {
      ...about(eventNumber),
      event_id: eventId(eventNumber),
      endpoint_id: toId(endpointNumber),
      state: `'pending'`,
      attempts: '3',
      next_attempt_at: `now() + interval '1 hour'`,
    },
  )
}
