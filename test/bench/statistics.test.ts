import { expect, test } from 'vitest'
import { percentile, ratios, spread } from '../../bench/statistics.ts'

test('the median of an even number of values is the mean of the two in the middle', () => {
  expect(spread([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 })
  expect(spread([9, 1, 5, 7])).toEqual({ median: 6, min: 1, max: 9 })
})

test('a percentile is one of the measured values, and the 100th is the largest', () => {
  const sorted = Array.from({ length: 200 }, (_, index) => index + 1)
  expect([percentile(sorted, 0.5), percentile(sorted, 0.99), percentile(sorted, 1)]).toEqual([101, 199, 200])
  expect(() => percentile([], 0.5)).toThrow('no values')
})

test('ratios are computed for each round, so that a slow phase of the machine cancels out', () => {
  expect(ratios([200, 20, 100], [100, 10, 50])).toEqual({ median: 2, min: 2, max: 2 })
})
