import { expect, test } from 'vitest'
import { readRelease } from '../../cli/migrate/release.ts'
import { EVENT_TYPES } from '../../lib/events/types.ts'

// An event type that event_order does not list would never be delivered.
test('event_order lists each event type that storing a purchase can emit, once', () => {
  const { files } = readRelease()
  const body = files.flatMap(({ text }) => /create function event_order\(\)[^;]*\$\$;/.exec(text)?.[0] ?? [])
  const order = [...body.join().matchAll(/'(\w+\.\w+)'/g)].map(([, type]) => type)
  const others = [
    'ticket.created',
    'subscription.stop_failed',
    'grant.created',
    'grant.ended',
    'user.merged',
    'webhook.ping',
  ]
  expect(order.toSorted()).toEqual(EVENT_TYPES.filter((type) => !others.includes(type)).toSorted())
})
