import type { Filler } from './insert.ts'
import { filledId } from './users.ts'

/** Webhook endpoints that failed at their last attempt, each with deliveries about several users that come up in an hour. */
export interface Crowd {
  paywallId: string
  webhookEndpoints: number
  /** What waits for all of them together. */
  deliveries: number
}

const idOf = (number: string) => `md5('crowd-' || ${number})::uuid`

/** Makes the webhook endpoints. Of what happens during the benchmark they ask for nothing. */
export async function fillCrowd(filler: Filler, { paywallId, webhookEndpoints }: Crowd): Promise<void> {
  await filler.insert(
    'webhook_endpoints',
    { from: 1, to: webhookEndpoints },
    {
      id: idOf('n'),
      owner_id: `(select owner_id from paywalls where id = '${paywallId}')`,
      is_test: `(select is_test from paywalls where id = '${paywallId}')`,
      url: `'https://crowd-' || n || '.example/'`,
      secret: `'unused'`,
      events: `'{payment.failed}'`,
      failures: '1',
    },
  )
}

/** Makes what waits for them: each event, about a user of its own, waits for all of them. */
export async function fillCrowdDeliveries(filler: Filler, crowd: Crowd): Promise<void> {
  const { paywallId, webhookEndpoints, deliveries } = crowd
  const events = Math.floor(deliveries / webhookEndpoints)
  const eventId = (number: string) => `'evt_' || md5('crowd-event-' || ${number})`
  const about = (number: string) => ({ paywall_id: `'${paywallId}'`, user_id: filledId(number), sequence: '3000000' })
  await filler.insert(
    'events',
    { from: 1, to: events },
    { ...about('n'), id: eventId('n'), type: `'payment.failed'`, body: `'{}'` },
  )
  const [endpointNumber, eventNumber] = [`(1 + (n - 1) % ${webhookEndpoints})`, `(1 + (n - 1) / ${webhookEndpoints})`]
  await filler.insert(
    'deliveries',
    { from: 1, to: events * webhookEndpoints },
    {
      ...about(eventNumber),
      event_id: eventId(eventNumber),
      endpoint_id: idOf(endpointNumber),
      state: `'pending'`,
      attempts: '3',
      next_attempt_at: `now() + interval '1 hour'`,
    },
  )
}
