import { expect, test } from 'vitest'
import * as z from 'zod'
import { HOUR, otherPrice, PAYWALL } from '../../plan-changes-fixture.ts'
import { ACME, buy, PRICES, press, readLink, startFreemius, startReceiver } from './fixture.ts'

test('a plan change gives the licence another plan and a new subscription', async () => {
  const { url: serviceUrl } = await startReceiver()
  const { emulator, freemius } = await startFreemius({ serviceUrl })
  await emulator.setOtherPrices(PAYWALL, [otherPrice('503:605', { currency: 'USD' })])
  const { license } = await buy(freemius, emulator)
  const [old] = emulator.subscriptions
  const before = emulator.events.length
  await emulator.changePlan(String(old?.id), '503:605')
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ plan_id: '503', pricing_id: '605' })
  const subscription = await freemius.api.license.retrieveSubscription(license)
  expect(subscription).toMatchObject({ plan_id: '503', amount_per_cycle: 29.99, initial_amount: 20 })
  expect(subscription?.id).not.toBe(old?.id)
  const types = emulator.events.slice(before).map(({ type }) => type)
  expect(types).toEqual([
    'license.plan.changed',
    'license.updated',
    'subscription.created',
    'subscription.cancelled',
    'payment.created',
    'license.extended',
  ])
  expect(emulator.events[before]?.data).toMatchObject({ from_plan_id: '501', to_plan_id: '503' })
})

/** A subscription of 9.99 a month, and the query of a link to the plan of 29.99 with the licence's authorization. */
async function startUpgrade() {
  const { emulator, freemius } = await startFreemius()
  await emulator.setOtherPrices(PAYWALL, [otherPrice('503:605', { currency: 'USD' })])
  const { license, user } = await buy(freemius, emulator)
  const authorization = await freemius.api.license.retrieveCheckoutUpgradeAuthorization(license)
  const team = { ...PRICES.monthly, id: '503:605' }
  const link = (more: Record<string, string> = {}, sandbox = true) =>
    readLink(freemius, emulator, { price: team, sandbox, more })
  return {
    emulator,
    freemius,
    license,
    user,
    link,
    upgrade: { license_id: license, authorization: authorization ?? '' },
  }
}

const Link = z.object({ url: z.string().optional() })

/** Requests an upgrade link as no method of the SDK does. */
async function requestLink({ url }: { url: string }, license: string, body: object) {
  const response = await fetch(`${url}/v1/products/${ACME.productId}/licenses/${license}/checkout/link.json`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ACME.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: Link.parse(await response.json()) }
}

test('a link with the authorization of a licence changes its plan, and the SDK parses the return', async () => {
  const { emulator, freemius, license, user, link, upgrade } = await startUpgrade()
  const address = await link(upgrade)
  expect(await (await fetch(address)).text()).toContain('Due today: $20')
  const paid = await press(address, 'pay')
  expect(await freemius.checkout.processRedirect(paid.headers.get('location') ?? '')).toMatchObject({
    action: 'license_update',
    license_id: license,
    plan_id: '503',
    amount: 20,
  })
  expect(emulator.licenses).toHaveLength(1)
  expect(await freemius.api.license.retrieveSubscription(license)).toMatchObject({ plan_id: '503', canceled_at: null })
  expect(await freemius.api.user.retrievePayments(user)).toMatchObject([{ gross: 20 }, { gross: 9.99 }])
})

test('without the authorization the link sells another licence', async () => {
  const { emulator, license, link, upgrade } = await startUpgrade()
  emulator.manySubscriptions = true
  expect((await press(await link({ license_id: upgrade.license_id }), 'pay')).status).toBe(303)
  expect(emulator.licenses.map(({ plan_id }) => plan_id)).toEqual(['501', '503'])
  expect(emulator.licenses[0]?.id).toBe(license)
})

test('the authorization is for one licence, in its mode, and expires after 24 hours', async () => {
  const { emulator, link, upgrade } = await startUpgrade()
  const isOpen = async (address: string) => (await fetch(address)).status === 200
  expect(await isOpen(await link(upgrade))).toBe(true)
  expect(await isOpen(await link({ ...upgrade, license_id: '1' }))).toBe(false)
  expect(await isOpen(await link({ ...upgrade, authorization: `${upgrade.authorization}0` }))).toBe(false)
  expect(await isOpen(await link(upgrade, false))).toBe(false)
  await emulator.moveTo(PAYWALL, emulator.currentTime(PAYWALL) + 24 * HOUR)
  expect(await isOpen(await link(upgrade))).toBe(false)
})

test('a card that is declined on the page changes nothing, and the page can be paid afterwards', async () => {
  const { freemius, license, link, upgrade } = await startUpgrade()
  const address = await link(upgrade)
  expect(await (await press(address, 'decline')).text()).toContain('Your card was declined')
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ plan_id: '501' })
  expect((await press(address, 'pay')).status).toBe(303)
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ plan_id: '503' })
})

test('the rest of the last payment is credited, so a change after a prorated one credits less', async () => {
  const { freemius, user, link, upgrade } = await startUpgrade()
  const amounts = async () => (await freemius.api.user.retrievePayments(user)).map(({ gross }) => gross)
  await press(await link(upgrade), 'pay')
  await press(await link(upgrade), 'pay')
  expect(await amounts()).toEqual([9.99, 20, 9.99])
  await press(await link({ ...upgrade, plan_id: '501', pricing_id: '601' }), 'pay')
  expect(await amounts()).toEqual([9.99, 20, 9.99])
  await press(await link(upgrade), 'pay')
  expect(await amounts()).toEqual([29.99, 9.99, 20, 9.99])
})

test('a change on trial ends it and charges the whole price', async () => {
  const { emulator, freemius } = await startFreemius()
  await emulator.setOtherPrices(PAYWALL, [otherPrice('503:605', { currency: 'USD' })])
  const { license, user } = await buy(freemius, emulator, { price: PRICES.trial })
  const [old] = emulator.subscriptions
  await emulator.changePlan(String(old?.id), '503:605')
  expect(await freemius.api.license.retrieveSubscription(license)).toMatchObject({ trial_ends: null, plan_id: '503' })
  expect(await freemius.api.user.retrievePayments(user)).toMatchObject([{ gross: 29.99 }])
})

test('a link for the payment method keeps the plan, with a new subscription', async () => {
  const { emulator, freemius, license } = await startUpgrade()
  const { body } = await requestLink(emulator, license, { is_payment_method_update: true })
  const before = await freemius.api.license.retrieveSubscription(license)
  const { ctx, token } = await freemius.checkout.getSandboxParams()
  expect((await press(`${body.url}&s_ctx_ts=${ctx}&sandbox=${token}`, 'pay')).status).toBe(303)
  const after = await freemius.api.license.retrieveSubscription(license)
  expect(after).toMatchObject({ plan_id: '501', next_payment: before?.next_payment })
  expect(after?.id).not.toBe(before?.id)
})

test('a link is refused for an unknown plan, and for a licence without a subscription', async () => {
  const { emulator, freemius, license } = await startUpgrade()
  expect(await requestLink(emulator, license, { plan_id: '999' })).toMatchObject({ status: 404 })
  const lifetime = await buy(freemius, emulator, { price: PRICES.lifetime, email: 'eve@example.com' })
  expect(await requestLink(emulator, lifetime.license, {})).toMatchObject({ status: 400 })
})
