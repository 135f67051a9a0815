import { Paywall, PaywallError } from 'paywall-billing-sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failed, type Scripted, type ScriptedService, startScriptedService } from '../support/scripted-service.ts'

let service: ScriptedService
let paywall: Paywall

beforeEach(async () => {
  service = await startScriptedService()
  paywall = new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl: service.url, timeout: 300 })
})
afterEach(() => service.close())

const identity = { email: 'ann@example.com' }
const read = () => paywall.user(identity)
const debit = () => paywall.debit(identity, 'standard', 1)
const portal = () => paywall.portal(identity)
/** `Retry-After`, as a date. */
const retryAfterDate = (seconds: number) => ({ 'retry-after': new Date(Date.now() + seconds * 1000).toUTCString() })

describe('retries', () => {
  test.each<[string, Scripted]>([
    ['a connection that was cut', 'cut'],
    ['a response that does not arrive', 'stall'],
    ['a 502', { status: 502 }],
    ['a 503', { status: 503 }],
  ])('a read, or a call with a key, after %s', async (_, response) => {
    service.answers.push(response)
    await read()
    service.answers.push(response)
    await debit()
    expect(service.calls).toHaveLength(4)
    expect(service.calls[2]?.key).toMatch(/^[\da-f-]{36}$/)
    expect(service.calls[3]).toEqual(service.calls[2])
  })

  test('any call if the response has a short Retry-After', async () => {
    service.answers.push(
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 429, headers: retryAfterDate(0) },
      { status: 200, body: { url: 'https://portal.example' } },
    )
    expect(await portal()).toBe('https://portal.example')
    expect(service.calls).toHaveLength(3)
  })
})

describe('does not retry', () => {
  test.each<[string, Scripted, object]>([
    ['a 503 with an unknown outcome', { status: 503 }, { status: 503, code: 'internal_error', requestId: 'r-1' }],
    ['a connection that was cut', 'cut', { status: 0, code: 'network_error' }],
    ['a response that does not arrive', 'stall', { status: 0, code: 'timeout' }],
  ])('a call without a key after %s', async (_, response, expected) => {
    service.answers.push(response)
    expect(await failed(portal())).toMatchObject(expected)
    expect(service.calls).toHaveLength(1)
  })

  test('a refused call, or one with a long Retry-After', async () => {
    service.answers.push({ status: 400, body: { error: 'insufficient', available: 3 } })
    expect(await failed(debit())).toMatchObject({ status: 400, code: 'insufficient', details: { available: 3 } })
    service.answers.push({
      status: 429,
      body: { error: 'too_many', message: 'Wait.' },
      headers: { 'retry-after': '60' },
    })
    const error = await failed(debit())
    expect(error).toBeInstanceOf(PaywallError)
    expect(error).toMatchObject({ status: 429, code: 'too_many', message: 'Wait.', retryAfter: 60 })
    service.answers.push({ status: 503, headers: retryAfterDate(60) })
    expect([59, 60]).toContain((await failed(debit())).retryAfter)
    expect(service.calls).toHaveLength(3)
  })

  test('more than twice', async () => {
    service.answers.push('cut', 'cut', 'cut')
    expect(await failed(read())).toMatchObject({ code: 'network_error' })
    expect(service.calls).toHaveLength(3)
  })

  test('a call that was aborted', async () => {
    const controller = new AbortController()
    service.answers.push('stall')
    const call = failed(paywall.user(identity, { signal: controller.signal, timeout: 5_000 }))
    await expect.poll(() => service.calls.length).toBe(1)
    controller.abort()
    expect(await call).toMatchObject({ status: 0, code: 'aborted' })
    expect(await failed(paywall.bootstrap({ signal: controller.signal }))).toMatchObject({ code: 'aborted' })
    expect(service.calls).toHaveLength(1)
  })
})
