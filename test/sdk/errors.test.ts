import { Paywall, PaywallError, type PaywallOptions } from 'paywall-billing-sdk'
import { createPaywall } from 'paywall-billing-sdk/browser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failed, type Scripted, type ScriptedService, startScriptedService } from '../support/scripted-service.ts'

let service: ScriptedService
beforeEach(async () => {
  service = await startScriptedService()
})
afterEach(() => service.close())

const identity = { email: 'ann@example.com' }
const paywallWith = (options: Partial<PaywallOptions> = {}) =>
  new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl: service.url, ...options })

/** A `fetch` that never responds, and ignores its signal. */
const hangingFetch = () => new Promise<never>(() => undefined)

describe('a response that is not from the API', () => {
  const page = '<!doctype html><title>Sign in to the network</title>'

  test.each<[string, Exclude<Scripted, string>]>([
    ['a page', { status: 200, body: page }],
    ['the page of a proxy', { status: 502, body: page }],
    ['truncated JSON', { status: 200, body: '{"success": tr' }],
    ['an empty body', { status: 200, body: '' }],
    ['an empty body with a Content-Length', { status: 200, body: '', headers: { 'content-length': '0' } }],
    ['null', { status: 200, body: 'null' }],
    ['a string', { status: 200, body: '"done"' }],
    ['an error without a name', { status: 404, body: { message: 'The response did not come from the API.' } }],
    ['an error that is not an object', { status: 500, body: 'null' }],
  ])('is reported as invalid_response, with the status and the request id: %s', async (_, response) => {
    service.answers.push(response)
    const error = await failed(paywallWith().portal(identity))
    expect(error).toBeInstanceOf(PaywallError)
    expect(error).toMatchObject({ status: response.status, code: 'invalid_response', requestId: 'r-1', details: {} })
    expect(error.message).toBe('The response did not come from the API.')
  })

  test('is not followed if it is a redirect, so the key is not sent to another host', async () => {
    const elsewhere = await startScriptedService()
    service.answers.push({ status: 307, body: '', headers: { location: `${elsewhere.url}/api` } })
    expect(await failed(paywallWith().portal(identity))).toMatchObject({ status: 307, code: 'invalid_response' })
    expect(elsewhere.calls).toEqual([])
    await elsewhere.close()
  })

  test('is a reason to retry a read if it stalls in the middle', async () => {
    const begun = { status: 200, body: '{"purchases": [', headers: { 'content-length': '999' } }
    service.answers.push(begun, begun, begun)
    expect(await failed(paywallWith({ timeout: 300 }).user(identity))).toMatchObject({ status: 0, code: 'timeout' })
    expect(service.calls).toHaveLength(3)
  })

  test('cannot pollute a prototype', async () => {
    const body =
      '{"error": "insufficient", "__proto__": {"isOwner": true}, "constructor": {"prototype": {"isOwner": true}}}'
    service.answers.push({ status: 400, body })
    const { details } = await failed(paywallWith().portal(identity))
    expect([Object.keys(details), Object.getPrototypeOf(details)]).toEqual([
      ['__proto__', 'constructor'],
      Object.prototype,
    ])
    expect('isOwner' in {}).toBe(false)
  })
})

describe('a request that cannot be sent fails with a PaywallError:', () => {
  test('an origin that is not a URL', async () => {
    const refused = { name: 'PaywallError', status: 0, code: 'invalid_url' }
    expect(() => paywallWith({ baseUrl: 'pay.acme.com' })).toThrow(expect.objectContaining(refused))
    expect(await failed(createPaywall('pay.acme.com'))).toMatchObject(refused)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['an invalid key', () => paywallWith({ key: 'pk_test_“1”' }).user(identity)],
    [
      'a value that JSON cannot represent',
      () => paywallWith().checkout({ ...identity, price: `price_${'0'.repeat(24)}`, userMeta: { big: 1n } }),
    ],
    [
      'a `session` callback that fails',
      async () => {
        const session = async () => Promise.reject(new TypeError('Failed to fetch'))
        return createPaywall(service.url, { paywall: '1001', session })
      },
    ],
  ])('%s', async (_, call) => {
    expect(await failed(call())).toMatchObject({ name: 'PaywallError', status: 0, code: 'not_sent' })
    expect(service.calls).toEqual([])
  })
})

describe('the caller’s', () => {
  test('timeout, signal and fetch apply to all calls, or to one', async () => {
    const controller = new AbortController()
    const paywall = paywallWith({ timeout: 50, fetch: hangingFetch, signal: controller.signal })
    expect(await failed(paywall.portal(identity))).toMatchObject({ code: 'timeout' })
    expect(await paywall.user(identity, { fetch, timeout: 9_000 })).toMatchObject({ balances: [] })
    const [one, other] = [
      failed(paywall.portal(identity, { timeout: Infinity })),
      failed(paywall.user(identity, { timeout: 9_000 })),
    ]
    controller.abort()
    expect(await Promise.all([one, other])).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }])
    expect(await failed(paywall.user(identity, { signal: new AbortController().signal }))).toMatchObject({
      code: 'aborted',
    })
  })

  test('signal also aborts the preliminary requests of a call', async () => {
    service.answers.push('stall', 'stall')
    const [one, other] = [new AbortController(), new AbortController()]
    const selling = paywallWith().checkout({ ...identity, price: 'monthly' }, { signal: one.signal })
    await expect.poll(() => service.calls).toMatchObject([{ path: expect.stringMatching('bootstrap') }])
    one.abort()
    expect(await failed(selling)).toMatchObject({ code: 'aborted' })

    const page = await createPaywall(service.url, { paywall: '1001' })
    const targets = { successUrl: 'https://acme.com', errorUrl: 'https://acme.com' }
    const opening = page.open('monthly', targets, { signal: other.signal })
    await expect.poll(() => service.calls[1]).toMatchObject({ path: expect.stringMatching('sign-in/token') })
    other.abort()
    expect(await failed(opening)).toMatchObject({ code: 'aborted' })
  })

  test('timeout does not apply to a ticket with images, unless it is passed with the call', async () => {
    const controller = new AbortController()
    const paywall = paywallWith({ timeout: 50, fetch: hangingFetch })
    const ticket = { customer_email: identity.email, subject: 'It does not load', content: 'I paid.' }
    const files = [new Blob(['image'], { type: 'image/png' })]
    const withImages = failed(paywall.ticket({ ...ticket, files }, { signal: controller.signal }))
    expect(await failed(paywall.ticket(ticket))).toMatchObject({ code: 'timeout' })
    controller.abort()
    expect(await withImages).toMatchObject({ code: 'aborted' })
    expect(await failed(paywall.ticket({ ...ticket, files }, { timeout: 50 }))).toMatchObject({ code: 'timeout' })
  })

  test('timeout can be Infinity', async () => {
    expect(await paywallWith({ timeout: Infinity }).user(identity)).toMatchObject({ balances: [] })
  })
})
