import { expect, test } from 'vitest'
import { ACME, buy, OTHER, PRICES, press, readLink, sdk, startFreemius, startReceiver } from './fixture.ts'

const DAY_SECONDS = 86_400

/** An emulator that sends to a receiver, which verifies each webhook with the official SDK. */
async function start(answers: number[] = []) {
  const receiver = await startReceiver([ACME, OTHER], answers)
  const { emulator, freemius } = await startFreemius({ accounts: [ACME, OTHER], serviceUrl: receiver.url })
  const pass = (days: number) => emulator.moveTo('1001', emulator.currentTime('1001') + days * DAY_SECONDS)
  return { receiver, emulator, freemius, pass }
}

test('reports a purchase: the licence, its subscription and its payment', async () => {
  const { receiver, emulator, freemius } = await start()
  const { license, subscription, user } = await buy(freemius, emulator)
  await emulator.drainWebhooks()
  expect(receiver.types().toSorted()).toEqual(['license.created', 'payment.created', 'subscription.created'])
  const created = receiver.deliveries.find(({ event }) => event.type === 'license.created')?.event
  expect(created?.objects).toMatchObject({ license: { id: license, environment: 1 }, user: { id: user } })
  expect(created?.data).toMatchObject({ license_id: license, expiration: expect.any(String) })
  const sold = receiver.deliveries.find(({ event }) => event.type === 'subscription.created')?.event
  expect(sold?.objects).toMatchObject({ subscription: { id: subscription }, license: { id: license } })
  expect(await freemius.api.event.retrieve(created?.id ?? '')).toMatchObject({
    id: created?.id,
    objects: created?.objects,
  })
  const listed = await freemius.api.event.retrieveMany({ type: 'license.created' })
  expect(listed).toMatchObject([{ id: created?.id, state: 'processed' }])
  expect(await freemius.api.event.retrieveMany({ state: 'pending' })).toEqual([])
})

test('reports a lifetime licence without a subscription', async () => {
  const { receiver, emulator, freemius } = await start()
  await buy(freemius, emulator, { price: PRICES.lifetime })
  await emulator.drainWebhooks()
  expect(receiver.types().toSorted()).toEqual(['license.created', 'payment.created'])
})

/** The types of the events that `run` causes, in order. */
async function reported(run: (setup: Awaited<ReturnType<typeof start>>) => Promise<unknown>, price = PRICES.monthly) {
  const setup = await start()
  await buy(setup.freemius, setup.emulator, { price })
  const before = setup.emulator.events.length
  await run(setup)
  await setup.emulator.drainWebhooks()
  return setup.emulator.events.slice(before).map(({ type }) => type)
}

const getSubscription = ({ emulator }: Pick<Awaited<ReturnType<typeof start>>, 'emulator'>) =>
  emulator.subscriptions[0]?.id ?? ''
const getLicense = ({ emulator }: Pick<Awaited<ReturnType<typeof start>>, 'emulator'>) => emulator.licenses[0]?.id ?? ''
const getPayment = async ({ freemius }: Awaited<ReturnType<typeof start>>) =>
  (await freemius.api.user.retrievePayments((await freemius.api.user.retrieveMany())[0]?.id ?? ''))[0]?.id ?? ''

test('reports renewals, failed renewals, and the cancellation after the last failure', async () => {
  expect(await reported(({ pass }) => pass(31))).toEqual(['payment.created', 'license.extended'])
  expect(await reported((setup) => setup.emulator.renew(getSubscription(setup), { fail: true }))).toEqual([
    'license.expired',
    'subscription.renewal.failed',
  ])
  const failing = await reported(async ({ emulator, freemius, pass }) => {
    await emulator.declineCharges((await freemius.api.user.retrieveMany())[0]?.id ?? '')
    await pass(41)
  })
  expect(failing).toEqual([
    'license.expired',
    ...Array<string>(4).fill('subscription.renewal.failed'),
    'subscription.renewal.failed.last',
    'subscription.cancelled',
    'license.cancelled',
  ])
})

