import { expect, test } from 'vitest'
import { asNewRequest } from '../../bench/statements/capture.ts'

const [USER, KEY] = ['0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e', 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6']

test('a captured request is sent again as a new one: its own ids are made anew, the same in all its statements', () => {
  const sample = {
    statements: [
      { query: 'select claim($1, $2)', params: [USER, KEY] },
      { query: 'select record($1, $2)', params: [`{"key":"${KEY}"}`, 7] },
    ],
    fresh: new Set([KEY]),
  }
  const [claim, record] = asNewRequest(sample)
  const made = String(claim?.params[1])
  expect(made).toMatch(/^[0-9a-f-]{36}$/)
  expect(made).not.toBe(KEY)
  expect(claim).toEqual({ query: 'select claim($1, $2)', params: [USER, made] })
  expect(record).toEqual({ query: 'select record($1, $2)', params: [`{"key":"${made}"}`, 7] })
  expect(asNewRequest(sample)[0]?.params[1]).not.toBe(made)
})

test('the time of a captured request is now when it is sent again: what was fetched then would be stale', () => {
  const [before, PERIOD_END] = ['2026-11-01 09:30:00.123456+00', '2026-12-01 09:30:00+00']
  const sample = {
    statements: [{ query: 'select store($1, $2)', params: [before, `{"ends":"${PERIOD_END}"}`] }],
    fresh: new Set([before]),
  }
  const startedAt = Date.now()
  const [store] = asNewRequest(sample)
  expect(Date.parse(String(store?.params[0]))).toBeGreaterThanOrEqual(startedAt)
  expect(store?.params[1]).toBe(`{"ends":"${PERIOD_END}"}`)
})
