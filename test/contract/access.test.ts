import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { startCheckout } from '../support/checkout.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { at, type Tenant, tenant } from '../support/tenants.ts'
import { userState } from '../support/user-state.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
let ours: Tenant

beforeAll(async () => {
  world = await startTestWorld()
  ours = tenant(world.file)
})
afterAll(() => world.close())

/** Makes our row of a purchase as it would be at another time, or had the processor said something else. */
async function rewrite({ purchaseId }: Subscriber, columns: string): Promise<void> {
  const { rowCount } = await world.database.query(`update purchases set ${columns} where id = $1`, [purchaseId])
  expect(rowCount).toBe(1)
}

/** What each endpoint that depends on access says of a user. */
async function saidBy({ token }: Subscriber) {
  const user = await call(world, at(ours, 'user'), { token })
  const bootstrap = await call(world, at(ours, 'bootstrap'), { token })
  const checkout = await startCheckout(world, { paywall: ours.paywall, token })
  const portal = await call(world, at(ours, 'get-customer-portal'), { method: 'POST', token })
  return [user.body, bootstrap.body, checkout, portal]
}

const access = [
  { paid: true },
  { user: { paid: true, has_active_subscription: true } },
  { status: 409, body: { error: 'active_purchase', hasActivePurchase: true } },
  { status: 200 },
]
const none = [
  { paid: false },
  { user: { paid: false, has_active_subscription: false } },
  { status: 200 },
  { status: 403, body: { error: 'portal_unavailable', isTest: '1' } },
]

const ended = (ago: string) => `current_period_end = now() - interval '${ago}'`

test.each([
  ['active, its period over for a minute', ended('1 minute'), access],
  ['active, its period over for almost three days', ended('2 days 23 hours'), access],
  ['active, its period over for more than three days', ended('3 days 1 minute'), none],
  [
    'on trial, which is over for a minute',
    `status = 'trialing', ${ended('1 minute')}, trial_end = now() - interval '1 minute'`,
    access,
  ],
  ['to end with its period, now over', `${ended('1 minute')}, cancel_at_period_end = true`, none],
  ['to end at a time that is over', `cancel_at = now() - interval '1 minute', cancel_at_period_end = true`, none],
  [
    'to end later than its period, which is over',
    `${ended('1 minute')}, cancel_at = now() + interval '1 month', cancel_at_period_end = true`,
    access,
  ],
  [
    'past due for almost seven days, its period over',
    `status = 'past_due', past_due_since = now() - interval '6 days 23 hours', ${ended('1 minute')}`,
    access,
  ],
  [
    'past due for more than seven days',
    "status = 'past_due', past_due_since = now() - interval '7 days 1 minute'",
    none,
  ],
  [
    'past due, and to end at a time that is over',
    `status = 'past_due', past_due_since = now() - interval '1 day', ${ended('1 minute')}, cancel_at_period_end = true`,
    none,
  ],
])('%s: all endpoints agree whether it gives access', async (_, columns, expected) => {
  const subscriber = await subscribe(world, ours)
  await rewrite(subscriber, columns)
  expect(await saidBy(subscriber)).toMatchObject(expected)
})

test('nobody is topped up while a renewal may still be heard of', async () => {
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
