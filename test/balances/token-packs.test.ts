import { beforeAll, expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { buy, getPriceId, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { subscribe } from '../support/subscriber.ts'
import { at, newTenant, type Person, person, type Tenant } from '../support/tenants.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// A pack is a one-time price with `access: false`: it does not make its buyer `paid`, and can be bought any number of times.

const pack = {
  slug: 'pack',
  label: '50 tokens',
  currency: 'USD',
  amount: 5,
  processorPrice: 'price_pack',
  access: false,
  tokens: [{ type: 'standard', count: 50 }],
}

const world = useTestWorld()
let ours: Tenant

beforeAll(async () => {
  ours = await newTenant(world, { prices: [monthly({ tokens: [{ type: 'premium', count: 7 }] }), pack] })
})

const order = ({ email }: Person, slug: string) =>
  startCheckout(world, { ...ours, body: { email, priceId: getPriceId(ours.paywall, slug) } })

const readState = ({ id }: Person) => userState(world, id, { paywallId: ours.paywall.id, key: ours.key })

test('a pack does not make its buyer paid, blocks no other purchase, and does not stop the daily top-up', async () => {
  const buyer = await person(world, ours)
  await buy(world, { ...ours, email: buyer.email, slug: 'pack' })
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'active', access_until: null }] })
  expect(await verifiedBalances(world, buyer.id)).toMatchObject({ standard: 50 })

  const debit = { user_id: buyer.id, type: 'standard', amount: 50, op: 'debit' }
  await call(world, at(ours, 'balances'), { key: ours.key, body: debit })
  await world.clock.advance(ours.paywall.id, '1d')
  expect((await readState(buyer)).balances).toContainEqual({ type: 'standard', count: 10 })
  expect(await order(buyer, 'pack')).toMatchObject({ status: 200 })
  expect(await order(buyer, 'monthly')).toMatchObject({ status: 200 })
})

test('a subscriber can buy a pack repeatedly and keeps the subscription', async () => {
  const subscriber = await subscribe(world, ours)
  for (const count of [50, 100]) {
    await payAndReturn(world, parseOpened(await order(subscriber, 'pack')).checkoutUrl)
    expect(await verifiedBalances(world, subscriber.id)).toMatchObject({ premium: 7, standard: count })
  }
  const { purchases } = await readState(subscriber)
  expect(purchases.filter(({ interval }) => interval)).toMatchObject([
    { status: 'active', cancel_at_period_end: false },
  ])
})

test('a subscription stops only the daily top-up of the types that it credits', async () => {
  const subscriber = await subscribe(world, ours)
  expect((await readState(subscriber)).balances).toEqual([
    { type: 'premium', count: 7 },
    { type: 'standard', count: 10 },
  ])
})
