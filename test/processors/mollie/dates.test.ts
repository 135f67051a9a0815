import { describe, expect, test } from 'vitest'
import { amsterdamDate, chargeAfter, dateText, firstChargeDate } from '../../../lib/processors/mollie/dates.ts'
import { FirstSale, Payment } from '../../../lib/processors/mollie/objects.ts'

type Unit = 'day' | 'week' | 'month' | 'year'

/** The first charge after a payment at this time. */
function firstCharge(paidAt: string, interval: Unit, { count = 1, trial = 0 } = {}): string {
  const ids = { checkout_id: crypto.randomUUID(), paywall_id: '1', user_id: '2' }
  const amount = { currency: 'EUR', value: '9.00' }
  const payment = { id: 'tr_1', status: 'paid', sequenceType: 'first', description: 'Monthly', amount, _links: {} }
  const sale = { ...ids, interval, interval_count: count, trial_days: trial, renewal: amount }
  return dateText(firstChargeDate(Payment.parse({ ...payment, createdAt: paidAt, paidAt }), FirstSale.parse(sale)))
}

describe('the first charge is on the first day after the paid or trial period', () => {
  test.each<[string, Unit, { count?: number; trial?: number }, string]>([
    ['2026-11-21T15:00:00Z', 'month', {}, '2026-12-22'],
    ['2026-11-21T23:30:00Z', 'month', {}, '2026-12-23'], // in Amsterdam that is the 22nd
    ['2027-01-31T12:00:00Z', 'month', {}, '2027-03-01'],
    ['2028-02-29T12:00:00Z', 'year', {}, '2029-03-01'],
    ['2026-11-30T12:00:00Z', 'month', { count: 3 }, '2027-03-01'],
    ['2026-11-21T15:00:00Z', 'week', { count: 2 }, '2026-12-06'],
    ['2027-01-10T23:50:00Z', 'day', {}, '2027-01-13'], // begun on the 11th there, and paid until the 12th
    ['2027-01-10T12:00:00Z', 'month', { trial: 1 }, '2027-01-12'],
    ['2027-01-10T12:00:00Z', 'month', { trial: 730 }, '2029-01-10'],
  ])('paid at %s for a %s %j: %s', (paidAt, interval, terms, expected) => {
    expect(firstCharge(paidAt, interval, terms)).toBe(expected)
  })
})

describe('the next charge', () => {
  test.each<[string, Unit, number, string, string]>([
    ['2026-12-22', 'month', 1, '2026-12-22', '2027-01-22'],
    ['2026-12-22', 'month', 1, '2032-01-22', '2032-02-22'],
    ['2026-12-22', 'month', 3, '2027-03-22', '2027-06-22'],
    ['2026-12-22', 'year', 1, '2027-12-22', '2028-12-22'],
    ['2026-12-22', 'week', 1, '2026-12-29', '2027-01-05'],
    ['2026-12-22', 'day', 1, '2026-12-23', '2026-12-24'],
    ['2026-12-22', 'day', 10, '2027-01-01', '2027-01-11'],
    // From last day to last day, as Mollie's documentation has it.
    ['2027-02-28', 'month', 1, '2027-03-31', '2027-04-30'],
    ['2027-04-30', 'month', 1, '2027-04-30', '2027-05-31'],
    ['2027-01-29', 'month', 1, '2027-02-28', '2027-03-29'],
    // A day late, or early, is the same charge.
    ['2026-12-22', 'month', 1, '2027-01-23', '2027-02-22'],
    ['2026-12-22', 'month', 1, '2027-01-21', '2027-02-22'],
  ])('from %s every %s × %i, charged on %s: %s', (startDate, interval, intervalCount, date, expected) => {
    const schedule = { startDate: new Date(startDate), interval, intervalCount }
    expect(dateText(chargeAfter(schedule, new Date(date)))).toBe(expected)
  })
})

test.each([
  ['2026-12-22T22:59:59Z', '2026-12-22'],
  ['2026-12-22T23:00:00Z', '2026-12-23'],
  ['2026-07-22T22:00:00Z', '2026-07-23'],
])('at %s it is %s in Amsterdam', (time, date) => {
  expect(dateText(amsterdamDate(new Date(time)))).toBe(date)
})
