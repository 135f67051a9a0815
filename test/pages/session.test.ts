import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import type { Cookie, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serve } from '../../dev/emulators/core/server.ts'
import { pages as endpoints } from '../../functions/pages/contract.ts'
import { STYLE_PATH } from '../../generated/page-assets.ts'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { newTenant } from '../support/tenants.ts'
import { DEMO_PAYWALL, wholeDemo } from './demo-paywall.ts'
import { type Pages, startPages } from './pages.ts'
import { buyAsVisitor } from './scene.ts'
import { BUY, getHeading, press, signIn, type Visitor, visit } from './visitor.ts'

const DOMAIN = 'pay.session.example'
const ID = '70071'
/** The limit for the page, its scripts and its styles together, in compressed bytes. The owner's images are not included. */
const FIRST_LOAD = 30 * 1024
const POLICY =
  /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[\w+/=]{44}'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/

let pages: Pages
/** Serves the demo's picture. */
let pictures: Awaited<ReturnType<typeof serve>>

beforeAll(async () => {
  const headers = { 'Content-Type': 'image/png' }
  const body = await readFile('demo/picture.png')
  pictures = await serve(0, async () => ({ status: 200, headers, body }))
  const offer = {
    id: 'spring',
    title: 'Spring sale',
    discount: { percent: 50, periods: 1 },
    prices: ['yearly'],
    processorDiscount: 'HALF_ONCE',
  }
  pages = await startPages({
    paywalls: [
      { ...DEMO_PAYWALL, id: ID, domain: DOMAIN },
      { ...DEMO_PAYWALL, offers: [offer] },
      wholeDemo(`${pictures.url}/picture.png`),
    ],
  })
})

afterEach(() => {
  pages.world.stripe.onCall = undefined
})

afterAll(async () => {
  await pages.close()
  await pictures.close()
})

const readCookies = ({ page, home }: Visitor): Promise<Cookie[]> => page.context().cookies(home)

async function visitSignedIn(): Promise<{ visitor: Visitor; email: string }> {
  const visitor = await visit(pages, { path: '/account' })
  const email = newEmail()
  await signIn(visitor, email)
  return { visitor, email }
}

/** Posts a form as from our own page, with additional headers. */
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  pages.world.fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
  })

describe('the session', () => {
  test.each([
    ['on the domain of the paywall', `https://${DOMAIN}/`, '__Host-', '/'],
    ["on the service's host, bound to the paywall", `https://service.example/p/${ID}`, '__Secure-', `/p/${ID}`],
  ])('is stored in HttpOnly, SameSite cookies %s', async (_where, url, prefix, path) => {
    const response = await post(url, { key: newEmail(), price: getPriceId(pages.world.paywall, 'monthly') })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]+; Max-Age=\d+/, ''))).toEqual(
      ['access', 'refresh'].map((name) => `${prefix}paywall_${name}; Path=${path}; HttpOnly; Secure; SameSite=Lax`),
    )
  })

  test('continues when the access token has expired, in two tabs at once', async () => {
    const { visitor, email } = await visitSignedIn()
    const context = visitor.page.context()
    await context.clearCookies({ name: 'paywall_access' })
    const other = { ...visitor, page: await context.newPage() }
    await Promise.all([visitor, other].map(({ page, home }) => page.goto(`${home}/account`)))
    for (const { page } of [visitor, other]) await page.getByText(`Signed in as ${email}`).waitFor()
    expect((await readCookies(visitor)).map(({ name }) => name).toSorted()).toEqual([
      'paywall_access',
      'paywall_refresh',
    ])
  })

  test('ends with a click on Sign out, and its tokens are invalid afterwards', async () => {
    const { visitor } = await visitSignedIn()
    const before = await readCookies(visitor)
    await press(visitor, 'Sign out')
    await visitor.page.waitForURL(visitor.home)
    expect(await readCookies(visitor)).toEqual([])
    await visitor.page.context().addCookies(before.filter(({ name }) => name === 'paywall_refresh'))
    await visitor.page.goto(`${visitor.home}/account`)
    await visitor.page.getByLabel('E-mail address').waitFor()
    expect(await visitor.page.textContent('main')).toContain(
      'Your session on this device has ended. Sign in again to see your purchases.',
    )
    expect(await readCookies(visitor)).toEqual([])
  })

  test('is not sent to another paywall on the same host', async () => {
    const { visitor, email } = await visitSignedIn()
    const { page, home } = visitor
    const other = await newTenant(pages.world)
    await page.goto(`${pages.world.url}/p/${other.paywall.id}/account`)
    await page.getByLabel('E-mail address').waitFor()
    expect(await page.context().cookies(page.url())).toEqual([])
    await page.goto(`${home}/account`)
    await page.getByText(`Signed in as ${email}`).waitFor()
  })

  test('is not refreshed by cacheable responses', async () => {
    const { visitor } = await visitSignedIn()
    const refresh = (await readCookies(visitor)).find(({ name }) => name === 'paywall_refresh')
    const cookie = `paywall_refresh=${refresh?.value}`
    for (const path of [STYLE_PATH, '/favicon.ico', `/p/${ID}/image/${'0'.repeat(24)}`]) {
      const { headers } = await pages.world.fetch(path, { headers: { cookie } })
      expect([path, headers.getSetCookie()]).toEqual([path, []])
    }
    const account = await pages.world.fetch(`/p/${ID}/account`, { headers: { cookie } })
    expect([account.headers.getSetCookie().length, account.headers.get('cache-control')]).toEqual([2, 'no-store'])
  })

  test('continues if the access token is invalid', async () => {
    const { visitor, email } = await visitSignedIn()
    const cookies = await readCookies(visitor)
    const [access] = cookies.filter(({ name }) => name === 'paywall_access')
    await visitor.page.context().addCookies([{ ...access!, value: 'a.b.c' }])
    await visitor.page.goto(`${visitor.home}/account`)
    await visitor.page.getByText(`Signed in as ${email}`).waitFor()
  })
})

