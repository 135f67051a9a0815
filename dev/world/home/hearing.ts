import { setTimeout as delay } from 'node:timers/promises'
import { ACQUIRING } from '../../../lib/processors/acquiring.ts'
import type { World } from '../world.ts'

/** How long webhooks may take to arrive before it is said what came of them so far. */
const QUIET_MS = 10_000

/** What happens to the webhooks of something that is done at a processor. */
export const WEBHOOKS = {
  arrive: '',
  lost: ' Its webhooks got lost: the service asks the processor when the clock says so.',
  twice: ' Each of its webhooks came twice.',
  reversed: ' Its webhooks came in reverse order.',
}
export type WebhooksFate = keyof typeof WEBHOOKS

type Order = <Event>(events: Event[]) => Event[]

const ORDERS: { [Fate in Exclude<WebhooksFate, 'arrive'>]: Order } = {
  lost: () => [],
  twice: (events) => events.flatMap((event) => [event, event]),
  reversed: (events) => events.toReversed(),
}

/** Does something at a processor, whose webhooks then arrive or have another fate. */
export async function withWebhooks(
  emulator: { holdWebhooks(): void; sendHeldWebhooks(order: Order): Promise<unknown> },
  fate: WebhooksFate,
  act: () => Promise<void>,
): Promise<void> {
  if (fate === 'arrive') return act()
  emulator.holdWebhooks()
  try {
    await act()
  } finally {
    await emulator.sendHeldWebhooks(ORDERS[fate])
  }
}

/** Does something, and says in a sentence which events the owner was told because of it. */
export async function heardWhile(world: World, paywallId: string, act: () => Promise<void>): Promise<string> {
  const { rows } = await world.database.query<{ now: string }>('select clock_timestamp()::text as now')
  await act()
  const drained = Promise.all(ACQUIRING.map((acquiring) => world[acquiring].drainWebhooks()))
  await Promise.race([drained, delay(QUIET_MS, undefined, { ref: false })])
  await world.clock.catchUp(paywallId)
  const events = await world.database.query<{ type: string }>(
    `select e.type from events e where e.paywall_id = $1 and e.created_at >= $2::timestamptz
     order by e.created_at, e.sequence`,
    [paywallId, rows[0]?.now],
  )
  const types = events.rows.map(({ type }) => type)
  return types.length > 0 ? `The owner was told: ${types.join(', ')}.` : 'There was nothing to tell the owner.'
}
