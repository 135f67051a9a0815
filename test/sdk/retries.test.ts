import { createServer, type Server } from 'node:http'
import { Paywall, PaywallError } from 'paywall-billing-sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { close, listen } from '../../dev/emulators/core/listen.ts'

/** How the service answers one call; null: it cuts the connection. */
type Scripted = { status: number; body?: unknown; headers?: Record<string, string> } | 'cut' | 'stall'

let server: Server
let paywall: Paywall
let answers: Scripted[]
let calls: { path: string; key: string | undefined; body: string }[]

beforeEach(async () => {
  answers = []
  calls = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    calls.push({ path: request.url ?? '', key: request.headers['idempotency-key'] as string | undefined, body })
    const answer = answers.shift() ?? { status: 200, body: { success: true, count: 1, purchases: [], balances: [] } }
    if (answer === 'stall') return
    if (answer === 'cut') return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...answer.headers })
    response.end(JSON.stringify(answer.body ?? { error: 'internal_error' }))
  })
  const baseUrl = await listen(server, 0)
  paywall = new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl, timeout: 300 })
})
afterEach(() => close(server))

const read = () => paywall.user({ email: 'ann@example.com' })
const debit = () => paywall.debit({ email: 'ann@example.com' }, 'standard', 1)
const portal = () => paywall.portal({ email: 'ann@example.com' })
const failed = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: PaywallError) => error,
  )

describe('tries again', () => {
  test.each<[string, Scripted]>([
    ['a connection that was cut', 'cut'],
    ['an answer that does not come', 'stall'],
    ['a 502', { status: 502 }],
    ['a 503', { status: 503 }],
  ])('what reads, or has a key, after %s', async (_, answer) => {
    answers = [answer]
    await read()
    answers = [answer]
    await debit()
    expect(calls).toHaveLength(4)
    expect(calls[2]?.key).toMatch(/^[\da-f-]{36}$/)
    expect(calls[3]).toEqual(calls[2])
  })

  test('anything that may be repeated, as the service says', async () => {
    answers = [
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 429, headers: { 'retry-after': '0' } },
    ]
    answers.push({ status: 200, body: { url: 'https://portal.example' } })
    expect(await portal()).toBe('https://portal.example')
    expect(calls).toHaveLength(3)
  })
})

describe('does not try again', () => {
  test.each<[string, Scripted, object]>([
    ['a 503 of unknown outcome', { status: 503 }, { status: 503, code: 'internal_error', requestId: 'r-1' }],
    ['a connection that was cut', 'cut', { status: 0, code: 'network_error' }],
    ['an answer that does not come', 'stall', { status: 0, code: 'timeout' }],
    ['an answer that is no JSON', { status: 200, headers: { 'content-length': '0' } }, { code: 'invalid_response' }],
  ])('what has no key after %s', async (_, answer, expected) => {
    answers = [answer]
    expect(await failed(portal())).toMatchObject(expected)
    expect(calls).toHaveLength(1)
  })

  test('what the service refuses, or asks to wait long for', async () => {
    answers = [{ status: 400, body: { error: 'insufficient', available: 3 } }]
    expect(await failed(debit())).toMatchObject({ status: 400, code: 'insufficient', details: { available: 3 } })
    answers = [{ status: 429, body: { error: 'too_many', message: 'Wait.' }, headers: { 'retry-after': '60' } }]
    const error = await failed(debit())
    expect(error).toBeInstanceOf(PaywallError)
    expect(error).toMatchObject({ status: 429, code: 'too_many', message: 'Wait.', retryAfter: 60 })
    expect(calls).toHaveLength(2)
  })

  test('for ever', async () => {
    answers = ['cut', 'cut', 'cut']
    expect(await failed(read())).toMatchObject({ code: 'network_error' })
    expect(calls).toHaveLength(3)
  })

  test('what its caller has aborted', async () => {
    const controller = new AbortController()
    answers = ['stall']
    const call = failed(paywall.user({ email: 'ann@example.com' }, { signal: controller.signal, timeout: 5_000 }))
    await expect.poll(() => calls.length).toBe(1)
    controller.abort()
    expect(await call).toMatchObject({ status: 0, code: 'aborted' })
    expect(await failed(paywall.bootstrap({ signal: controller.signal }))).toMatchObject({ code: 'aborted' })
    expect(calls).toHaveLength(1)
  })
})
