import { expect, test } from 'vitest'
import { Payment, Subscription } from '../../../lib/processors/mollie/objects.ts'
import { decideSale } from '../../../lib/processors/mollie/translate.ts'

/*
 * `decideSale` on objects as Mollie has sent them, from the tests of its own clients. Metadata is ours, since nothing else is a sale of
 * ours, and a first payment is added before the clients' examples.
 *
 *   mollie-api-php: tests/Fixtures/Responses/chargeback-list.json and subscription.json
 *   mollie-api-python: tests/responses/customer_subscription_payments_list.json, chargeback_single.json and refund_single.json
 */

const NOW = new Date('2022-01-10T12:00:00Z')
const IDS = { checkout_id: '10964006-8267-4c06-a65d-2588c2529d3c', paywall_id: '1001', user_id: 'user_1' }
const EUR = (value: string) => ({ value, currency: 'EUR' })
const SALE = {
  ...IDS,
  interval: 'month' as const,
  interval_count: 3,
  trial_days: 0,
  renewal: EUR('25.00'),
  quantity: 1,
}

/** A card payment that was charged back, in test mode. */
const CHARGED_BACK = {
  resource: 'payment',
  id: 'tr_HdQrGb6N3r',
  mode: 'test',
  createdAt: '2022-01-03T13:27:35+00:00',
  amount: EUR('10.00'),
  description: 'This is the description of the payment',
  method: 'creditcard',
  metadata: IDS,
  status: 'paid',
  paidAt: '2022-01-03T13:28:10+00:00',
  amountRefunded: EUR('0.00'),
  amountRemaining: EUR('10.00'),
  amountChargedBack: EUR('10.00'),
  locale: 'en_US',
  countryCode: 'NL',
  profileId: 'pfl_85dxyKqNHa',
  sequenceType: 'oneoff',
  redirectUrl: 'https://example.com/landing_page',
  settlementAmount: EUR('10.00'),
  details: { cardNumber: '6787', cardHolder: 'T. TEST', cardLabel: 'Mastercard', feeRegion: 'other' },
  _links: {
    self: { href: '...', type: 'application/hal+json' },
    // There is no link to refunds, of which there are none.
    chargebacks: {
      href: 'https://api.mollie.com/v2/payments/tr_HdQrGb6N3r/chargebacks',
      type: 'application/hal+json',
    },
  },
  _embedded: {
    chargebacks: [
      {
        resource: 'chargeback',
        id: 'chb_xg7414',
        amount: EUR('10.00'),
        createdAt: '2022-01-03T13:28:13+00:00',
        paymentId: 'tr_HdQrGb6N3r',
        settlementAmount: EUR('-10.00'),
      },
    ],
  },
}

const SUBSCRIPTION = {
  resource: 'subscription',
  id: 'sub_rVKGtNd6s3',
  mode: 'live',
  amount: EUR('25.00'),
  times: 4,
  timesRemaining: 4,
  interval: '3 months',
  startDate: '2023-06-01',
  nextPaymentDate: '2023-09-01',
  description: 'Quarterly payment',
  method: null,
  status: 'active',
  webhookUrl: 'https://webshop.example.org/payments/webhook',
  customerId: 'cst_stTC2WHAuS',
  mandateId: 'mdt_38HS4fsS',
  createdAt: '2023-04-06T13:10:19.0Z',
  metadata: { ...IDS, first_payment: 'tr_first' },
  _links: {},
}

const FIRST = {
  id: 'tr_first',
  status: 'paid',
  sequenceType: 'first',
  description: 'Quarterly payment',
  amount: EUR('25.00'),
  createdAt: '2023-03-01T10:00:00.0Z',
  paidAt: '2023-03-01T10:01:00.0Z',
  customerId: 'cst_stTC2WHAuS',
  metadata: SALE,
  _links: {},
}

