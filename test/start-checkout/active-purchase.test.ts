import { expect, test } from 'vitest'
import { call } from '../support/call.ts'
import { buy, getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { monthly, paywallFile } from '../support/paywall-file.ts'
import { at, newTenant, person, type Tenant, tenant, useTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const once = { slug: 'once', label: 'Once', currency: 'JPY', amount: 3000, processorPrice: 'price_once' }
const tip = { ...once, slug: 'tip', processorPrice: 'price_tip' }

const world = useTestWorld({ file: { paywall: { prices: [monthly(), once, tip] } } })
const ours = useTenant(world)

const activePurchase = { status: 409, body: { error: 'active_purchase', hasActivePurchase: true } }

/** Calls start-checkout as the owner. */
function startAsOwner(email: string, slug: string, body: object = {}, { paywall, key }: Tenant = ours) {
  return startCheckout(world, { paywall, key, body: { email, priceId: getPriceId(paywall, slug), ...body } })
}

/** Calls start-checkout as the user. */
const startAsUser = (token: string, slug: string, { paywall }: Tenant = ours) =>
  startCheckout(world, { paywall, token, body: { priceId: getPriceId(paywall, slug) } })

test('an active subscription blocks every price, for owner and user, unless ignoreActivePurchase is set', async () => {
  const { email, token } = await person(world, ours)
  await buy(world, { ...ours, email })
  for (const slug of ['monthly', 'once']) {
    expect(await startAsOwner(email, slug)).toMatchObject(activePurchase)
    expect(await startAsOwner(email, slug, { ignoreActivePurchase: false })).toMatchObject(activePurchase)
    expect(await startAsUser(token, slug)).toMatchObject(activePurchase)
    expect(await startAsOwner(email, slug, { ignoreActivePurchase: true })).toMatchObject({ status: 200 })
  }
})

test('a one-time purchase blocks the same price and no other, unless ignoreActivePurchase is set', async () => {
  const { email, token } = await person(world, ours)
  await buy(world, { ...ours, email, slug: 'once' })
  const { body } = await call(world, at(ours, 'bootstrap'), { token })
  expect(body).toMatchObject({ user: { has_active_subscription: false, paid: true } })
  expect(await startAsOwner(email, 'once')).toMatchObject(activePurchase)
  expect(await startAsUser(token, 'once')).toMatchObject(activePurchase)

  await payAndReturn(world, parseOpened(await startAsOwner(email, 'once', { ignoreActivePurchase: true })).checkoutUrl)
  for (const slug of ['tip', 'monthly']) {
    expect(await startAsOwner(email, slug)).toMatchObject({ status: 200 })
    expect(await startAsUser(token, slug)).toMatchObject({ status: 200 })
  }
})

test('an edited price counts as the same price; a refunded one can be bought again', async () => {
  const shop = await newTenant(world, { prices: [once] })
  const email = newEmail()
  const { userId } = await buy(world, { ...shop, email, slug: 'once' })

  const { id, processor } = shop.paywall
  const keys = [{ name: 'backend', secret: shop.key }]
  const paywall = { id, processor, prices: [{ ...once, amount: 4000 }] }
  const edited = tenant(await paywallFile({ owner: shop.file.owner, keys, paywall }))
  await world.apply(edited.file)
  expect(getPriceId(edited.paywall, 'once')).not.toBe(getPriceId(shop.paywall, 'once'))
  expect(await startAsOwner(email, 'once', {}, edited)).toMatchObject(activePurchase)

  const { rows } = await world.database.query('select processor_id from purchases where user_id = $1', [userId])
  await world.stripe.refund(rows[0].processor_id)
  await world.stripe.drainWebhooks()
  expect(await startAsOwner(email, 'once', {}, edited)).toMatchObject({ status: 200 })
})

test('a purchase on another paywall blocks nothing', async () => {
  const other = await newTenant(world, { prices: [monthly(), once] })
  const email = newEmail()
  await buy(world, { ...other, email, slug: 'once' })
  await buy(world, { ...other, email })
  const { token } = await person(world, ours, email)
  for (const slug of ['monthly', 'once']) {
    expect(await startAsOwner(email, slug)).toMatchObject({ status: 200 })
    expect(await startAsUser(token, slug)).toMatchObject({ status: 200 })
  }
})
