import { describe, expect, test } from 'vitest'
import { Payment, Subscription } from '../../../lib/processors/mollie/objects.ts'
import { decideSale } from '../../../lib/processors/mollie/translate.ts'

const IDS = { checkout_id: '10964006-8267-4c06-a65d-2588c2529d3c', paywall_id: '1001', user_id: 'user_1' }
const PRICE = { currency: 'EUR', value: '9.99' }
const SALE = { ...IDS, interval: 'month' as const, interval_count: 1, trial_days: 0, renewal: PRICE, quantity: 1 }
const at = (day: string, hour = '04') => `${day}T${hour}:00:00+00:00`
const NOW = new Date(at('2027-01-05'))

const FIRST = {
  id: 'tr_1',
  status: 'paid',
  sequenceType: 'first',
  description: 'Acme Pro',
  amount: PRICE,
  metadata: SALE,
  customerId: 'cst_1',
  mandateId: 'mdt_1',
  createdAt: at('2026-11-23', '09'),
  paidAt: at('2026-11-23', '10'),
  _links: {},
}
/** A renewal's payment. */
const charge = (id: string, day: string, more: object = {}) => ({
  ...FIRST,
  id,
  sequenceType: 'recurring',
  metadata: { ...IDS, first_payment: 'tr_1' },
  createdAt: at(day),
  paidAt: at(day),
  ...more,
})
const SUBSCRIPTION = {
  id: 'sub_1',
  customerId: 'cst_1',
  status: 'active',
  amount: PRICE,
  interval: '1 month',
  startDate: '2026-12-24',
  metadata: { ...IDS, first_payment: 'tr_1' },
  createdAt: at('2026-11-23', '11'),
}
const chargeback = (more: object = {}) => ({
  id: 'chb_1',
  amount: PRICE,
  createdAt: at('2027-01-02'),
  reversedAt: null,
  ...more,
})
const refund = (id: string, status: string, value: string) => ({
  id,
  status,
  amount: { currency: 'EUR', value },
  createdAt: at('2027-01-02'),
})

function decide({
  first = {},
  sale = {},
  subscription = {},
  charges = [] as object[],
  differences = [] as object[],
} = {}) {
  return decideSale(
    {
      isPage: false,
      payment: Payment.parse({ ...FIRST, ...first }),
      sale: { ...SALE, ...sale },
      subscriptions: [Subscription.parse({ ...SUBSCRIPTION, ...subscription })],
      charges: charges.map((each) => Payment.parse(each)),
      differences: differences.map((each) => Payment.parse(each)),
    },
    NOW,
  )
}

const getFacts = (decision: ReturnType<typeof decide>) =>
  decision.payments?.map(({ kind, id, paymentId, amount }) => `${kind} ${id} of ${paymentId}: ${amount}`)

const CHARGED_BACK = charge('tr_2', '2026-12-24', {
  amountChargedBack: PRICE,
  _embedded: { chargebacks: [chargeback()] },
})

describe('a renewal that is charged back after it was settled', () => {
  test('has failed, and stays paid at Mollie', () => {
    const decision = decide({ charges: [CHARGED_BACK] })
    expect(decision.found?.purchase).toMatchObject({ status: 'past_due', periodCovered: false })
    expect(getFacts(decision)).toEqual([
      'succeeded tr_1 of tr_1: 999',
      'succeeded tr_2 of tr_2: 999',
      'disputed chb_1 of tr_2: 999',
      'dispute_lost chb_1 of tr_2: 999',
      'failed tr_2 of tr_2: 999',
    ])
  })

  test('in part has not failed', () => {
    const part = { currency: 'EUR', value: '5.00' }
    const charges = [
      charge('tr_2', '2026-12-24', {
        amountChargedBack: part,
        _embedded: { chargebacks: [chargeback({ amount: part })] },
      }),
    ]
    expect(decide({ charges }).found?.purchase).toMatchObject({ status: 'active', periodCovered: true })
  })

  test('no longer counts as failed once the chargeback is reversed', () => {
    const reversed = chargeback({ reversedAt: at('2027-01-04') })
    const decision = decide({ charges: [charge('tr_2', '2026-12-24', { _embedded: { chargebacks: [reversed] } })] })
    expect(decision.found?.purchase).toMatchObject({ status: 'active', periodCovered: true })
    expect(getFacts(decision)?.slice(2)).toEqual([
      'disputed chb_1 of tr_2: 999',
      'dispute_lost chb_1 of tr_2: 999',
      'dispute_won chb_1 of tr_2: 999',
    ])
  })

  test('no longer matters once the next renewal is paid', () => {
    const { found } = decide({ charges: [charge('tr_3', '2027-01-24'), CHARGED_BACK] })
    expect(found?.purchase.status).toBe('active')
  })

  test('does not extend the period of a cancelled subscription', () => {
    const { found } = decide({
      charges: [CHARGED_BACK],
      subscription: { status: 'canceled', canceledAt: at('2027-01-04') },
    })
    expect(found?.purchase).toMatchObject({ status: 'canceled', cancelAt: new Date('2026-12-24T00:00:00Z') })
  })
})

