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

const who = { email: 'ann@example.com' }
const read = () => paywall.user(who)
const debit = () => paywall.debit(who, 'standard', 1)
const portal = () => paywall.portal(who)
/** `Retry-After`, as a date. */
const inSeconds = (seconds: number) => ({ 'retry-after': new Date(Date.now() + seconds * 1000).toUTCString() })

describe('tries again', () => {
  test.each<[string, Scripted]>([
    ['a connection that was cut', 'cut'],
    ['an answer that does not come', 'stall'],
    ['a 502', { status: 502 }],
    ['a 503', { status: 503 }],
  ])('what reads, or has a key, after %s', async (_, answer) => {
    service.answers.push(answer)
    await read()
    service.answers.push(answer)
    await debit()
    expect(service.calls).toHaveLength(4)
    expect(service.calls[2]?.key).toMatch(/^[\da-f-]{36}$/)
    expect(service.calls[3]).toEqual(service.calls[2])
  })

  test('anything that may be repeated, as the service says', async () => {
    service.answers.push(
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 429, headers: inSeconds(0) },
      { status: 200, body: { url: 'https://portal.example' } },
    )
    expect(await portal()).toBe('https://portal.example')
    expect(service.calls).toHaveLength(3)
  })
})

describe('does not try again', () => {
  test.each<[string, Scripted, object]>([
    ['a 503 of unknown outcome', { status: 503 }, { status: 503, code: 'internal_error', requestId: 'r-1' }],
    ['a connection that was cut', 'cut', { status: 0, code: 'network_error' }],
    ['an answer that does not come', 'stall', { status: 0, code: 'timeout' }],
  ])('what has no key after %s', async (_, answer, expected) => {
    service.answers.push(answer)
    expect(await failed(portal())).toMatchObject(expected)
    expect(service.calls).toHaveLength(1)
  })

  test('what the service refuses, or asks to wait long for', async () => {
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
    service.answers.push({ status: 503, headers: inSeconds(60) })
    expect([59, 60]).toContain((await failed(debit())).retryAfter)
    expect(service.calls).toHaveLength(3)
  })

  test('for ever', async () => {
    service.answers.push('cut', 'cut', 'cut')
    expect(await failed(read())).toMatchObject({ code: 'network_error' })
    expect(service.calls).toHaveLength(3)
  })

  test('what its caller has aborted', async () => {
    const controller = new AbortController()
    service.answers.push('stall')
    const call = failed(paywall.user(who, { signal: controller.signal, timeout: 5_000 }))
    await expect.poll(() => service.calls.length).toBe(1)
    controller.abort()
    expect(await call).toMatchObject({ status: 0, code: 'aborted' })
    expect(await failed(paywall.bootstrap({ signal: controller.signal }))).toMatchObject({ code: 'aborted' })
    expect(service.calls).toHaveLength(1)
  })
})
