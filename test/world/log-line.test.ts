import { expect, test } from 'vitest'
import { formatLogEntry, parseLogLine } from '../../dev/world/log-line.ts'

const print = (level: string, line: object) => {
  const entry = parseLogLine(level, JSON.stringify({ level, ...line }))
  return entry && formatLogEntry(entry)
}

test('a warning is printed with its cause and the ids that it names, whatever other fields it has', () => {
  const line = { message: 'not delivered', type: 'payment.succeeded', event_id: 'e1', endpoint_id: 'w1', status: 503 }
  expect(print('warn', { ...line, cause: { message: 'answered 503' } })).toBe(
    '[warn] not delivered: answered 503 (event_id e1, endpoint_id w1)',
  )
})

test('a refusal is printed with its route and ids; an answered request is not', () => {
  const line = { message: 'request', method: 'POST', route: '/debit', status: 402, user_id: 'u1', milliseconds: 3 }
  expect(print('info', { ...line, refusal: 'insufficient_tokens' })).toBe(
    'POST /debit was refused: 402 insufficient_tokens (user_id u1)',
  )
  expect(print('info', { ...line, refusal: 'invalid_offer', reason: 'ended' })).toBe(
    'POST /debit was refused: 402 invalid_offer (ended) (user_id u1)',
  )
  expect(print('info', { ...line, status: 200 })).toBeNull()
})