describe('a cross-site POST', () => {
  const forgeable = [...new Set(endpoints.filter(({ method }) => method === 'post').map(({ path }) => path))]

  test.each(forgeable)('is refused: %s', async (path) => {
    const url = `https://${path.startsWith('/p/') ? 'service.example' : DOMAIN}${path.replace(':id', ID)}`
    const foreign = { origin: 'https://evil.example' }
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await post(url, {}, { ...foreign, ...headers })).status).toBe(403)
    }
    const old = await pages.world.fetch(url, { method: 'POST', body: '', headers: foreign })
    const bare = await pages.world.fetch(url, { method: 'POST', body: '' })
    expect([old.status, bare.status]).toEqual([403, 403])
  })

  test('has no effect, although the browser has a session', async () => {
    const { visitor, email } = await visitSignedIn()
    const { page, home } = visitor
    await page.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${home}/account"><button name="action" value="sign-out">Win</button></form>`,
      }),
    )
    await page.goto('http://evil.example/')
    await page.getByRole('button', { name: 'Win' }).click()
    await page.waitForURL(`${home}/account`)
    expect(await getHeading(visitor)).toBe('Something went wrong')
    await page.goto(`${home}/account`)
    await page.getByText(`Signed in as ${email}`).waitFor()
  })

  test('does not include a form of our own page whose browser sends Origin but not Sec-Fetch-Site', async () => {
    const headers = { origin: `https://${DOMAIN}`, 'content-type': 'application/x-www-form-urlencoded' }
    const response = await pages.world.fetch(`https://${DOMAIN}/account`, {
      method: 'POST',
      body: 'action=sign-out',
      headers,
    })
    expect(response.status).toBe(303)
  })
})

const sum = async (sizes: Promise<number>[]) => (await Promise.all(sizes)).reduce((total, each) => total + each, 0)

