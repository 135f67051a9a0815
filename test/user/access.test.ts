import { beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { startCheckout } from '../support/checkout.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, newTenant, type Tenant, tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
let ours: Tenant

beforeAll(() => {
  ours = tenant(world.file)
})

/** Changes our row of a purchase to what it would be at another time, or after another reply of the processor. */
async function rewrite({ purchaseId }: Subscriber, columns: string): Promise<void> {
  const { rowCount } = await world.database.query(`update purchases set ${columns} where id = $1`, [purchaseId])
  expect(rowCount).toBe(1)
}

/** Whether each endpoint that depends on access grants it to a user. */
async function saidBy({ token }: Subscriber) {
  const user = await call(world, at(ours, 'user'), { token })
  const bootstrap = await call(world, at(ours, 'bootstrap'), { token })
  const checkout = await startCheckout(world, { paywall: ours.paywall, token })
  const portal = await call(world, at(ours, 'get-customer-portal'), { method: 'POST', token })
  return [user.body, bootstrap.body, checkout, portal]
}

/** Whether a purchase gives access, whether it is in the way of another one, and whether it has a portal. */
const open = [{ paid: true }, { user: { paid: true, has_active_subscription: true } }]
const closed = [{ paid: false }, { user: { paid: false, has_active_subscription: false } }]
const running = [{ status: 409, body: { error: 'active_purchase', hasActivePurchase: true } }, { status: 200 }]
const over = [{ status: 200 }, { status: 403, body: { error: 'portal_unavailable', isTest: '1' } }]

const ended = (ago: string) => `current_period_end = now() - interval '${ago}'`
const readBefore = "fetched_at = now() - interval '2 minutes'"

test.each([
  ['active, its period over for a minute', ended('1 minute'), [...open, ...running]],
  ['active, its period over for almost three days', ended('2 days 23 hours'), [...open, ...running]],
  ['active, its period over for more than three days', ended('3 days 1 minute'), [...closed, ...running]],
  [
    'on a trial that ended a minute ago',
    `status = 'trialing', ${ended('1 minute')}, trial_end = now() - interval '1 minute'`,
    [...open, ...running],
  ],
  ['to end with its period, now over', `${ended('1 minute')}, cancel_at_period_end = true`, [...closed, ...over]],
  [
    'to end with its period, which has ended since the last read',
    `${ended('1 minute')}, cancel_at_period_end = true, ${readBefore}`,
    [...closed, ...running],
  ],
  [
    'past due, and to end with its period, which has ended since the last read',
    `status = 'past_due', past_due_since = now() - interval '1 day', ${ended('1 minute')}, cancel_at_period_end = true, ${readBefore}`,
    [...closed, ...running],
  ],
  [
    'to end at a time that has passed',
    `cancel_at = now() - interval '1 minute', cancel_at_period_end = true`,
    [...closed, ...over],
  ],
  [
    'to end later than its period, which has ended',
    `${ended('1 minute')}, cancel_at = now() + interval '1 month', cancel_at_period_end = true`,
    [...open, ...running],
  ],
  [
    'past due for almost seven days, its period ended',
    `status = 'past_due', past_due_since = now() - interval '6 days 23 hours', ${ended('1 minute')}`,
    [...open, ...running],
  ],
  [
    'past due for more than seven days',
    "status = 'past_due', past_due_since = now() - interval '7 days 1 minute'",
    [...closed, ...running],
  ],
  [
    'past due, and to end at a time that has passed',
    `status = 'past_due', past_due_since = now() - interval '1 day', ${ended('1 minute')}, cancel_at_period_end = true`,
    [...closed, ...over],
  ],
  ['paused', "status = 'paused', access_lost_at = now()", [...closed, ...running]],
  ['ended', "status = 'canceled', access_lost_at = now()", [...closed, ...over]],
])('%s: access, another sale and the portal', async (_, columns, expected) => {
  const subscriber = await subscribe(world, ours)
  await rewrite(subscriber, columns)
  expect(await saidBy(subscriber)).toMatchObject(expected)
})

const readUntil = async ({ id }: Subscriber) => (await userState(world, id)).purchases[0]?.access_until

test('`access_until` is when access ends, as far as is known now', async () => {
  const subscriber = await subscribe(world, ours)
  const { rows } = await world.database.query(`select now() + interval '1 day' as soon, now() as present`)
  const [soon, present] = [rows[0].soon.toISOString(), rows[0].present.toISOString()]
  const later = (time: string, days: number) => new Date(Date.parse(time) + days * 86_400_000).toISOString()

  await rewrite(subscriber, `current_period_end = '${soon}'`)
  expect(await readUntil(subscriber)).toBe(later(soon, 3))
  await rewrite(subscriber, 'cancel_at_period_end = true')
  expect(await readUntil(subscriber)).toBe(soon)
  await rewrite(subscriber, `cancel_at_period_end = false, cancel_at = '${later(soon, 30)}'`)
  expect(await readUntil(subscriber)).toBe(later(soon, 3))
  await rewrite(subscriber, `cancel_at = null, status = 'past_due', past_due_since = '${present}'`)
  expect(await readUntil(subscriber)).toBe(later(present, 7))
  await rewrite(subscriber, `cancel_at = '${soon}'`)
  expect(await readUntil(subscriber)).toBe(soon)
})

test('`settings.grace_days` is how long a past due subscription gives access', async () => {
  const strict = await newTenant(world, { settings: { ...world.paywall.settings, grace_days: 2 } })
  const subscriber = await subscribe(world, strict)
  const paidAfter = async (ago: string) => {
    await rewrite(subscriber, `status = 'past_due', past_due_since = now() - interval '${ago}'`)
    return (await userState(world, subscriber.id, { paywallId: strict.paywall.id, key: strict.key })).paid
  }
  expect(await paidAfter('1 day 23 hours')).toBe(true)
  expect(await paidAfter('2 days 1 minute')).toBe(false)
})

test('there is no daily top-up while a renewal may still become known', async () => {
  const subscriber = await subscribe(world, ours)
  const debit = { user_id: subscriber.id, type: 'standard', amount: 95, op: 'debit' }
  expect(await call(world, at(ours, 'balances'), { key: ours.key, body: debit })).toMatchObject({ status: 200 })
  const standardAfter = async (columns: string) => {
    await rewrite(subscriber, columns)
    return (await userState(world, subscriber.id)).balances.find(({ type }) => type === 'standard')?.count
  }
  expect(await standardAfter(ended('1 minute'))).toBe(5)
  expect(await standardAfter(ended('3 days 1 minute'))).toBe(10)
})
