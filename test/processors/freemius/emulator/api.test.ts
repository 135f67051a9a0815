import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listAccounts } from '../../../../dev/emulators/freemius/accounts.ts'
import { startFreemiusEmulator } from '../../../../dev/emulators/freemius/emulator.ts'
import { ACME, ADA, buy, OTHER, PRICES, press, readLink, sdk, startFreemius } from './fixture.ts'

const PLAN_PATH = { product_id: 7001, plan_id: 501 }

test('returns a user with licences, subscriptions and payments to the official SDK', async () => {
  const { emulator, freemius } = await startFreemius()
  const { license, subscription, user } = await buy(freemius, emulator)
  const { api, purchase } = freemius
  expect(await api.user.retrieve(user)).toMatchObject({ id: user, email: ADA })
  expect(await api.user.retrieveByEmail('ADA@example.com')).toMatchObject({ id: user })
  expect(await api.user.retrieveMany()).toMatchObject([{ id: user }])
  expect(await api.user.retrieveLicenses(user)).toEqual([await api.license.retrieve(license)])
  expect(await api.user.retrieveSubscriptions(user)).toMatchObject([{ id: subscription, discounts: [] }])
  expect(await api.subscription.retrieve(subscription)).toEqual(await api.license.retrieveSubscription(license))
  const [payment] = await api.user.retrievePayments(user)
  expect(payment).toMatchObject({ gross: 9.99, currency: 'usd', type: 'payment', license_id: license })
  expect(await api.payment.retrieve(payment?.id ?? '')).toEqual(payment)
  expect(await purchase.retrieveSubscriptionsByEmail(ADA)).toMatchObject([{ licenseId: license }])
})

test('returns the PDF of a payment of a user to the official SDK', async () => {
  const { emulator, freemius } = await startFreemius()
  const { user } = await buy(freemius, emulator)
  const [payment] = await freemius.api.user.retrievePayments(user)
  const id = payment?.id ?? ''
  const pdf = await freemius.api.user.retrieveInvoice(user, id)
  expect(pdf?.type).toBe('application/pdf')
  const text = (await pdf?.text()) ?? ''
  expect(text).toContain('$9.99')
  expect(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1]))).toMatch(/^xref/)
  expect(await freemius.api.user.retrieveInvoice(user, '404')).toBeNull()
  expect(await freemius.api.user.retrieveInvoice('404', id)).toBeNull()
})

test('returns the plans and pricings of the paywall file to the official SDK', async () => {
  const { freemius } = await startFreemius()
  const api = freemius.api.__unstable_ApiClient
  const pricing = (plan_id: number, pricing_id: number) =>
    api.GET('/products/{product_id}/plans/{plan_id}/pricing/{pricing_id}.json', {
      params: { path: { product_id: 7001, plan_id, pricing_id } },
    })
  const { data } = await pricing(501, 601)
  expect(data).toMatchObject({ currency: 'usd', monthly_price: 9.99, annual_price: 99, lifetime_price: 199 })
  expect((await pricing(501, 602)).data).toMatchObject({ currency: 'eur', monthly_price: 8.99, annual_price: null })
  expect((await pricing(501, 999)).response.status).toBe(404)
  const plan = (path: typeof PLAN_PATH) => api.GET('/products/{product_id}/plans/{plan_id}.json', { params: { path } })
  expect((await plan(PLAN_PATH)).data).toMatchObject({ id: '501', trial_period: null })
  expect((await plan({ ...PLAN_PATH, plan_id: 502 })).data).toMatchObject({ trial_period: 7 })
  expect((await plan({ ...PLAN_PATH, plan_id: 9 })).response.status).toBe(404)
})

test('cancels a subscription at once and keeps the licence; cancelling again changes nothing', async () => {
  const { emulator, freemius } = await startFreemius()
  const { license, subscription } = await buy(freemius, emulator)
  const before = await freemius.api.license.retrieve(license)
  const cancelled = await freemius.api.subscription.cancel(subscription, 'too dear', [15])
  expect(cancelled).toMatchObject({ next_payment: null, canceled_at: expect.stringMatching(/^\d{4}-\d\d-\d\d /) })
  expect(await freemius.api.subscription.cancel(subscription, 'again')).toEqual(cancelled)
  expect(await freemius.api.license.retrieve(license)).toEqual(before)
  const { data } = emulator.events.find(({ type }) => type === 'subscription.cancelled') ?? {}
  expect(data).toMatchObject({
    subscription_id: subscription,
    license_id: license,
    reason: 'too dear',
    reason_ids: ['15'],
  })
})

test('ends a trial at once when it is cancelled', async () => {
  const { emulator, freemius } = await startFreemius()
  const { license } = await buy(freemius, emulator, { price: PRICES.trial })
  const path = { product_id: 7001, license_id: Number(license) }
  const route = '/products/{product_id}/licenses/{license_id}/subscription.json'
  const { data } = await freemius.api.__unstable_ApiClient.DELETE(route, { params: { path } })
  const ended = await freemius.api.license.retrieve(license)
  expect(ended?.expiration).toBe(data?.canceled_at)
  expect(await freemius.api.license.retrieveSubscription(license)).toMatchObject({ next_payment: null })
})