describe('the first load of a page', () => {
  /** Loads a page in a browser without a cache, with these cookies. */
  async function load(path: string, cookies: Cookie[] = [], id = ID) {
    const context = await pages.browser.newContext()
    await context.addCookies(cookies)
    const page = await context.newPage()
    const consoleMessages: string[] = []
    const sizes: Promise<number>[] = []
    const imageSizes: Promise<number>[] = []
    page.on('console', (message) => consoleMessages.push(message.text()))
    page.on('pageerror', (error) => consoleMessages.push(error.message))
    const measure = (response: Response) => {
      expect(new URL(response.url()).origin).toBe(pages.world.url)
      const isImage = new URL(response.url()).pathname.startsWith(`/p/${id}/image/`)
      const size = response.body().then((body) => gzipSync(body).length)
      if (isImage) imageSizes.push(size)
      else sizes.push(size)
    }
    page.on('response', measure)
    const response = await page.goto(`${pages.world.url}/p/${id}${path}`)
    await page.waitForLoadState('networkidle')
    page.off('response', measure) // a page that waits for a purchase keeps polling until the browser is closed
    const [size, imageSize] = [await sum(sizes), await sum(imageSizes)]
    return { page, size, imageSize, consoleMessages, policy: response?.headers()['content-security-policy'] }
  }

  test.each(['', '/account', '/restore', '/account/ticket', '/thanks'])(
    'has at most 30 KB, uses no other host, and does not violate its Content-Security-Policy: %s',
    async (path) => {
      const { size, consoleMessages, policy } = await load(path)
      expect(size).toBeLessThan(FIRST_LOAD)
      expect(consoleMessages).toEqual([])
      expect(policy).toMatch(POLICY)
    },
  )

  test('has at most 30 KB for a subscriber, and uses no other host', async () => {
    const { visitor } = await visitSignedIn()
    await buyAsVisitor(pages, visitor, 'Yearly')
    await pages.world.stripe.drainWebhooks()
    await visitor.page.goto(`${visitor.home}/account`)
    const cancel = await visitor.page.getByRole('link', { name: 'Cancel subscription' }).getAttribute('href')
    const change = `/account/change?price=${getPriceId(pages.world.paywall, 'monthly')}`
    const cookies = await readCookies(visitor)
    for (const path of ['', '/account', '/account/payments', cancel!.replace(`/p/${ID}`, ''), change]) {
      const { page, size, consoleMessages } = await load(path, cookies)
      expect(await page.getByLabel('E-mail address').count(), path).toBe(0)
      expect([path, page.url()]).toEqual([path, `${pages.world.url}/p/${ID}${path}`])
      expect(size, path).toBeLessThan(FIRST_LOAD)
      expect(consoleMessages, path).toEqual([])
    }
  })

  test('has at most 30 KB with offers, and uses no other host', async () => {
    const { page, size, consoleMessages } = await load('', [], pages.world.file.paywalls[1]?.id)
    expect(await page.textContent('main')).toContain('Spring sale')
    expect(size).toBeLessThan(FIRST_LOAD)
    expect(consoleMessages).toEqual([])
  })

  test('has at most 30 KB besides the owner’s image, for the demo as it is', async () => {
    const { page, size, imageSize, consoleMessages } = await load('', [], pages.world.file.paywalls[2]?.id)
    expect(await page.textContent('main')).toContain('Launch price')
    expect(imageSize).toBeGreaterThan(FIRST_LOAD / 10)
    expect(size).toBeLessThan(FIRST_LOAD)
    expect(consoleMessages).toEqual([])
  })

  test('has at most 30 KB including the requests of its script while it waits for a purchase', async () => {
    const { visitor } = await visitSignedIn()
    const { page, size, consoleMessages, policy } = await load('/thanks', await readCookies(visitor))
    expect(await page.textContent('h1')).toBe('Your payment is being processed')
    expect(size).toBeLessThan(FIRST_LOAD)
    expect(consoleMessages).toEqual([])
    expect(policy).toMatch(POLICY)
  })
})

test('a late purchase appears on the thanks page without a reload', async () => {
  const visitor = await visit(pages)
  const { page } = visitor
  await press(visitor, BUY)
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  const unblocked = Promise.withResolvers<void>()
  pages.world.stripe.onCall = async (_call, run) => {
    await unblocked.promise
    return run()
  }
  await page.getByLabel('Email').fill(newEmail())
  await page.locator('[value=pay]').click()
  await page.getByRole('heading', { name: 'Your payment is being processed' }).waitFor()
  unblocked.resolve()
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
})
