import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Reply } from '../support/call.ts'
import { ownerEvents } from '../support/owner-events.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { useTenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'
import { changePlan, PRICES, paidAmounts, pricesAtStripe } from './changing.ts'

const world = useTestWorld({ file: { paywall: { prices: PRICES } } })
const ours = useTenant(world)

/** The distinct statuses and errors of replies. */
const outcomes = (replies: Reply[]) => [
  ...new Set(
    replies.map(({ status, body }) =>
      typeof body === 'object' && body !== null && 'error' in body ? `${status} ${body.error}` : `${status}`,
    ),
  ),
]

const repeat = (count: number, call: () => Promise<Reply>) => Promise.all(Array.from({ length: count }, call))

async function expectChangedOnce(subscriber: Subscriber): Promise<void> {
  await world.stripe.drainWebhooks()
  expect(pricesAtStripe(world, subscriber)).toEqual(['price_team'])
  expect(await paidAmounts(world, subscriber)).toEqual([999, expect.any(Number)])
  const events = await ownerEvents(world, subscriber.id)
  expect(events.filter(({ type }) => type === 'subscription.plan_changed')).toHaveLength(1)
}

test('of 200 calls with one Idempotency-Key one changes the plan, and the others get its response', async () => {
  const subscriber = await subscribe(world, ours)
  const headers = { 'idempotency-key': randomUUID() }
  const replies = await repeat(200, () => changePlan(world, subscriber, { headers }))
  // On a slow machine some wait for longer than a call may.
  const inProgress = '409 plan_change_in_progress'
  expect(outcomes(replies).filter((outcome) => outcome !== inProgress)).toEqual(['200'])
  const bodies = replies.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body))
  expect(new Set(bodies).size).toBe(1)
  expect(await changePlan(world, subscriber, { headers })).toMatchObject({
    status: 200,
    headers: { 'idempotency-replayed': 'true' },
  })
  await expectChangedOnce(subscriber)
})

test('concurrent changes to several prices leave one subscription, at the price that is stored', async () => {
  const subscriber = await subscribe(world, ours)
  const slugs = ['team', 'yearly', 'team', 'yearly', 'team', 'yearly']
  const replies = await Promise.all(slugs.map((slug) => changePlan(world, subscriber, { slug, body: { when: 'now' } })))
  expect(outcomes(replies)).toContain('200')
  await world.stripe.drainWebhooks()
  const [price, ...others] = pricesAtStripe(world, subscriber)
  expect(others).toEqual([])
  const { purchases } = await userState(world, subscriber.id)
  expect(purchases.map(({ price_slug }) => `price_${price_slug}`)).toEqual([price])
})