test('renews, and charges again one, three and five days after a failure', async () => {
  const { emulator, freemius } = await startFreemius()
  const { license, subscription, user } = await buy(freemius, emulator)
  const pass = (days: number) => emulator.moveTo('1001', emulator.currentTime('1001') + days * 86_400)
  await pass(31)
  expect(await freemius.api.user.retrievePayments(user)).toMatchObject([{ is_renewal: true }, { is_renewal: false }])
  await emulator.declineCharges(user)
  const read = () => freemius.api.subscription.retrieve(subscription)
  const due = Date.parse(`${(await read())?.next_payment}Z`) / 1000
  for (const [failures, days] of [0, 1, 4, 9].entries()) {
    const at = due + days * 86_400
    await emulator.moveTo('1001', at - 1)
    expect(await read()).toMatchObject({ failed_payments: failures, canceled_at: null })
    await emulator.moveTo('1001', at)
    expect(await read()).toMatchObject({ failed_payments: failures + 1, outstanding_balance: 9.99 })
    const { expiration } = (await freemius.api.license.retrieve(license)) ?? {}
    expect(Date.parse(`${expiration}Z`)).toBeLessThanOrEqual(at * 1000)
  }
  expect(await read()).toMatchObject({ failed_payments: 4, next_payment: null, canceled_at: expect.any(String) })
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ is_cancelled: true })
  expect(await freemius.api.user.retrievePayments(user)).toHaveLength(2)
})

test('records full and partial refunds as payments', async () => {
  const { emulator, freemius } = await startFreemius()
  const { user } = await buy(freemius, emulator)
  const [payment] = await freemius.api.user.retrievePayments(user)
  const id = payment?.id ?? ''
  await emulator.refund(id, 100)
  await expect(emulator.refund(id, 900)).rejects.toThrow(/Only 899 cents/)
  const rest = await emulator.refund(id)
  const dispute = await emulator.dispute(id)
  await expect(emulator.dispute(id)).rejects.toThrow(/already disputed/)
  await emulator.closeDispute(dispute.id, { won: true })
  expect(await freemius.api.user.retrievePayments(user)).toMatchObject([
    { type: 'won_dispute', bound_payment_id: id },
    { id: rest.id, type: 'refund', gross: -8.99, bound_payment_id: null },
    { type: 'refund', gross: -1, bound_payment_id: null },
    // It refers to the later of the two refunds.
    { type: 'payment', gross: 9.99, bound_payment_id: rest.id },
  ])
})

test('returns lists in pages, with only the requested fields', async () => {
  const { emulator, freemius } = await startFreemius()
  emulator.manySubscriptions = true
  const { user } = await buy(freemius, emulator)
  await buy(freemius, emulator, { price: PRICES.annual })
  await buy(freemius, emulator, { price: PRICES.lifetime })
  const ids = (await freemius.api.user.retrieveLicenses(user)).map(({ id }) => id)
  expect(ids).toHaveLength(3)
  const page = await freemius.api.user.retrieveLicenses(user, {}, { count: 2, offset: 1 })
  expect(page.map(({ id }) => id)).toEqual(ids.slice(1))
  const few = await freemius.api.user.retrieveLicenses(user, { fields: 'id,plan_id' })
  expect(few[0]).toEqual({ id: ids[0], plan_id: '501' })
  const path = `${emulator.url}/v1/products/7001/users.json?count=51`
  expect((await fetch(path, { headers: { Authorization: `Bearer ${ACME.apiKey}` } })).status).toBe(400)
})

test('opens the portal by user id or e-mail address, for five minutes', async () => {
  const { emulator, freemius } = await startFreemius()
  const { user, subscription } = await buy(freemius, emulator)
  const opened = await freemius.api.user.retrieveHostedCustomerPortal(user)
  const link = opened?.link ?? ''
  expect(link).toBe(`${emulator.url}/portal/${opened?.token}`)
  expect(await freemius.api.user.retrieveHostedCustomerPortalByEmail(ADA)).toMatchObject({ link: expect.any(String) })
  expect(await freemius.api.user.retrieveHostedCustomerPortalByEmail('eve@example.com')).toBeNull()
  expect(await freemius.api.user.retrieveHostedCustomerPortal('404')).toBeNull()
  expect((await press(link, 'cancel')).status).toBe(303)
  expect((await press(link, 'cancel')).status).toBe(409)
  expect((await press(link, 'undo')).status).toBe(400)
  expect(await freemius.api.subscription.retrieve(subscription)).toMatchObject({ canceled_at: expect.any(String) })
  await emulator.moveTo('1001', emulator.currentTime('1001') + 301)
  expect((await fetch(link)).status).toBe(404)
})

