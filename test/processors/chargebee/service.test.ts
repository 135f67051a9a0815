import { beforeAll, describe, expect, test } from 'vitest'
import { EMULATORS } from '../../../dev/emulators/emulators.ts'
import {
  advancePastPeriodEnd,
  type Buyer,
  buy,
  cancelThroughApi,
  causeAtProcessor,
  getProcessorId,
  newEvents,
  open,
  readState,
  readTokens,
} from '../../conformance/buyer.ts'
import { paymentEvents, refundsInLedger, spend } from '../../conformance/money.ts'
import { paywallAt, type Shop, shopAt } from '../../conformance/shop.ts'
import { heldWebhooks, sendWebhook, webhooksSince } from '../../conformance/webhook.ts'
import { moveAccount } from '../../support/passing-time.ts'
import { cancel } from '../../support/subscriber.ts'
import { useTestWorld } from '../../support/world.ts'

// What is specific to Chargebee, through the public API. What all processors have in common is in test/conformance.

/** Two paywalls of one site. */
let shop: Shop
let sister: Shop

const processor = { acquiring: 'chargebee', credentials: EMULATORS.chargebee.demoCredentials() }
const paywalls = [1, 2].map(() => ({ ...paywallAt('chargebee'), processor }))
const world = useTestWorld({ file: { paywalls } })
beforeAll(async () => {
  const [first, second] = world.file.paywalls
  shop = shopAt(world, first!, second!)
  sister = shopAt(world, second!, first!)
})

/** How many rows are stored, and how many calls Chargebee got. */
async function readCounts() {
  const { rows } = await world.database.query(`select
    (select count(*)::int from processor_events) as processor_events, (select count(*)::int from purchases) as purchases,
    (select count(*)::int from payments) as payments, (select count(*)::int from events) as events`)
  return { ...rows[0], calls: world.chargebee.calls.length }
}

/** Sends an event with this content. */
let sent = 0
function sendEvent(type: string, content: object) {
  const id = `ev_${++sent}`
  const body = JSON.stringify({ id, event_type: type, occurred_at: Math.floor(Date.now() / 1000), content })
  return sendWebhook(shop, { id, body, at: new Date() })
}

describe('an invoice whose id has slashes, dots and hashes', () => {
  test('is not a subscription, so it cannot be cancelled', async () => {
    const buyer = await buy(shop, 'lifetime')
    const invoiceId = await getProcessorId(buyer)
    expect(invoiceId).toMatch(/^ACME\/2026\.#/)
    const missing = { status: 404, body: { error: 'Subscription not found' } }
    expect(await cancelThroughApi(buyer)).toMatchObject(missing)
    const body = { paywallId: shop.paywall.id, userId: buyer.userId, cancellationReason: 'too expensive' }
    expect(await cancel(world, { key: shop.key, body: { ...body, subscriptionId: invoiceId } })).toMatchObject(missing)
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  })

  test.each([false, true])(
    'is found by reconcile while its debit is processing and after that (fail: %s)',
    async (fail) => {
      const buyer = await open(shop, 'lifetime')
      const getPayment = () => String(world.chargebee.payments.at(-1)?.id)
      await heldWebhooks(shop, () => world.chargebee.payLater(String(buyer.checkoutUrl.split('/').at(-1))))
      await moveAccount(world, 16)
      await world.workers.scheduled('reconcile')
      expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'pending' }] })
      await heldWebhooks(shop, () => world.chargebee.resolvePayment(getPayment(), { fail }))
      await moveAccount(world, 25 * 60)
      await world.workers.scheduled('reconcile')
      expect(await readState(buyer)).toMatchObject({
        paid: !fail,
        purchases: [{ status: fail ? 'canceled' : 'active' }],
      })
    },
  )

  test('can be reversed by the bank, whose event names only the payment', async () => {
    const buyer = await buy(shop, 'lifetime')
    expect(await causeAtProcessor(buyer, () => dispute(buyer))).toEqual([
      'payment.dispute_lost 4900',
      'payment.disputed 4900',
    ])
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [{ status: 'refunded' }] })
  })

  test('is active again if it is paid after the bank has reversed its payment', async () => {
    const buyer = await buy(shop, 'lifetime')
    await causeAtProcessor(buyer, () => dispute(buyer))
    expect(await causeAtProcessor(buyer, () => collectAgain(buyer))).toEqual(['payment.succeeded 4900'])
    expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
    expect((await paymentEvents(buyer)).at(-1)).toMatchObject({ refunded_amount: 4900, refunded: false })
  })
})

/** The payer's bank reverses the latest payment, on a site that then removes it from the invoice. */
const dispute = async (buyer: Buyer) => world.chargebee.dispute(await getPayment(buyer))

/** The site charges again for what the bank has reversed. */
const collectAgain = async (buyer: Buyer) => world.chargebee.collectAgain(await getPayment(buyer))