test('reports cancellations, expired licences, ending trials and replaced subscriptions', async () => {
  const cancelled = await reported(async (setup) => {
    await setup.emulator.portalCancel(getSubscription(setup))
    await setup.pass(31)
  })
  expect(cancelled).toEqual(['subscription.cancelled', 'license.expired'])
  const trial = await reported((setup) => setup.emulator.portalCancel(getSubscription(setup)), PRICES.trial)
  expect(trial).toEqual(['subscription.cancelled', 'license.expired'])
  expect(await reported(({ pass }) => pass(6), PRICES.trial)).toEqual(['license.trial_expiring_notice.sent'])
  const replaced = await reported((setup) => setup.emulator.replaceSubscription(getSubscription(setup)))
  expect(replaced).toEqual(['subscription.created', 'subscription.cancelled'])
})

test('reports licences that the owner cancels or deletes, refunds and disputes', async () => {
  const owner = await reported(async (setup) => {
    await setup.emulator.cancelLicense(getLicense(setup))
    await setup.emulator.deleteLicense(getLicense(setup))
  })
  expect(owner).toEqual(['subscription.cancelled', 'license.cancelled', 'license.deleted'])
  const money = await reported(async (setup) => {
    const payment = await getPayment(setup)
    await setup.emulator.refund(payment, 100)
    await setup.emulator.closeDispute((await setup.emulator.dispute(payment)).id)
  })
  expect(money).toEqual(['payment.created', 'payment.refund', 'payment.dispute.created', 'payment.dispute.lost'])
})

test('reports a first payment that is made later, or never', async () => {
  const { emulator, freemius, pass } = await start()
  await press(await readLink(freemius, emulator), 'later')
  await emulator.renew(getSubscription({ emulator }))
  expect(emulator.events.map(({ type }) => type)).toEqual([
    'license.created',
    'subscription.created',
    'payment.created',
    'license.extended',
  ])
  await press(await readLink(freemius, emulator, { email: 'eve@example.com' }), 'later')
  await pass(2)
  expect(emulator.events.at(-1)?.type).toBe('subscription.cancelled')
})

test('retries a refused webhook with the same bytes, and sends it to no other URL', async () => {
  const { receiver, emulator, freemius } = await start([503])
  await buy(freemius, emulator, { price: PRICES.lifetime })
  await emulator.drainWebhooks()
  expect(receiver.deliveries).toHaveLength(3)
  const [first] = receiver.deliveries
  expect(receiver.deliveries.filter(({ body }) => body === first?.body)).toHaveLength(2)
  expect(new Set(receiver.deliveries.map(({ paywallId }) => paywallId))).toEqual(new Set(['1001']))
  await buy(sdk(emulator, OTHER), emulator, { price: PRICES.lifetime })
  await emulator.drainWebhooks()
  expect(receiver.deliveries.at(-1)?.paywallId).toBe('2001')
})

test('holds events, and sends them in any order, twice or never', async () => {
  const { receiver, emulator, freemius } = await start()
  emulator.holdWebhooks()
  await buy(freemius, emulator)
  const statuses = await emulator.sendHeldWebhooks((events) => [...events.slice(1), ...events.slice(1)].reverse())
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(receiver.types()).toEqual([
    'payment.created',
    'subscription.created',
    'payment.created',
    'subscription.created',
  ])
  expect(await emulator.resend(emulator.events[0]?.id ?? '')).toEqual([200])
  expect(receiver.types().at(-1)).toBe('license.created')
})

test('a refund is reported by two events, the second with the original payment', async () => {
  const { emulator, freemius } = await startFreemius()
  const { info, user } = await buy(freemius, emulator)
  const [paid] = await freemius.api.user.retrievePayments(user)
  const before = emulator.events.length
  const refund = await emulator.refund(String(paid?.id), 300)
  const [created, refunded] = emulator.events.slice(before)
  expect(created).toMatchObject({
    type: 'payment.created',
    objects: { payment: { id: refund.id, type: 'refund', gross: -3, bound_payment_id: null } },
  })
  expect(refunded).toMatchObject({
    type: 'payment.refund',
    objects: { payment: { id: paid?.id, type: 'payment', gross: 9.99, bound_payment_id: refund.id } },
  })
  expect([created, refunded].map((event) => Object.hasOwn(event?.objects ?? {}, 'license'))).toEqual([false, false])
  expect(info.license_id).toBeTruthy()
})
