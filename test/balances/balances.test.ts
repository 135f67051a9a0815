import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { buy, getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { signIn } from '../support/exchange.ts'
import { monthly, paywallFile, yearly } from '../support/paywall-file.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { userState, verifiedBalances } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

/** The balances as the owner reads them, verified against their ledger. */
async function balances(userId: string, { paywall, key }: Pick<Tenant, 'paywall' | 'key'> = world) {
  const state = await userState(world, userId, { paywallId: paywall.id, key })
  const read = Object.fromEntries(state.balances.map(({ type, count }) => [type, count]))
  expect(read).toMatchObject(await verifiedBalances(world, userId))
  return read
}

const ledger = async (userId: string) =>
  (await world.database.query('select type, delta::int, reason from ledger where user_id = $1 order by id', [userId]))
    .rows

const nextDay = () => world.clock.advance(world.paywall.id, '1d')

/** Writes what an owner's credit or debit would: the balance and its ledger row together. */
const spend = (userId: string, delta: number) =>
  world.database.query(
    `with changed as (
       update balances set count = count + $2 where user_id = $1 and type = 'standard' returning *
     ) insert into ledger (paywall_id, user_id, type, delta, count_after, reason)
       select paywall_id, user_id, type, $2, count, 'debit' from changed`,
    [userId, delta],
  )

async function renew(subscriptionId: string, options?: { fail: boolean }) {
  await world.stripe.renew(subscriptionId, options)
  await world.stripe.drainWebhooks()
}

test('every configured type is shown, and the first read credits the daily limit', async () => {
  const { id } = await signIn(world)
  expect(await balances(id)).toEqual({ standard: 10, premium: 0 })
  expect(await ledger(id)).toEqual([{ type: 'standard', delta: 10, reason: 'top_up' }])
})

test('bootstrap with a token counts as a read', async () => {
  const { token, id } = await signIn(world)
  const reply = await call(world, `/api/v1/paywall/${world.paywall.id}/bootstrap`, { token })
  expect(reply.body).toMatchObject({
    user: {
      balances: [
        { type: 'premium', count: 0 },
        { type: 'standard', count: 10 },
      ],
    },
  })
  expect(await balances(id)).toEqual({ standard: 10, premium: 0 })
  expect(await ledger(id)).toHaveLength(1)
})

test('the top-up happens once a UTC day: reading does not restore what was spent', async () => {
  const { id } = await signIn(world)
  await balances(id)
  await spend(id, -7)
  expect(await balances(id)).toMatchObject({ standard: 3 })
  await nextDay()
  expect(await balances(id)).toMatchObject({ standard: 10 })
  expect(await balances(id)).toMatchObject({ standard: 10 })
  expect(await ledger(id)).toEqual([
    { type: 'standard', delta: 10, reason: 'top_up' },
    { type: 'standard', delta: -7, reason: 'debit' },
    { type: 'standard', delta: 7, reason: 'top_up' },
  ])
})

test('a top-up never lowers a higher balance, and writes no row if nothing changes', async () => {
  const { id } = await signIn(world)
  await balances(id)
  await spend(id, 40)
  await nextDay()
  expect(await balances(id)).toMatchObject({ standard: 50 })
  expect(await ledger(id)).toHaveLength(2)
  await spend(id, -45)
  expect(await balances(id), 'the day has had its top-up').toMatchObject({ standard: 5 })
})

test("users with access get the price's tokens and no top-up", async () => {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
  await world.stripe.drainWebhooks()
  expect(await balances(userId)).toEqual({ standard: 100, premium: 0 })
  await spend(userId, -95)
  expect(await balances(userId)).toMatchObject({ standard: 5 })
  expect(await ledger(userId)).toEqual([
    { type: 'standard', delta: 100, reason: 'plan' },
    { type: 'standard', delta: -95, reason: 'debit' },
  ])
})

test("the price's tokens are credited once a period, after each renewal, and never for a repeated webhook", async () => {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
  const subscription = world.stripe.subscriptions.at(-1)?.id ?? ''
  await world.stripe.drainWebhooks()
  for (const { id } of world.stripe.events) await world.stripe.resend(id)
  expect(await balances(userId)).toMatchObject({ standard: 100 })
  await renew(subscription)
  await renew(subscription)
  expect(await balances(userId)).toMatchObject({ standard: 300 })
  for (const { id } of world.stripe.events) await world.stripe.resend(id)
  expect(await balances(userId)).toMatchObject({ standard: 300 })
  expect(await ledger(userId)).toEqual(Array(3).fill({ type: 'standard', delta: 100, reason: 'plan' }))
})

test('a user whose subscription has ended gets the top-up again', async () => {
  const { userId } = await buy(world, { paywall: world.paywall, key: world.key })
  await spend(userId, -99)
  await world.stripe.end(world.stripe.subscriptions.at(-1)?.id ?? '')
  await world.stripe.drainWebhooks()
  expect(await balances(userId)).toMatchObject({ standard: 10 })
})

test('a trial credits its own tokens, each paid period the price’s, and a one-time purchase its tokens once', async () => {
  const tokens = [
    { type: 'standard', count: 7 },
    { type: 'premium', count: 2 },
  ]
  const withTrial = [
    { type: 'standard', count: 100 },
    { type: 'premium', count: 9, trial_count: 4 },
  ]
  const once = {
    slug: 'once',
    label: 'Once',
    currency: 'USD',
    amount: 5,
    processorPrice: 'price_once',
    access: true,
    tokens,
  }
  const shop = tenant(
    await paywallFile({ paywall: { prices: [monthly({ trial_days: 3, tokens: withTrial }), yearly(), once] } }),
  )
  await world.apply(shop.file)

  const trial = await buy(world, shop)
  await world.stripe.drainWebhooks()
  expect(await balances(trial.userId, shop), 'and the top-up of the day').toEqual({ standard: 10, premium: 4 })
  for (const { id } of world.stripe.events.slice(-3)) await world.stripe.resend(id)
  expect(await balances(trial.userId, shop)).toEqual({ standard: 10, premium: 4 })
  await renew(world.stripe.subscriptions.at(-1)?.id ?? '')
  expect(await balances(trial.userId, shop)).toEqual({ standard: 110, premium: 13 })

  const oneTime = await buy(world, { ...shop, slug: 'once' })
  await world.stripe.drainWebhooks()
  for (const { id } of world.stripe.events.slice(-3)) await world.stripe.resend(id)
  expect(await balances(oneTime.userId, shop)).toEqual({ standard: 7, premium: 2 })
})

test('balances belong to a paywall: another one does not have them', async () => {
  const other = tenant(await paywallFile({ paywall: { settings: {}, prices: [monthly({ tokens: [] })] } }))
  await world.apply(other.file)
  const email = newEmail()
  const { userId: bought } = await buy(world, { paywall: world.paywall, key: world.key, email })
  const { userId } = parseOpened(
    await startCheckout(world, { ...other, body: { email, priceId: getPriceId(other.paywall, 'monthly') } }),
  )
  expect((await userState(world, userId, { paywallId: other.paywall.id, key: other.key })).balances).toEqual([])
  expect(await balances(bought)).toMatchObject({ standard: 100 })
})

test("tokens credited before the user's next visit are added to what it had", async () => {
  const { id, email } = await signIn(world)
  expect(await balances(id)).toMatchObject({ standard: 10 })
  const checkout = parseOpened(await startCheckout(world, { paywall: world.paywall, key: world.key, body: { email } }))
  await payAndReturn(world, checkout.checkoutUrl)
  expect(await balances(id)).toMatchObject({ standard: 110 })
})
