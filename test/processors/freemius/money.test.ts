import { describe, expect, test } from 'vitest'
import { toFacts } from '../../../lib/processors/freemius/money.ts'
import { License, Payment } from '../../../lib/processors/freemius/objects.ts'
import { toSnapshot } from '../../../lib/processors/freemius/translate.ts'

/*
 * Objects of real sandbox events, of September 2026, as a public project has kept them for its tests (BillingWebhookTest.kt of
 * "geostrategy": events 1417312989, 1417313124, 1417313125). Of the refund's own payment it kept the id, the license, the type
 * and the amount; the rest is that of the original.
 */
const SOLD = {
  subscription_id: '827085',
  payment_presentment_id: null,
  gross: 9,
  bound_payment_id: '2131050',
  gateway_fee: 0.76,
  vat: 1.8,
  is_renewal: false,
  type: 'payment',
  user_id: '10453125',
  install_id: null,
  plan_id: '67740',
  pricing_id: '89463',
  license_id: '2043610',
  country_code: 'at',
  zip_postal_code: '12345',
  vat_id: null,
  coupon_id: null,
  source: 0,
  plugin_id: '39459',
  gateway: 'stripe',
  environment: 1,
  id: '2131047',
  created: '2026-09-14 13:50:19',
  updated: '2026-09-14 13:51:02',
  currency: 'usd',
}
const REFUND = {
  ...SOLD,
  id: '2131050',
  type: 'refund',
  gross: -9,
  vat: -1.8,
  bound_payment_id: null,
  created: '2026-09-14 13:51:02',
}
const REAL_LICENSE = {
  plugin_id: '39459',
  user_id: '10453125',
  plan_id: '67740',
  pricing_id: '89463',
  quota: 1,
  activated: 0,
  activated_local: 0,
  expiration: '2026-10-15 13:50:16',
  is_free_localhost: true,
  is_block_features: true,
  is_cancelled: false,
  is_whitelabeled: false,
  environment: 1,
  source: 0,
  id: '2043610',
  created: '2026-09-14 13:50:18',
  updated: '2026-09-15 06:16:29',
}

const facts = (...payments: object[]) =>
  toFacts({ payments: payments.map((payment) => Payment.parse(payment)), subscriptions: [], lifetimePrice: null }).map(
    ({ kind, id, paymentId, amount }) => `${kind} ${id} of ${paymentId}: ${amount}`,
  )

describe('the money', () => {
  const sold = 'succeeded 2131047 of 2131047: 1080'

  test('of a real refund is reported once, with its own id and amount, and the id of the refunded payment', () => {
    expect(facts(SOLD, REFUND)).toEqual([sold, 'refunded 2131050 of 2131047: 1080'])
  })

  test('of two partial refunds is reported separately', () => {
    const part = { ...REFUND, gross: -4, vat: -0.8 }
    const more = { ...part, id: '2131099', gross: -5, vat: -1, created: '2026-09-15 09:00:00' }
    expect(facts(SOLD, part, more)).toEqual([
      sold,
      'refunded 2131050 of 2131047: 480',
      'refunded 2131099 of 2131047: 600',
    ])
  })

  test.each([
    ['open', ['disputed'], ['disputed 7 of 2131047: 1080']],
    ['lost', ['lost_dispute'], ['disputed 7 of 2131047: 1080', 'dispute_lost 7 of 2131047: 1080']],
    ['won', ['won_dispute'], ['disputed 7 of 2131047: 1080', 'dispute_won 7 of 2131047: 1080']],
    ['charged back', ['chargeback'], ['disputed 7 of 2131047: 1080', 'dispute_lost 7 of 2131047: 1080']],
    [
      'reported by a payment for each step',
      ['disputed', 'lost_dispute'],
      ['disputed 7 of 2131047: 1080', 'dispute_lost 7 of 2131047: 1080'],
    ],
  ])('of a dispute that is %s has one id', (_, types, expected) => {
    const disputes = types.map((type, index) => ({ ...REFUND, id: String(7 + index), type }))
    expect(facts({ ...SOLD, bound_payment_id: '7' }, ...disputes)).toEqual([sold, ...expected])
  })

  test('of a payment of zero is not reported', () => {
    expect(facts({ ...SOLD, gross: 0, vat: 0 })).toEqual([])
  })
})

test('a real refund of a lifetime licence ends it', () => {
  const license = License.parse({ ...REAL_LICENSE, expiration: null })
  const payments = [SOLD, REFUND].map((payment) => Payment.parse(payment))
  const now = new Date('2026-09-20T12:00:00Z')
  const nothing = { subscription: null, subscriptions: [], lifetimePrice: null, email: null }
  expect(toSnapshot({ ...nothing, license, payments }, now)?.status).toBe('refunded')
})
