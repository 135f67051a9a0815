import { describe, expect, test } from 'vitest'
import { License, Payment, Subscription } from '../../../lib/processors/freemius/objects.ts'
import { type Observed, toCancellation, toSnapshot } from '../../../lib/processors/freemius/translate.ts'

/*
 * `toSnapshot` on objects as Freemius documents them: the field names, and the values where there are examples, are those of
 * the OpenAPI document from which the official SDK's types are generated.
 */

const LICENSE = {
  id: '123456',
  created: '2025-01-01 00:00:00',
  updated: '2025-01-01 00:00:00',
  plugin_id: '123456',
  user_id: '123456',
  plan_id: '123456',
  pricing_id: '123456',
  quota: 10,
  activated: 1,
  activated_local: 1,
  expiration: '2025-12-31 23:59:59',
  secret_key: 'sk_123FGqM456Pa786WtOp%^+67Y+;sXXz',
  is_free_localhost: true,
  is_block_features: true,
  is_cancelled: false,
  is_whitelabeled: false,
  environment: 0,
  source: 0,
}

/** The fields that both of the following have. */
const COMMON = {
  user_id: '123456',
  install_id: '123456',
  plan_id: '123456',
  pricing_id: '123456',
  license_id: '123456',
  ip: '0.0.0.0',
  country_code: 'us',
  zip_postal_code: '92710',
  vat_id: 'GB12345678',
  coupon_id: '123456',
  user_card_id: '12345',
  source: 0,
  plugin_id: '123456',
  external_id: 'abcde12345',
  gateway: 'stripe',
  environment: 0,
  id: '123456',
  created: '2025-01-01 00:00:00',
  updated: '2025-01-01 00:00:00',
  currency: 'usd',
}

const SUBSCRIPTION = {
  ...COMMON,
  tax_rate: 1.0,
  total_gross: 1.21,
  amount_per_cycle: 1.0,
  initial_amount: 1.0,
  renewal_amount: 1.0,
  renewals_discount: 1,
  renewals_discount_type: 'percentage',
  billing_cycle: 12,
  outstanding_balance: 0,
  failed_payments: 0,
  trial_ends: null,
  next_payment: '2026-01-01 00:00:00',
  canceled_at: null,
}

const PAYMENT = {
  ...COMMON,
  refund_reason: null,
  subscription_id: '123456',
  gross: 2075.45,
  gateway_fee: 2.99,
  bound_payment_id: null,
  vat: 1.24,
  is_renewal: false,
  type: 'payment',
}

const NOW = new Date('2025-06-15T12:00:00Z')
const at = (text: string) => new Date(`${text.replace(' ', 'T')}Z`)

function observed(license: object, subscription: object | null, payments: object[] = [{}]): Observed {
  const first = subscription && Subscription.parse({ ...SUBSCRIPTION, ...subscription })
  return {
    license: License.parse({ ...LICENSE, ...license }),
    subscription: first,
    subscriptions: first ? [first] : [],
    lifetimePrice: null,
    email: 'jane@example.com',
    payments: payments.map((payment) => Payment.parse({ ...PAYMENT, ...payment })),
  }
}

const snapshot = (license: object, subscription: object | null, payments?: object[]) =>
  toSnapshot(observed(license, subscription, payments), NOW)

test('the documented example is an active annual purchase', () => {
  expect(snapshot({}, {})).toEqual({
    processorId: '123456',
    checkoutId: null,
    processorPrice: '123456:123456',
    quantity: 1,
    customer: '123456',
    soldAs: { processorPrice: '123456:123456', interval: 'year' },
    startedAt: at('2025-01-01 00:00:00'),
    charged: 207669,
    priceCovered: true,
    changedInPeriod: false,
    scheduledChange: null,
    versions: {},
    buyerEmail: 'jane@example.com',
    status: 'active',
    begun: true,
    periodCovered: true,
    interval: 'year',
    intervalCount: 1,
    unitAmount: 100,
    currency: 'USD',
    currentPeriodStart: at('2025-01-01 00:00:00'),
    currentPeriodEnd: at('2025-12-31 23:59:59'),
    trialStart: null,
    trialEnd: null,
    cancelAtPeriodEnd: false,
    cancelAt: null,
    canceledAt: null,
  })
})

test('a trial whose plan was changed since has cost nothing at first, and its page sold the first plan', () => {
  const first = Subscription.parse({ ...SUBSCRIPTION, pricing_id: '654321', trial_ends: '2025-01-08 00:00:00' })
  expect(toSnapshot({ ...observed({}, {}), subscriptions: [first] }, NOW)).toMatchObject({
    charged: 0,
    soldAs: { processorPrice: '123456:654321', interval: 'year' },
    processorPrice: '123456:123456',
  })
})

test('a licence without a subscription is a lifetime purchase at the amount of its payment', () => {
  expect(snapshot({ expiration: null }, null)).toMatchObject({ status: 'active', interval: null, unitAmount: 207545 })
})

