import { Paywall, PaywallError, type PaywallOptions } from 'paywall-billing-sdk'
import { createPaywall } from 'paywall-billing-sdk/browser'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { failed, type Scripted, type ScriptedService, startScriptedService } from '../support/scripted-service.ts'

let service: ScriptedService
beforeEach(async () => {
  service = await startScriptedService()
})
afterEach(() => service.close())

const who = { email: 'ann@example.com' }
const paywallWith = (options: Partial<PaywallOptions> = {}) =>
  new Paywall({ key: 'pk_test_1', paywall: '1001', baseUrl: service.url, ...options })

/** Never answers, and ignores that its caller has given up. */
const deaf = () => new Promise<never>(() => undefined)

describe('what answers is not the API', () => {
  const page = '<!doctype html><title>Sign in to the network</title>'

  test.each<[string, Exclude<Scripted, string>]>([
    ['a page', { status: 200, body: page }],
    ['the page of a proxy', { status: 502, body: page }],
    ['half of an answer', { status: 200, body: '{"success": tr' }],
    ['nothing', { status: 200, body: '' }],
    ['nothing, of a given length', { status: 200, body: '', headers: { 'content-length': '0' } }],
    ['null', { status: 200, body: 'null' }],
    ['a text', { status: 200, body: '"done"' }],
    ['an error without a name', { status: 404, body: { message: 'The response did not come from the API.' } }],
    ['an error that is no object', { status: 500, body: 'null' }],
  ])('but %s: the error says so, with the status and the id of the request', async (_, answer) => {
    service.answers.push(answer)
    const error = await failed(paywallWith().portal(who))
    expect(error).toBeInstanceOf(PaywallError)
    expect(error).toMatchObject({ status: answer.status, code: 'invalid_response', requestId: 'r-1', details: {} })
    expect(error.message).toBe('The response did not come from the API.')
  })

  test('but what sends the caller elsewhere: the key stays here', async () => {
    const elsewhere = await startScriptedService()
    service.answers.push({ status: 307, body: '', headers: { location: `${elsewhere.url}/api` } })
    expect(await failed(paywallWith().portal(who))).toMatchObject({ status: 307, code: 'invalid_response' })
    expect(elsewhere.calls).toEqual([])
    await elsewhere.close()
  })

  test('but an answer that breaks off, or stalls: what reads is tried again', async () => {
    const begun = { status: 200, body: '{"purchases": [', headers: { 'content-length': '999' } }
    service.answers.push(begun, begun, begun)
    expect(await failed(paywallWith({ timeout: 300 }).user(who))).toMatchObject({ status: 0, code: 'timeout' })
    expect(service.calls).toHaveLength(3)
  })

  test('changes no object of the page’s, whatever its fields are called', async () => {
    const body =
      '{"error": "insufficient", "__proto__": {"isOwner": true}, "constructor": {"prototype": {"isOwner": true}}}'
    service.answers.push({ status: 400, body })
    const { details } = await failed(paywallWith().portal(who))
    expect([Object.keys(details), Object.getPrototypeOf(details)]).toEqual([
      ['__proto__', 'constructor'],
      Object.prototype,
    ])
    expect('isOwner' in {}).toBe(false)
  })
})

describe('what cannot be sent is a PaywallError, too:', () => {
  test('an origin that is no URL', async () => {
    const refused = { name: 'PaywallError', status: 0, code: 'invalid_url' }
    expect(() => paywallWith({ baseUrl: 'pay.acme.com' })).toThrow(expect.objectContaining(refused))
    expect(await failed(createPaywall('pay.acme.com'))).toMatchObject(refused)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['a key that is none', () => paywallWith({ key: 'pk_test_“1”' }).user(who)],
    [
      'what JSON cannot say',
      () => paywallWith().checkout({ ...who, price: `price_${'0'.repeat(24)}`, userMeta: { big: 1n } }),
    ],
    [
      'a token that the page’s server does not give',
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

describe('the caller’s own', () => {
  test('timeout, signal and fetch count, for all calls or for one', async () => {
    const controller = new AbortController()
    const paywall = paywallWith({ timeout: 50, fetch: deaf, signal: controller.signal })
    expect(await failed(paywall.portal(who))).toMatchObject({ code: 'timeout' })
    expect(await paywall.user(who, { fetch, timeout: 9_000 })).toMatchObject({ balances: [] })
    const [one, other] = [
      failed(paywall.portal(who, { timeout: Infinity })),
      failed(paywall.user(who, { timeout: 9_000 })),
    ]
    controller.abort()
    expect(await Promise.all([one, other])).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }])
    expect(await failed(paywall.user(who, { signal: new AbortController().signal }))).toMatchObject({ code: 'aborted' })
  })

  test('signal ends also what a call needs first', async () => {
    service.answers.push('stall', 'stall')
    const [one, other] = [new AbortController(), new AbortController()]
    const selling = paywallWith().checkout({ ...who, price: 'monthly' }, { signal: one.signal })
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

  test('timeout is for answers: a ticket’s images have a minute', async () => {
    const controller = new AbortController()
    const paywall = paywallWith({ timeout: 50, fetch: deaf })
    const ticket = { customer_email: who.email, subject: 'It does not load', content: 'I paid.' }
    const files = [new Blob(['image'], { type: 'image/png' })]
    const withImages = failed(paywall.ticket({ ...ticket, files }, { signal: controller.signal }))
    expect(await failed(paywall.ticket(ticket))).toMatchObject({ code: 'timeout' })
    controller.abort()
    expect(await withImages).toMatchObject({ code: 'aborted' })
    expect(await failed(paywall.ticket({ ...ticket, files }, { timeout: 50 }))).toMatchObject({ code: 'timeout' })
  })

  test('timeout may be so long that nothing ends it', async () => {
    expect(await paywallWith({ timeout: Infinity }).user(who)).toMatchObject({ balances: [] })
  })
})
