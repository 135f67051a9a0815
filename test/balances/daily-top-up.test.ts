import { expect, test } from 'vitest'
import { buy } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { subscribe } from '../support/subscriber.ts'
import { newTenant } from '../support/tenants.ts'
import { changeBalance, readLedger } from '../support/token-calls.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// The daily top-up of 10 standard tokens when a balance changes. See balances.test.ts for reads.

const world = useTestWorld()

const change = (fields: Record<string, unknown>) => changeBalance(world, fields)
const newUser = () => signIn(world)
const nextDay = () => world.clock.advance(world.paywall.id, '1d')

test('the top-up is available to a debit and stored with it, once a day; a refused debit stores none', async () => {
  const { id } = await newUser()
  const debit = (amount: number) => change({ user_id: id, op: 'debit', amount })
  const before = await stateChecksum(world)
  expect(await debit(11)).toMatchObject({ status: 400, body: { available: 10 } })
  expect(await debit(11)).toMatchObject({ status: 400, body: { available: 10 } })
  expect(await stateChecksum(world)).toBe(before)
  expect(await debit(8)).toMatchObject({ body: { count: 2 } })
  await nextDay()
  const yesterday = await stateChecksum(world)
  expect(await debit(12)).toMatchObject({ status: 400, body: { available: 10 } })
  expect(await stateChecksum(world)).toBe(yesterday)
  expect(await debit(9)).toMatchObject({ body: { count: 1 } })
  expect(await debit(9)).toMatchObject({ status: 400, body: { available: 1 } })
  expect(await readLedger(world, id)).toEqual([
    ['standard', 'top_up', 10],
    ['standard', 'debit', -8],
    ['standard', 'top_up', 8],
    ['standard', 'debit', -9],
  ])
})

test('the top-up happens once a day, even if a call from before midnight waited for one from after it', async () => {
  const { id } = await newUser()
  await change({ user_id: id, op: 'debit', amount: 4 })
  const { rows: tomorrow } = await world.database.query(
    'update balances set topped_up_on = topped_up_on + 1 where user_id = $1 returning topped_up_on::text',
    [id],
  )
  expect(await change({ user_id: id, op: 'debit', amount: 1 })).toMatchObject({ body: { count: 5 } })
  expect((await userState(world, id)).balances).toContainEqual({ type: 'standard', count: 5 })
  const { rows } = await world.database.query('select topped_up_on::text from balances where user_id = $1', [id])
  expect(rows).toEqual(tomorrow)
})

test('the top-up never lowers a balance, and does not undo a credit', async () => {
  const { id } = await newUser()
  expect(await change({ user_id: id, amount: 40 })).toMatchObject({ body: { count: 50 } })
  await nextDay()
  expect(await change({ user_id: id, amount: 1 })).toMatchObject({ body: { count: 51 } })
  expect((await readLedger(world, id)).map(([, reason]) => reason)).toEqual(['top_up', 'credit', 'credit'])
})

test('the top-up happens with a change of another type', async () => {
  const { id } = await newUser()
  expect(await change({ user_id: id, type: 'premium', amount: 3 })).toMatchObject({
    body: {
      balances: [
        { type: 'premium', count: 3 },
        { type: 'standard', count: 10 },
      ],
    },
  })
})

test('a user gets the top-up during a trial, and not after the first payment', async () => {
  const { paywall, key } = await newTenant(world, { prices: [yearly({ tokens: [{ type: 'standard', count: 1 }] })] })
  const credentials = { paywallId: paywall.id, key }
  const debitSix = (id: string) => changeBalance(world, { user_id: id, op: 'debit', amount: 6 }, credentials)
  const { userId } = await buy(world, { paywall, key, slug: 'yearly' })
  await world.stripe.drainWebhooks()
  expect(await userState(world, userId, credentials)).toMatchObject({ paid: true, purchases: [{ status: 'trialing' }] })
  expect(await debitSix(userId)).toMatchObject({ body: { count: 4 } })
  await world.clock.advance(paywall.id, '1d')
  expect(await debitSix(userId)).toMatchObject({ body: { count: 4 } })

  const subscription = String(world.stripe.subscriptions.at(-1)?.id)
  await world.stripe.renew(subscription, { fail: true })
  await world.stripe.drainWebhooks()
  await world.clock.advance(paywall.id, '1d')
  expect(await userState(world, userId, credentials), 'it was never paid for').toMatchObject({
    purchases: [{ status: 'past_due' }],
    balances: expect.arrayContaining([{ type: 'standard', count: 10 }]),
  })
  await debitSix(userId)

  await world.stripe.renew(subscription)
  await world.stripe.drainWebhooks()
  await world.clock.advance(paywall.id, '1d')
  expect((await userState(world, userId, credentials)).balances).toContainEqual({ type: 'standard', count: 5 })
})

test('users who pay get no top-up', async () => {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
  expect(await change({ user_id: userId, op: 'debit', amount: 95 })).toMatchObject({ body: { count: 5 } })
  await nextDay()
  expect(await change({ user_id: userId, op: 'debit', amount: 1 })).toMatchObject({ body: { count: 4 } })
  expect((await userState(world, userId)).balances).toContainEqual({ type: 'standard', count: 4 })
})

test('a subscription stops only the daily top-up of the types that it credits', async () => {
  const tenant = await newTenant(world, { prices: [monthly({ tokens: [{ type: 'premium', count: 7 }] })] })
  const { id } = await subscribe(world, tenant)
  expect((await userState(world, id, { paywallId: tenant.paywall.id, key: tenant.key })).balances).toEqual([
    { type: 'premium', count: 7 },
    { type: 'standard', count: 10 },
  ])
})

test('a user who changes to a price that is not in the file gets the top-up again after the period of the old price', async () => {
  const { paywall, key } = await newTenant(world)
  const credentials = { paywallId: paywall.id, key }
  const { userId } = await buy(world, { paywall, key })
  const debit = () => changeBalance(world, { user_id: userId, op: 'debit', amount: 95 }, credentials)
  const standard = async () =>
    (await userState(world, userId, credentials)).balances.find(({ type }) => type === 'standard')?.count
  const team = { id: 'price_team', label: 'Team', currency: 'usd', amount: 2999, intervalCount: 1 }
  await world.stripe.setOtherPrices(paywall.id, [{ ...team, interval: 'month' }])
  await world.stripe.changePlan(String(world.stripe.subscriptions.at(-1)?.id), 'price_team')
  await world.stripe.drainWebhooks()
  await debit()
  await world.clock.advance(paywall.id, '2d')
  expect(await standard()).toBe(5)
  await world.clock.advance(paywall.id, '31d')
  expect(await userState(world, userId, credentials)).toMatchObject({ paid: true, purchases: [{ price_slug: null }] })
  expect(await standard()).toBe(10)
})