test('a licence without a subscription and without a payment was not bought', () => {
  expect(snapshot({}, null, [])).toBeNull()
  expect(snapshot({}, null, [{ type: 'refund', gross: -1 }])).toBeNull()
})

const PAST = { expiration: '2025-06-01 00:00:00' }
const ENDED = { canceled_at: '2025-03-01 00:00:00', next_payment: null }
const TRIAL = { trial_ends: '2025-06-20 00:00:00', next_payment: '2025-06-20 00:00:00' }

describe('the status', () => {
  test.each<[string, object, object, object[], string]>([
    ['of a trial', {}, TRIAL, [], 'trialing'],
    ['of a trial that is cancelled', {}, { ...TRIAL, canceled_at: '2025-06-10 00:00:00' }, [], 'canceled'],
    [
      'of a trial that is over and not charged yet',
      PAST,
      { ...TRIAL, trial_ends: '2025-06-14 00:00:00' },
      [],
      'active',
    ],
    ['after a cancellation', {}, ENDED, [{}], 'active'],
    ['after a cancellation, once the licence has expired', PAST, ENDED, [{}], 'canceled'],
    ['of a licence that is cancelled', { is_cancelled: true }, {}, [{}], 'canceled'],
    ['while a renewal is under way', PAST, {}, [{}], 'active'],
    ['after a failure', PAST, { failed_payments: 1 }, [{}], 'past_due'],
    [
      'after a failure, with an outstanding balance',
      {},
      { failed_payments: 1, outstanding_balance: 1 },
      [{}],
      'past_due',
    ],
    ['after a recovery, if the count of failures is not reset', {}, { failed_payments: 3 }, [{}], 'active'],
    ['before the first payment', PAST, { next_payment: '2025-01-01 12:00:00' }, [], 'pending'],
    ['with a full discount', {}, { initial_amount: 0, next_payment: '2025-01-01 12:00:00' }, [], 'active'],
    ['before the first payment is in the list', {}, {}, [], 'active'],
    ['of a first payment that never came', PAST, ENDED, [], 'canceled'],
  ])('%s', (_, license, subscription, payments, status) => {
    expect(snapshot(license, subscription, payments)?.status).toBe(status)
  })

  test.each<[string, object[], string]>([
    ['is refunded', [{ id: '2', type: 'refund', gross: -2075.45, bound_payment_id: '123456' }], 'refunded'],
    ['is refunded in part', [{ id: '2', type: 'refund', gross: -75.45, bound_payment_id: '123456' }], 'active'],
    [
      'is refunded with a positive amount',
      [{ id: '2', type: 'refund', gross: 2075.45, bound_payment_id: '123456' }],
      'refunded',
    ],
    ['has another payment refunded', [{ id: '2', type: 'refund', gross: -2075.45, bound_payment_id: '77' }], 'active'],
    ['is disputed', [{ id: '2', type: 'disputed', gross: -2075.45, bound_payment_id: '123456' }], 'active'],
    ['is charged back', [{ id: '2', type: 'chargeback', gross: -2075.45, bound_payment_id: '123456' }], 'refunded'],
  ])('of a lifetime licence that %s', (_, more, status) => {
    expect(snapshot({ expiration: null }, null, [{}, ...more])?.status).toBe(status)
  })
})

test('the first period begins with the subscription, whenever its payment arrives', () => {
  const unpaid = snapshot({}, {}, [])
  expect(unpaid).toMatchObject({ begun: true, currentPeriodStart: at('2025-01-01 00:00:00') })
  const { currentPeriodStart } = snapshot({}, {}, [{ created: '2025-01-01 00:00:07' }])!
  expect(currentPeriodStart).toEqual(unpaid?.currentPeriodStart)
})

test('a change of plan that falls between two reads begins no period of the old plan, and one period of the new plan', () => {
  const changed = { id: '2', subscription_id: '654321', pricing_id: '654321', created: '2025-03-01 08:00:07' }
  const before = snapshot({}, {}, [{}])
  expect(snapshot({}, {}, [{}, changed])).toMatchObject({ currentPeriodStart: before?.currentPeriodStart })

  const plan = { id: '654321', pricing_id: '654321', created: '2025-03-01 08:00:00' }
  for (const payments of [[{}], [{}, changed]]) {
    expect(snapshot({}, plan, payments)).toMatchObject({ currentPeriodStart: at('2025-03-01 08:00:00') })
  }
})

test('a period begins with its payment, and not before its trial has ended', () => {
  const renewed = snapshot({}, {}, [{}, { id: '2', created: '2025-06-01 08:00:00' }])
  expect(renewed?.currentPeriodStart).toEqual(at('2025-06-01 08:00:00'))
  const trial = { trial_ends: '2025-06-01 08:00:00' }
  const charged = snapshot({}, trial, [{ created: '2025-06-01 07:55:00' }])
  expect(charged?.currentPeriodStart).toEqual(charged?.trialEnd)
})