async function getPayment(buyer: Buyer): Promise<string> {
  const id = await getProcessorId(buyer)
  const payments = [...world.chargebee.records.payments.values()]
  // The id of a one-time invoice ends with that of its payment.
  return String(payments.find((each) => each.subscription === id || id.endsWith(each.id))?.id)
}

test('a subscription whose payment is reversed is past due until the seller wins', async () => {
  const buyer = await buy(shop)
  const { id } = await dispute(buyer)
  expect(await newEvents(buyer)).toEqual(['payment.dispute_lost 999', 'payment.disputed 999', 'subscription.past_due'])
  expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'past_due' }] })
  await world.chargebee.closeDispute(id, { won: true })
  expect(await newEvents(buyer)).toEqual(['payment.dispute_won 999', 'subscription.updated'])
  expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
})

test('a payment after a reversal restores the tokens that the reversal removed, each time', async () => {
  const buyer = await buy(shop)
  await spend(buyer, 30)
  await causeAtProcessor(buyer, () => dispute(buyer))
  expect(await readTokens(buyer)).toBe(0)
  expect(await causeAtProcessor(buyer, () => collectAgain(buyer))).toEqual([
    'payment.succeeded 999',
    'subscription.updated',
  ])
  expect(await readState(buyer)).toMatchObject({ paid: true, purchases: [{ status: 'active' }] })
  expect((await paymentEvents(buyer)).at(-1)).toMatchObject({ refunded_amount: 999, refunded: false })
  await advancePastPeriodEnd(buyer)
  await causeAtProcessor(buyer, () => dispute(buyer))
  expect((await paymentEvents(buyer)).at(-1)).toMatchObject({ refunded_amount: 1998, refunded: true })
  await causeAtProcessor(buyer, () => collectAgain(buyer))
  expect(await refundsInLedger(buyer)).toEqual([-70, 70, -100, 100])
})

test('an invoice paid in two parts keeps its tokens while one of the payments stays', async () => {
  const buyer = await buy(shop)
  const [paid] = await paymentEvents(buyer)
  const invoice = { id: paid?.processor_id, subscription_id: await getProcessorId(buyer) }
  const part = { id: 'txn_part', type: 'payment', status: 'success', amount: 200, currency_code: 'USD' }
  await sendEvent('payment_succeeded', { transaction: { ...part, subscription_id: invoice.subscription_id }, invoice })
  await causeAtProcessor(buyer, shop.account.refund)
  expect((await paymentEvents(buyer)).at(-1)).toMatchObject({ id: paid?.id, refunded_amount: 999, refunded: false })
  expect(await readTokens(buyer)).toBe(100)
})

test('paywalls that share a site get each other’s webhooks, and store only their own purchases', async () => {
  const reported = webhooksSince(shop)
  const [mine, theirs] = [await buy(shop), await buy(sister)]
  await causeAtProcessor(mine, shop.account.renew)
  const before = await readCounts()
  const statuses = await Promise.all(reported().map(({ id }) => world.chargebee.resend(id)))
  expect(new Set(statuses.flat())).toEqual(new Set([200]))
  const { processor_events, purchases, payments, events } = await readCounts()
  expect({ ...before, processor_events, purchases, payments, events }).toEqual(before)
  for (const buyer of [mine, theirs]) {
    expect((await readState(buyer)).purchases).toHaveLength(1)
    expect(await newEvents(buyer)).toEqual([])
  }
})

describe('webhooks of other sales on the site are accepted, and cause no calls', () => {
  const payment = { id: 'txn_1', type: 'payment', status: 'success', amount: 999, currency_code: 'USD' }
  const invoice = { id: 'INV 2026/7', customer_id: 'c', status: 'paid', currency_code: 'USD', total: 999 }
  test.each([
    ['a subscription', 'subscription_created', { subscription: { id: 'ACME GmbH/Company GmbH' } }],
    ['a subscription in an unknown status', 'subscription_changed', { subscription: { id: 'A', status: 'frozen' } }],
    ['an invoice', 'invoice_updated', { invoice: { ...invoice, po_number: 'PO 4711' } }],
    ['an invoice in an unknown status', 'invoice_updated', { invoice: { ...invoice, status: 'disputed' } }],
    ['a payment', 'payment_succeeded', { transaction: payment, invoice }],
    ['a payment in an unknown status', 'payment_failed', { transaction: { ...payment, status: 'late' }, invoice }],
    ['a payment for several invoices', 'payment_succeeded', { transaction: payment }],
    ['a refund', 'payment_refunded', { transaction: { ...payment, type: 'refund' }, invoice, credit_note: {} }],
    ['a transaction of an unknown type', 'transaction_created', { transaction: { ...payment, type: 'gift' } }],
    ['a customer', 'customer_created', { customer: { id: 'c' } }],
    ['no object', 'pending_invoice_created', {}],
  ])('%s', async (_, type, content) => {
    const before = await readCounts()
    expect(await sendEvent(type, content)).toMatchObject({ status: 200, body: { received: true } })
    expect(await readCounts()).toEqual(before)
  })
})