test('refuses a missing argument, a wrong key, and unknown objects', async () => {
  const { emulator } = await startFreemius({ accounts: [ACME, OTHER] })
  const request = async (path: string, apiKey: string | null = ACME.apiKey, init: RequestInit = {}) => {
    const headers = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }
    const answer = await fetch(`${emulator.url}/v1/products/${path}`, { ...init, headers })
    return [answer.status, await answer.json()]
  }
  const error = (status: number, code: string) => [status, { error: { http: status, code } }]
  expect(await request('7001/users.json', null)).toMatchObject(error(401, 'unauthorized_access'))
  expect(await request('7001/users.json', OTHER.apiKey)).toMatchObject(error(401, 'unauthorized_access'))
  expect(await request('9999/users.json')).toMatchObject(error(401, 'unauthorized_access'))
  expect(await request('7001/licenses/404.json')).toMatchObject(error(404, 'license_not_found'))
  expect(await request('7001/users/404.json')).toMatchObject(error(404, 'user_not_found'))
  expect(await request('7001/nothing.json')).toMatchObject(error(404, 'resource_not_found'))
  expect(await request('7001/licenses/404')).toMatchObject(error(404, 'resource_not_found'))
  const login = { method: 'POST', body: '{}' }
  expect(await request('7001/portal/login.json', ACME.apiKey, login)).toMatchObject(error(402, 'argument_missing'))
})

test("does not show one product another's objects", async () => {
  const { emulator, freemius } = await startFreemius({ accounts: [ACME, OTHER] })
  const { license, subscription, user } = await buy(freemius, emulator)
  const foreign = sdk(emulator, OTHER)
  expect(await foreign.api.license.retrieve(license)).toBeNull()
  expect(await foreign.api.subscription.cancel(subscription)).toBeNull()
  expect(await foreign.api.user.retrievePayments(user)).toEqual([])
  expect((await buy(foreign, emulator)).license).not.toBe(license)
})

test('a licence outlives its subscriptions, until the owner deletes it', async () => {
  const { emulator, freemius } = await startFreemius()
  const { license, subscription } = await buy(freemius, emulator)
  const { id } = await emulator.replaceSubscription(subscription)
  expect(await freemius.api.license.retrieveSubscription(license)).toMatchObject({ id, canceled_at: null })
  expect(await freemius.api.subscription.retrieve(subscription)).toMatchObject({ canceled_at: expect.any(String) })
  await expect(emulator.replaceSubscription(subscription)).rejects.toThrow(/is cancelled/)
  await emulator.cancelLicense(license)
  expect(await freemius.api.license.retrieve(license)).toMatchObject({ is_cancelled: true })
  await expect(emulator.cancelLicense(license)).rejects.toThrow(/is cancelled/)
  await emulator.deleteLicense(license)
  expect(await freemius.api.license.retrieve(license)).toBeNull()
  expect(await freemius.api.license.retrieveSubscription(license)).toBeNull()
})

test('keeps purchases in its state file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'freemius-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const options = {
    port: 0,
    accounts: () => [ACME],
    serviceUrl: () => 'http://127.0.0.1:9',
    statePath: join(folder, 's'),
  }
  const first = await startFreemiusEmulator(options)
  const { license } = await buy(sdk(first), first)
  const before = await sdk(first).api.license.retrieve(license)
  await first.close()
  const second = await startFreemiusEmulator(options)
  onTestFinished(() => second.close())
  expect(await sdk(second).api.license.retrieve(license)).toEqual(before)
  expect((await fetch(await readLink(sdk(second), second))).status).toBe(200)
})

test('reads its products from the paywall files', () => {
  const credentials = { productId: '7001', publicKey: 'pk_acme', secretKey: ACME.secretKey, apiKey: ACME.apiKey }
  const local = { currency: 'EUR', amount: 899, processor_price: '501:602' }
  const sold = { label: 'Monthly', interval: 'month', interval_count: 1, trial_days: 3, locals: [local] }
  const price = { ...sold, currency: 'USD', amount: 999, processor_price: '501:601' }
  const paywall = { id: '1001', name: 'Acme Pro', prices: [price], discounts: [] }
  const files = [{ paywalls: [{ ...paywall, processor: { acquiring: 'freemius', credentials } }] }]
  const others = [{ paywalls: [{ ...paywall, processor: { acquiring: 'stripe', credentials: {} } }] }]
  const read = (written: object[]) => listAccounts(written as Parameters<typeof listAccounts>[0], () => 'https://x.y')
  expect(read(others)).toEqual([])
  expect(read(files)).toEqual([
    {
      paywallId: '1001',
      paywallName: 'Acme Pro',
      returnUrl: 'https://x.y/return/freemius/1001',
      ...credentials,
      prices: [
        { ...PRICES.monthly, trialDays: 3 },
        { ...PRICES.monthly, id: '501:602', currency: 'EUR', amount: 899, trialDays: 3 },
      ],
    },
  ])
})
