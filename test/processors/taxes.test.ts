import { expect, test } from 'vitest'
import { includedTax } from '../../lib/processors/taxes.ts'

test.each([
  [1199, { total: 1199, tax: 200 }, 200],
  [1199, { total: 1199, tax: 0 }, 0],
  [1199, { total: 1199, tax: undefined }, undefined],
  // A part of the total, which has a part of the tax.
  [1000, { total: 1199, tax: 200 }, undefined],
  [1000, { total: 1199, tax: 0 }, 0],
  // No part of the payment.
  [1199, { total: 1199, tax: 1200 }, undefined],
  [1199, { total: 1199, tax: -1 }, undefined],
])('the tax in %d of %j is %j', (paid, invoice, tax) => {
  expect(includedTax(paid, invoice)).toBe(tax)
})