test('a refund has its own id and the payment’s, with any outcome', () => {
  const refunds = [
    refund('re_1', 'refunded', '4.00'),
    refund('re_2', 'failed', '1.00'),
    refund('re_3', 'queued', '1.00'),
  ]
  expect(getFacts(decide({ first: { _embedded: { refunds } } }))).toEqual([
    'succeeded tr_1 of tr_1: 999',
    'refunded re_1 of tr_1: 400',
    'refund_failed re_2 of tr_1: 100',
  ])
})

test('the newest of many charges are reported, and older ones with a refund', () => {
  const days = Array.from({ length: 40 }, (_, number) => new Date(Date.UTC(2026, 11, 24 + number)).toISOString())
  const charges = days.map((day, number) =>
    charge(
      `tr_c${number}`,
      day.slice(0, 10),
      number === 0 ? { _embedded: { refunds: [refund('re_1', 'refunded', '1.00')] } } : {},
    ),
  )
  const facts = getFacts(decide({ charges: charges.toReversed() }))
  expect(facts?.slice(0, 3)).toEqual([
    'succeeded tr_1 of tr_1: 999',
    'succeeded tr_c0 of tr_c0: 999',
    'refunded re_1 of tr_c0: 100',
  ])
  expect(facts).toHaveLength(15)
})

describe('the purchase', () => {
  const started = { processorPrice: null, startedAt: new Date(at('2026-11-23', '10')), versions: {} }

  test('has its start and what was charged then, and the day of the next charge', () => {
    expect(decide({ subscription: { nextPaymentDate: '2026-12-24' } }).found?.purchase).toMatchObject({
      ...started,
      charged: 999,
      priceCovered: true,
      currentPeriodEnd: new Date('2026-12-24T00:00:00Z'),
    })
  })

  test('is on trial until it is charged', () => {
    const free = { amount: { currency: 'EUR', value: '0.00' } }
    const trial = { sale: { trial_days: 7 }, first: free }
    expect(decide(trial).found?.purchase).toMatchObject({ status: 'trialing', charged: 0, priceCovered: true })
    const pending = charge('tr_2', '2026-12-24', { status: 'pending', paidAt: null })
    expect(decide({ ...trial, charges: [pending] }).found?.purchase).toMatchObject({ status: 'trialing' })
    expect(decide({ ...trial, charges: [charge('tr_2', '2026-12-24')] }).found?.purchase).toMatchObject({
      status: 'active',
    })
  })

  test.each([
    [
      'an amount',
      { amount: { currency: 'EUR', value: '19.99' } },
      { unitAmount: 1999, interval: 'month', intervalCount: 1 },
    ],
    ['an interval', { interval: '12 months' }, { interval: 'year', intervalCount: 1 }],
    ['an interval of weeks', { interval: '2 weeks' }, { interval: 'week', intervalCount: 2 }],
  ])('follows a change of %s by the seller at Mollie', (_, subscription, terms) => {
    expect(decide({ subscription }).found?.purchase).toMatchObject({ ...started, ...terms })
  })

  test('has a new amount covered once it is charged', () => {
    const more = { currency: 'EUR', value: '19.99' }
    const subscription = { amount: more }
    expect(decide({ subscription, charges: [charge('tr_2', '2026-12-24')] }).found?.purchase.priceCovered).toBe(false)
    const paid = [charge('tr_2', '2026-12-24', { amount: more })]
    expect(decide({ subscription, charges: paid }).found?.purchase.priceCovered).toBe(true)
  })
})
