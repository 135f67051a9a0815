import * as z from 'zod'
import { until } from './until.ts'
import type { TestWorld } from './world.ts'

const Body = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.looseObject({
    paywall_id: z.string(),
    user: z.object({ id: z.uuid().nullable(), email: z.string().nullable(), external_id: z.string().nullable() }),
    sequence: z.int(),
    subscription: z.looseObject({ id: z.string(), status: z.string() }).optional(),
    payment: z
      .looseObject({
        id: z.string(),
        processor_id: z.string(),
        purchase_status: z.string(),
        amount: z.int(),
        tax: z.int().nullable(),
        discount: z.int().nullable(),
        currency: z.string(),
        receipt_url: z.url().nullable(),
        occurred_at: z.iso.datetime(),
      })
      .optional(),
    checkout: z.looseObject({ id: z.uuid(), duplicate_of: z.uuid().nullable() }).optional(),
    grant: z.looseObject({ id: z.uuid() }).optional(),
    balance: z.looseObject({ type: z.string(), count: z.int() }).optional(),
    ticket: z.looseObject({ id: z.int(), status: z.string() }).optional(),
    merged_user: z
      .object({ id: z.uuid(), email: z.string().nullable(), external_id: z.string().nullable() })
      .optional(),
    previous: z.looseObject({ id: z.string(), status: z.string() }).optional(),
  }),
})

/** An event as it reached the owner's backend, and how often it arrived. */
export type OwnerEvent = z.output<typeof Body> & { times: number }

/**
 * The events that the owner received about a user (null: about guests), in the order of arrival. Waits until all pending
 * events have arrived, and throws on an invalid signature or on two bodies with one `webhook-id`.
 */
export async function ownerEvents(world: TestWorld, userId: string | null): Promise<OwnerEvent[]> {
  await untilAllDelivered(world)
  const events = new Map<string, OwnerEvent & { raw: string }>()
  for (const { body, headers, verified } of world.receiver.received) {
    const event = Body.parse(JSON.parse(body))
    if (event.data.user.id !== userId) continue
    const id = headers['webhook-id'] ?? ''
    const known = events.get(id)
    if (!verified || id !== event.id || (known && known.raw !== body)) throw new Error(`a bad webhook: ${body}`)
    events.set(id, { ...event, raw: body, times: (known?.times ?? 0) + 1 })
  }
  return [...events.values()].map(({ raw: _, ...event }) => event)
}

/** Resolves once no event is pending for the owner's backend. */
export async function untilAllDelivered(world: TestWorld): Promise<void> {
  await until('every event delivered', async () => {
    const { rows } = await world.database.query("select from deliveries where state = 'pending' limit 1")
    return rows.length === 0
  })
}

/**
 * Delivers what a crash left behind: expires its leases, makes its retries due, and runs the cron,
 * since no queue message would wake the consumer. Does not wait for a delivery that is in progress.
 */
export async function deliverAfterCrash(world: Pick<TestWorld, 'database' | 'workers'>): Promise<void> {
  await world.database.query(`
    update deliveries d set locked_until = null, next_attempt_at = now()
    from (select event_id, endpoint_id from deliveries
      where state = 'pending' and next_attempt_at is not null for update skip locked) waiting
    where (d.event_id, d.endpoint_id) = (waiting.event_id, waiting.endpoint_id)`)
  await world.workers.scheduled('deliver-events')
}

/**
 * What is wrong with the sequence of a member's events: duplicates (which a crash may cause), wrong order or gaps.
 * Should be empty.
 */
export function findSequenceErrors(
  events: { type: string; data: { sequence: number }; times: number }[],
  { crashed = false } = {},
): string[] {
  return events.flatMap(({ type, data, times }, index) => {
    if (times !== 1 && !crashed) return [`${type} was delivered ${times} times`]
    return data.sequence === index + 1 ? [] : [`${type} has number ${data.sequence} in place ${index + 1}`]
  })
}

/** The `previous` of each event must be the subscription's state in the event before; returns the events where it is not. */
export function findPreviousErrors(events: OwnerEvent[]): string[] {
  const changes = events.filter(({ data }) => data.previous)
  return changes.flatMap(({ type, data }) => {
    const isEarlier = (each: OwnerEvent) =>
      each.data.sequence < data.sequence && each.data.subscription?.id === data.subscription?.id
    const earlier = events.filter((each) => each.data.subscription && isEarlier(each))
    const states = earlier.map((each) => JSON.stringify(each.data.subscription))
    const [previous, current] = [JSON.stringify(data.previous), JSON.stringify(data.subscription)]
    // A renewal whose period had begun before it was paid changes nothing visible.
    const last = previous === current ? states.at(-1) : states.findLast((state) => state !== current)
    return last === previous ? [] : [`${type} (${data.sequence}): ${last}, not ${previous}`]
  })
}
