import { expect, test } from 'vitest'
import { asNewRequest } from '../../bench/statements/capture.ts'

const [USER, KEY] = ['0b6c0f4e-6c4f-4e0a-9d0f-0c8a1b2c3d4e', 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6']

test('a replayed request gets new ids of its own, the same in all its statements', () => {
  const sample = {
    statements: [
      { query: 'select claim($1, $2)', params: [USER, KEY] },
      { query: 'select record($1, $2)', params: [`{"key":"${KEY}"}`, 7] },
    ],
    fresh: new Set([KEY]),
  }
  const [claim, record] = asNewRequest(sample)
  const newId = String(claim?.params[1])
  expect(newId).toMatch(/^[0-9a-f-]{36}$/)
  expect(newId).not.toBe(KEY)
  expect(claim).toEqual({ query: 'select claim($1, $2)', params: [USER, newId] })
  expect(record).toEqual({ query: 'select record($1, $2)', params: [`{"key":"${newId}"}`, 7] })
  expect(asNewRequest(sample)[0]?.params[1]).not.toBe(newId)
})

test('a replayed request gets the current time, because data fetched at the captured time would be stale', () => {
  const [CAPTURED_AT, PERIOD_END] = ['2026-11-01 09:30:00.123456+00', '2026-12-01 09:30:00+00']
  const sample = {
    statements: [{ query: 'select store($1, $2)', params: [CAPTURED_AT, `{"ends":"${PERIOD_END}"}`] }],
    fresh: new Set([CAPTURED_AT]),
  }
  const startedAt = Date.now()
  const [store] = asNewRequest(sample)
  expect(Date.parse(String(store?.params[0]))).toBeGreaterThanOrEqual(startedAt)
  expect(store?.params[1]).toBe(`{"ends":"${PERIOD_END}"}`)
})
