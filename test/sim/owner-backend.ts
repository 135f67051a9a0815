import * as z from 'zod'
import type { Received } from '../../dev/world/pages/received.ts'
import type { Receiver } from '../../dev/world/pages/receiver.ts'
import type { TestWorld } from '../support/world.ts'
import type { FaultInjector } from './fault-injection.ts'
import type { LifeWorld } from './person.ts'

const Subscription = z.looseObject({
  id: z.string(),
  status: z.string(),
  price_id: z.string().nullable(),
  price_slug: z.string().nullable(),
  quantity: z.int(),
  current_period_end: z.string().nullable(),
  trial_end: z.string().nullable(),
  access_until: z.string().nullable(),
  cancel_at: z.string().nullable(),
  cancel_at_period_end: z.boolean(),
  scheduled_change: z.looseObject({ price_id: z.string().nullable(), quantity: z.int() }).nullable(),
})

const Event = z.object({
  id: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime(),
  is_test: z.boolean(),
  data: z.looseObject({
    paywall_id: z.string(),
    sequence: z.int(),
    user: z.looseObject({ id: z.string().nullable() }),
    merged_user: z.looseObject({ id: z.string() }).optional(),
    subscription: Subscription.optional(),
    previous: Subscription.optional(),
    payment: z
      .looseObject({
        id: z.uuid(),
        amount: z.int(),
        currency: z.string(),
        processor_id: z.string(),
        purchase_id: z.string(),
        price_slug: z.string().nullable(),
        discount: z.int().nullable(),
        refunded_amount: z.int(),
        refunded: z.boolean(),
        occurred_at: z.iso.datetime(),
      })
      .optional(),
    checkout: z
      .looseObject({
        purchase_id: z.string(),
        price_slug: z.string(),
        amount: z.int(),
        currency: z.string(),
        duplicate_of: z.string().nullable(),
        offer: z.object({ id: z.string(), beyond_max: z.boolean() }).nullable(),
      })
      .optional(),
  }),
})

/** An event that the owner accepted, and how often. Listed once, in the order in which events were first accepted. */
export type OwnerEvent = z.output<typeof Event> & { body: string; times: number }

export type OwnerBackend = ReturnType<typeof ownerBackend>

/** Holds the events of live paywalls: the owner's backend has no public address, so they are read from the database instead. */
export async function holdLiveEvents({ database }: Pick<TestWorld, 'database'>): Promise<void> {
  await database.query("update webhook_endpoints set held_until = 'infinity' where not is_test")
}

/** The events of a paywall, whether the owner's backend has accepted them or not. */
export async function writtenEvents({ database, paywall }: LifeWorld): Promise<OwnerEvent[]> {
  const { rows } = await database.query<{ body: string }>('select body from events where paywall_id = $1', [paywall.id])
  return rows.map(({ body }) => ({ ...Event.parse(JSON.parse(body)), body, times: 1 }))
}

/** The owner's backend. It refuses some webhooks, so that they are sent again, and keeps the others. */
export function ownerBackend(faultInjector: FaultInjector) {
  const taken = new Map<string, OwnerEvent>()
  const faults: string[] = []

  function take({ body, headers, verified }: Received): { status: number } {
    const event = Event.parse(JSON.parse(body))
    const status = faultInjector.ownerStatus(event.data.paywall_id)
    if (status !== 200) return { status }
    const id = headers['webhook-id'] ?? ''
    const known = taken.get(id)
    if (!verified || id !== event.id || (known && known.body !== body)) faults.push(`a bad webhook: ${body}`)
    taken.set(id, { ...event, body, times: (known?.times ?? 0) + 1 })
    return { status }
  }

  const answer: Receiver['answer'] = take
  const eventsAbout = (paywallId: string) => [...taken.values()].filter(({ data }) => data.paywall_id === paywallId)
  return { answer, eventsAbout, faults }
}