test('a cancellation takes effect when the licence expires', () => {
  const { license, subscription } = observed({}, ENDED)
  const end = at('2025-12-31 23:59:59')
  const canceledAt = at('2025-03-01 00:00:00')
  const reported = subscription && toCancellation(license, subscription, NOW)
  expect(reported).toEqual({ status: 'active', cancelAtPeriodEnd: true, cancelAt: end, canceledAt })
})

test('amounts are floats of major units, or strings of them', () => {
  expect(snapshot({}, { amount_per_cycle: 19.99 })?.unitAmount).toBe(1999)
  expect(snapshot({}, { amount_per_cycle: 0.1 + 0.2 })?.unitAmount).toBe(30)
  expect(snapshot({}, { amount_per_cycle: '1.1' })?.unitAmount).toBe(110)
  expect(snapshot({}, { amount_per_cycle: null, renewal_amount: 4.35 })?.unitAmount).toBe(435)
})

test.each<[string, () => unknown]>([
  ['an unknown currency', () => snapshot({}, { currency: 'jpy' })],
  ['an unknown billing cycle', () => snapshot({}, { billing_cycle: 3 })],
  ['an unknown environment', () => snapshot({ environment: 2 }, {})],
  ['a time with a zone', () => snapshot({ expiration: '2025-12-31T23:59:59Z' }, {})],
  ['an invalid date', () => snapshot({ expiration: '2025-13-31 23:59:59' }, {})],
])('%s is rejected', (_, read) => {
  expect(read).toThrow()
})

describe('a change of plan', () => {
  const other = { plan_id: '67741', pricing_id: '89500' }
  const readPrice = (license: object, subscription: object, payments: object[]) => {
    const { processorPrice, priceCovered, startedAt } = snapshot(license, subscription, payments) ?? {}
    return { processorPrice, priceCovered, startedAt }
  }
  const startedAt = at('2025-01-01 00:00:00')

  test('is not covered until it is paid', () => {
    expect(readPrice(other, other, [{}])).toEqual({ processorPrice: '67741:89500', priceCovered: false, startedAt })
  })

  test('is covered once a new subscription of the same licence is paid', () => {
    const paid = [{}, { ...other, id: '2', subscription_id: '9', created: '2025-06-01 08:00:00' }]
    expect(readPrice(other, { ...other, id: '9', created: '2025-06-01 08:00:00' }, paid)).toEqual({
      processorPrice: '67741:89500',
      priceCovered: true,
      startedAt,
    })
  })

  // A pricing has one price per billing cycle, so both subscriptions name the same one.
  test.each([
    ['is not paid yet', [{}], false],
    ['is paid', [{}, { id: '2', subscription_id: '9', created: '2025-06-01 08:00:00' }], true],
  ])('to another cycle of the same pricing, that %s', (_, paid, priceCovered) => {
    const { subscriptions, ...known } = observed({}, { billing_cycle: 1 }, paid)
    const later = Subscription.parse({ ...SUBSCRIPTION, id: '9', created: '2025-06-01 08:00:00' })
    const changed = { ...known, subscription: later, subscriptions: [...subscriptions, later] }
    expect(toSnapshot(changed, NOW)).toMatchObject({ interval: 'year', priceCovered })
  })

  test('is not detected if the buyer only pays with another card: the new subscription has the same cycle', () => {
    const { subscriptions, ...known } = observed({}, {})
    const later = Subscription.parse({ ...SUBSCRIPTION, id: '9', created: '2025-06-01 08:00:00' })
    const replaced = { ...known, subscription: later, subscriptions: [...subscriptions, later] }
    expect(toSnapshot(replaced, NOW)).toMatchObject({ priceCovered: true })
  })

  // `license.plan.changed` is sent when the owner changes the plan in the dashboard, according to the SDK's types.
  test('by the owner is covered while the subscription stays the same', () => {
    expect(readPrice(other, {}, [{}])).toEqual({ processorPrice: '67741:89500', priceCovered: true, startedAt })
  })
})

test.each<[string, object, object[], number | null]>([
  ['includes the tax', {}, [{}], 207669],
  ['is zero for a trial', TRIAL, [], 0],
  ['is zero for a trial that has been charged since', { ...TRIAL, trial_ends: '2025-06-01 00:00:00' }, [{}], 0],
  ['is zero with a full discount', { initial_amount: 0 }, [], 0],
  ['is null without a payment', {}, [], null],
  [
    'does not include the second payment',
    {},
    [{}, { id: '2', created: '2025-06-01 08:00:00', gross: 5, vat: 0 }],
    207669,
  ],
])('the first charge %s', (_, subscription, payments, charged) => {
  expect(snapshot({}, subscription, payments)?.charged).toBe(charged)
})
