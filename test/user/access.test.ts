import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { startCheckout } from '../support/checkout.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, newTenant, useTenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()
const ours = useTenant(world)

/** Changes our row of a purchase to what it would be at another time, or after another reply of the processor. */
async function rewrite({ purchaseId }: Subscriber, columns: string): Promise<void> {
  const { rowCount } = await world.database.query(`update purchases set ${columns} where id = $1`, [purchaseId])
  expect(rowCount).toBe(1)
}

/** The responses of the endpoints that depend on a user's access. */
async function readAccess({ token }: Subscriber) {
  const user = await call(world, at(ours, 'user'), { token })
  const bootstrap = await call(world, at(ours, 'bootstrap'), { token })
  const checkout = await startCheckout(world, { paywall: ours.paywall, token })
  const portal = await call(world, at(ours, 'get-customer-portal'), { method: 'POST', token })
  return [user.body, bootstrap.body, checkout, portal]
}

/** `open` or `closed`: whether a purchase gives access. `running` or `over`: whether it blocks another one and has a portal. */
const open = [{ paid: true }, { user: { paid: true, has_active_subscription: true } }]
const closed = [{ paid: false }, { user: { paid: false, has_active_subscription: false } }]
const running = [{ status: 409, body: { error: 'active_purchase', hasActivePurchase: true } }, { status: 200 }]
const over = [{ status: 200 }, { status: 403, body: { error: 'portal_unavailable', isTest: '1' } }]

const ended = (ago: string) => `current_period_end = now() - interval '${ago}'`
const readBefore = "fetched_at = now() - interval '2 minutes'"

test.each([
  ['active, its period ended a minute ago', ended('1 minute'), [...open, ...running]],
  ['active, its period ended almost three days ago', ended('2 days 23 hours'), [...open, ...running]],
  ['active, its period ended more than three days ago', ended('3 days 1 minute'), [...closed, ...running]],
  [
    'on a trial that ended a minute ago',
    `status = 'trialing', ${ended('1 minute')}, trial_end = now() - interval '1 minute'`,
    [...open, ...running],
  ],
  [
    'set to end with its period, which had ended at the last read',
    `${ended('1 minute')}, cancel_at_period_end = true`,
    [...closed, ...over],
  ],
  [
    'set to end with its period, which has ended since the last read',
    `${ended('1 minute')}, cancel_at_period_end = true, ${readBefore}`,
    [...closed, ...running],
  ],
  [
    'past due, and set to end with its period, which has ended since the last read',
    `status = 'past_due', past_due_since = now() - interval '1 day', ${ended('1 minute')}, cancel_at_period_end = true, ${readBefore}`,
    [...closed, ...running],
  ],
  [
    'set to end at a time that has passed',
    `cancel_at = now() - interval '1 minute', cancel_at_period_end = true`,
    [...closed, ...over],
  ],
  [
    'set to end later than its period, which has ended',
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
    'past due, and set to end with its period, which had ended at the last read',
    `status = 'past_due', past_due_since = now() - interval '1 day', ${ended('1 minute')}, cancel_at_period_end = true`,
    [...closed, ...over],
  ],
  ['paused', "status = 'paused', access_lost_at = now()", [...closed, ...running]],
  ['ended', "status = 'canceled', access_lost_at = now()", [...closed, ...over]],
])('%s: access, another checkout and the portal', async (_, columns, expected) => {
  const subscriber = await subscribe(world, ours)
  await rewrite(subscriber, columns)
  expect(await readAccess(subscriber)).toMatchObject(expected)
})

const readAccessUntil = async ({ id }: Subscriber) => (await userState(world, id)).purchases[0]?.access_until

test('`access_until` is when access ends as far as is known', async () => {
  const subscriber = await subscribe(world, ours)
  const { rows } = await world.database.query(`select now() + interval '1 day' as soon, now() as present`)
  const [soon, present] = [rows[0].soon.toISOString(), rows[0].present.toISOString()]
  const later = (time: string, days: number) => new Date(Date.parse(time) + days * 86_400_000).toISOString()

  await rewrite(subscriber, `current_period_end = '${soon}'`)
  expect(await readAccessUntil(subscriber)).toBe(later(soon, 3))
  await rewrite(subscriber, 'cancel_at_period_end = true')
  expect(await readAccessUntil(subscriber)).toBe(soon)
  await rewrite(subscriber, `cancel_at_period_end = false, cancel_at = '${later(soon, 30)}'`)
  expect(await readAccessUntil(subscriber)).toBe(later(soon, 3))
  await rewrite(subscriber, `cancel_at = null, status = 'past_due', past_due_since = '${present}'`)
  expect(await readAccessUntil(subscriber)).toBe(later(present, 7))
  await rewrite(subscriber, `cancel_at = '${soon}'`)
  expect(await readAccessUntil(subscriber)).toBe(soon)
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

test('there is no daily top-up while a renewal may still be reported', async () => {
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