/** A direct debit that the bank is processing. */
const PENDING = {
  resource: 'payment',
  id: 'tr_DtKxVP2AgW',
  mode: 'live',
  createdAt: '2023-06-01T04:00:00+00:00',
  amount: EUR('25.00'),
  description: 'Some subscription 19 sep. 2018',
  method: 'directdebit',
  metadata: null,
  status: 'pending',
  isCancelable: true,
  locale: 'nl_NL',
  customerId: 'cst_8wmqcHMN4x',
  mandateId: 'mdt_aGQNkteF6w',
  subscriptionId: 'sub_rVKGtNd6s3',
  sequenceType: 'recurring',
  redirectUrl: null,
  webhookUrl: 'https://example.org/webhook',
  settlementAmount: EUR('25.00'),
  details: { transferReference: 'SD67-6850-2204-6029', consumerName: 'Customer A', dueDate: '2018-09-21' },
  _links: { self: { href: '...', type: 'application/hal+json' }, checkout: null },
}

const facts = ({ payments }: ReturnType<typeof decideSale>) =>
  payments?.map(({ kind, id, paymentId, amount }) => `${kind} ${id} of ${paymentId}: ${amount}`)

const once = (payment: object) =>
  decideSale(
    { isPage: false, payment: Payment.parse(payment), sale: null, subscriptions: [], charges: [], differences: [] },
    NOW,
  )

const quarterly = (charge: object) =>
  decideSale(
    {
      isPage: false,
      payment: Payment.parse(FIRST),
      sale: SALE,
      subscriptions: [Subscription.parse(SUBSCRIPTION)],
      charges: [Payment.parse(charge)],
      differences: [],
    },
    new Date('2023-06-03T12:00:00Z'),
  )

test('a real chargeback makes a one-time purchase refunded', () => {
  const decision = once(CHARGED_BACK)
  expect(decision.found?.purchase).toMatchObject({
    status: 'refunded',
    unitAmount: 1000,
    currency: 'EUR',
    charged: 1000,
  })
  expect(facts(decision)).toEqual([
    'succeeded tr_HdQrGb6N3r of tr_HdQrGb6N3r: 1000',
    'disputed chb_xg7414 of tr_HdQrGb6N3r: 1000',
    'dispute_lost chb_xg7414 of tr_HdQrGb6N3r: 1000',
  ])
})

test('a documented chargeback that is reversed is won', () => {
  const chargeback = {
    resource: 'chargeback',
    id: 'chb_n9z0tp',
    amount: { currency: 'USD', value: '43.38' },
    settlementAmount: EUR('-35.07'),
    createdAt: '2018-03-14T17:00:52.0Z',
    reversedAt: '2018-03-14T17:00:55.0Z',
    paymentId: 'tr_7UhSN1zuXS',
  }
  const { amountChargedBack: _, ...paid } = CHARGED_BACK
  const decision = once({ ...paid, _embedded: { chargebacks: [chargeback] } })
  expect(decision.found?.purchase.status).toBe('active')
  expect(facts(decision)?.at(-1)).toBe('dispute_won chb_n9z0tp of tr_HdQrGb6N3r: 4338')
})

test('a documented refund that is pending is not reported yet', () => {
  const refund = {
    resource: 'refund',
    id: 're_4qqhO89gsT',
    amount: EUR('5.95'),
    settlementAmount: EUR('10.00'),
    status: 'pending',
    createdAt: '2018-03-14T17:09:02.0Z',
    description: 'Order',
    paymentId: 'tr_7UhSN1zuXS',
  }
  const { amountChargedBack: _, _embedded, ...paid } = CHARGED_BACK
  expect(facts(once({ ...paid, _embedded: { refunds: [refund] } }))).toHaveLength(1)
})

test('a documented subscription with a direct debit under way renews, and is not covered yet', () => {
  const { found, todo } = quarterly(PENDING)
  expect(found?.purchase).toMatchObject({
    status: 'active',
    periodCovered: false,
    interval: 'month',
    intervalCount: 3,
    unitAmount: 2500,
    startedAt: new Date('2023-03-01T10:01:00Z'),
    currentPeriodEnd: new Date('2023-09-01T00:00:00Z'),
  })
  expect(todo).toBeNull()
})

test('a documented direct debit that is paid and then charged back makes the subscription past due', () => {
  const paid = { ...PENDING, status: 'paid', paidAt: '2023-06-02T08:00:00+00:00' }
  expect(quarterly(paid).found?.purchase).toMatchObject({ status: 'active', periodCovered: true })
  const { found } = quarterly({ ...paid, amountChargedBack: EUR('25.00') })
  expect(found?.purchase).toMatchObject({ status: 'past_due', periodCovered: false })
})
