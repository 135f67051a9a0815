import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { SCRIPT_PATH } from '../../generated/page-assets.ts'
import { refusal } from '../support/refusal.ts'
import { useTestWorld } from '../support/world.ts'

const DOMAIN = `pay-${randomUUID()}.example`

const world = useTestWorld({ rateLimited: true, file: { paywalls: [{}, { domain: DOMAIN }] } })

/** The `Accept` header of a browser that navigates. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** More than a caller may send in any two periods of the limit. */
const BURST = 250

const burst = (path: string, init: { method?: string; headers: Record<string, string> }) =>
  Promise.all(Array.from({ length: BURST }, () => world.fetch(path, init)))

test.each([
  ['/acount', '/'],
  ['/p/1001/', '/p/1001'],
  ['/p/1001/nothing', '/p/1001'],
])('a browser at %s gets a page that says it does not exist, with a link to %s', async (path, front) => {
  const response = await world.fetch(path, { headers: BROWSER })
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^' ]+';/)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const html = await response.text()
  expect(html).toContain('Page not found')
  expect(html).toContain(`<a href="${front}" rel="noreferrer nofollow">Go to the front page</a>`)
  expect(await (await world.fetch(path)).json()).toEqual(refusal('not_found'))
})

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr, en;q=0.4, de;q=0.6', 'de'],
  ['de;q=0, fr', 'en'],
  ['fr', 'en'],
  ['en, de', 'en'],
])('a browser that accepts %s gets its error pages in the language: %s', async (accepted, language) => {
  const headers = { ...BROWSER, 'accept-language': accepted }
  const [wrong, broken] = await Promise.all(
    ['/p/1001/nothing', `/r/${randomUUID()}/success`].map(async (path) =>
      (await world.fetch(path, { headers })).text(),
    ),
  )
  for (const html of [wrong, broken]) expect(html).toContain(`<html lang="${language}">`)
  expect(wrong).toContain(language === 'de' ? 'Seite nicht gefunden' : 'Page not found')
  expect(wrong).toContain(language === 'de' ? '>Zur Startseite</a>' : '>Go to the front page</a>')
  expect(broken).toContain(language === 'de' ? 'Dieser Link ist nicht mehr gültig' : 'This link is no longer valid')
})

test('a browser that requests a page too often gets an error page, and other clients get JSON', async () => {
  // A form without an origin is refused at once: the burst costs no reads.
  const path = `/p/${world.paywall.id}/account`
  const from = { 'cf-connecting-ip': '2001:db8:0:21::1' }
  const responses = await burst(path, { method: 'POST', headers: { ...from, ...BROWSER } })
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([403, 429]))
  const refused = responses.find(({ status }) => status === 429)!
  expect(refused.headers.get('retry-after')).toBe('10')
  expect(await refused.text()).toMatch(/Nothing was submitted .* go back and try again/)
  const others = await burst(path, { method: 'POST', headers: from })
  expect(await others.find(({ status }) => status === 429)?.json()).toEqual(refusal('rate_limit_exceeded'))
})

test.each([
  ['/docs', '2001:db8:0:31::1'],
  ['/docs/api', '2001:db8:0:32::1'],
  [`/r/${randomUUID()}/success`, '2001:db8:0:33::1'],
])('a browser that requests %s too often gets an error page, and other clients get JSON', async (path, network) => {
  const from = { 'cf-connecting-ip': network }
  const refused = (headers: Record<string, string>) =>
    burst(path.startsWith('/docs') ? world.docsUrl + path : path, { headers: { ...from, ...headers } }).then(
      (all) => all.find(({ status }) => status === 429)!,
    )
  const page = await refused(BROWSER)
  expect([page.headers.get('content-type'), page.headers.get('retry-after')]).toEqual([
    'text/html; charset=utf-8',
    '10',
  ])
  expect(await page.text()).toContain('Too many requests')
  expect(await (await refused({})).json()).toEqual(refusal('rate_limit_exceeded'))
})

test('an API path answers in JSON, whatever the caller accepts', async () => {
  const response = await world.fetch('/api/v1/paywall/99/bootstrap', { headers: BROWSER })
  expect([response.status, await response.json()]).toEqual([404, refusal('paywall_not_found')])
})

describe('a buyer’s browser that returns', () => {
  const returnTo = (path: string, headers: Record<string, string> = BROWSER) => world.fetch(path, { headers })

  test.each([`/r/${randomUUID()}/success`, '/r/7/error', '/return/stripe/99', '/return/stripe/x', '/return/nobody/1'])(
    'by a broken link gets a page that says where its purchase is: %s',
    async (path) => {
      const response = await returnTo(path)
      const text = await response.text()
      expect([response.status, response.headers.get('cache-control')], text).toEqual([404, 'no-store'])
      expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^' ]+';/)
      expect(text).toContain('your purchase is safe')
      expect(await (await returnTo(path, {})).json()).toMatchObject({ error: expect.stringMatching(/not_found$/) })
    },
  )

  test("to an unknown checkout gets a link to the paywall's site on its own domain, and none on the service's host", async () => {
    const path = `/r/${randomUUID()}/success`
    expect(await (await returnTo(`https://${DOMAIN}${path}`)).text()).toContain(
      '<a href="/" rel="noreferrer nofollow">Go to the front page</a>',
    )
    expect(await (await returnTo(path)).text()).not.toContain('<a ')
    const reply = await returnTo(`https://${DOMAIN}${path}`, {})
    expect([reply.status, await reply.json()]).toEqual([404, refusal('checkout_not_found')])
  })

  test('while the database is down gets a page that says nothing is lost, and may try again', async () => {
    world.neon.onStatement = () => Promise.reject(new ResponseLost())
    onTestFinished(() => {
      world.neon.onStatement = undefined
    })
    const response = await returnTo(`/r/${randomUUID()}/success`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.text()).toContain("nothing is lost and you don't need to pay again")
  })
})

test("the assets of a page do not count against its visitor's limit", async () => {
  const headers = { 'cf-connecting-ip': '192.0.2.22' }
  const responses = await burst(SCRIPT_PATH, { headers })
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
})
