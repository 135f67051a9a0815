import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { World } from './world.ts'

const slug = z.string().nullable()

/** An event as the owner's backend receives it, with the fields that are read here. */
const Event = z.object({
  id: z.string(),
  type: z.string(),
  /** By the paywall's clock. */
  timestamp: z.coerce.date(),
  data: z.object({
    payment: z.object({ amount: z.int(), currency: z.string() }).optional(),
    subscription: z
      .object({ price_slug: slug, scheduled_change: z.object({ price_slug: slug }).nullable() })
      .optional(),
    previous: z.object({ price_slug: slug.optional() }).optional(),
  }),
})
export type CapturedEvent = z.output<typeof Event>

/** How long to wait for webhooks to arrive before reading the events emitted so far. */
const QUIET_MS = 10_000

/** Runs `action` and returns the events of a paywall that it caused, in order. */
export async function captureEvents(
  world: World,
  paywallId: string,
  action: () => Promise<void>,
): Promise<CapturedEvent[]> {
  const { rows } = await world.database.query<{ now: string }>('select clock_timestamp()::text as now')
  await action()
  await settle(world, paywallId)
  return readEvents(world, paywallId, rows[0]?.now)
}

/** Resolves once all sent webhooks have arrived and the paywall has no due work. */
export async function settle(world: World, paywallId: string): Promise<void> {
  const drained = Promise.all(PROCESSOR_NAMES.map((acquiring) => world[acquiring].drainWebhooks()))
  await Promise.race([drained, delay(QUIET_MS, undefined, { ref: false })])
  await world.clock.runDue(paywallId)
}

/** The events of a paywall, in order: all, or those emitted since a time of the database. */
export async function readEvents(world: World, paywallId: string, since = '-infinity'): Promise<CapturedEvent[]> {
  const { rows } = await world.database.query<{ body: string }>(
    `select e.body from events e where e.paywall_id = $1 and e.created_at >= $2::timestamptz
     order by e.created_at, e.sequence`,
    [paywallId, since],
  )
  return rows.map(({ body }) => Event.parse(JSON.parse(body)))
}
