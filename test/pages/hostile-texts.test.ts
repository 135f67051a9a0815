import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, press, signIn, visit } from './visitor.ts'

const SCRIPT = `'"><script>alert(1)</script>`
const ESCAPED = '&#39;&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'

let pages: Pages

/** Every text of the paywall file is a script. */
beforeAll(async () => {
  const keys = ['headline', 'picture', 'stay']
  const texts = Object.fromEntries(keys.map((key) => [key, SCRIPT]))
  pages = await startPages({
    paywall: {
      name: SCRIPT,
      prices: [monthly({ label: SCRIPT }), yearly({ label: SCRIPT })],
      offers: [
        { price: 'monthly', badge: SCRIPT },
        { price: 'yearly', title: 'stay', show: 'cancel' },
      ],
      layout: {
        type: 'stack',
        blocks: [
          { type: 'heading', text: 'headline' },
          { type: 'prices' },
          { type: 'image', src: 'https://images.example/"><script>alert(1)</script>', alt: 'picture' },
        ],
      },
      locales: { en: texts, [SCRIPT]: texts },
      settings: {
        brand_color: SCRIPT,
        logo: { src: 'https://images.example/logo.png', alt: 'picture' },
        tokenization_queries: [{ type: 'standard' }, { type: SCRIPT }],
      },
    },
  })
})

afterAll(() => pages.close())

const path = (page: string) => `/p/${pages.world.paywall.id}${page}`

/** Submits a form as from one of our pages. */
const send = (page: string, fields: Record<string, string>) =>
  pages.world.fetch(path(page), {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  })

/** Checks that the script is not an element of the page. */
function expectNoScript(html: string): void {
  expect(html).not.toMatch(/<script>|alert\(1\)<\//)
}

describe('texts of the owner are escaped', () => {
  test.each(['', '/account', '/thanks', '/restore', '/account/ticket'])('on %s', async (page) => {
    const html = await (await pages.world.fetch(path(page))).text()
    expect(html).toContain(ESCAPED)
    expectNoScript(html)
  })

  test('on the account and cancel pages after a purchase', async () => {
    const visitor = await visit(pages, { path: '/account' })
    const { page, home } = visitor
    await signIn(visitor, newEmail())
    await page.goto(home)
    await press(visitor, BUY)
    await page.waitForURL(`${pages.world.stripe.url}/**`)
    await page.locator('[value=pay]').click()
    await page.waitForURL(`${home}/thanks*`)
    await page.goto(`${home}/account`)
    expectNoScript(await page.content())
    await press(visitor, 'Cancel subscription', 'link')
    expect(await page.locator('main script').count()).toBe(0)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Cancel ${SCRIPT}`)
  })
})

describe('input of a visitor is escaped', () => {
  const encoded = encodeURIComponent(SCRIPT)

  test.each([
    `?interval=${encoded}&price=${encoded}&bought=${encoded}`,
    `?locale=${encoded}`,
    `/account?buy=${encoded}&cancelled=${encoded}&restored=${encoded}`,
    `/account/cancel?purchase=${encoded}`,
    `/thanks?after=${encoded}`,
  ])('in the URL %s', async (page) => {
    expectNoScript(await (await pages.world.fetch(path(page))).text())
  })

  const fields = {
    email: SCRIPT,
    code: SCRIPT,
    challenge: SCRIPT,
    restore: SCRIPT,
    price: SCRIPT,
    key: SCRIPT,
    comment: SCRIPT,
  }
  test.each([
    ['', {}],
    ['/account', { action: 'mail' }],
    ['/account', { action: 'enter' }],
    ['/account', { action: SCRIPT }],
    ['/restore', { action: 'enter' }],
    ['/account/cancel', { action: 'cancel' }],
  ])('in a form on %s %o', async (page, action) => {
    const response = await send(page, { ...fields, ...action })
    expectNoScript(await response.text())
  })

  test('in a rejected ticket', async () => {
    const form = new FormData()
    for (const name of ['customer_email', 'subject', 'content']) form.set(name, SCRIPT)
    const sent = new Response(form)
    const type = sent.headers.get('content-type') ?? ''
    const response = await pages.world.fetch(path('/account/ticket'), {
      method: 'POST',
      body: await sent.arrayBuffer(),
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
    })
    const html = await response.text()
    expectNoScript(html)
    expect(html).toContain(ESCAPED)
    expect(response.status).toBe(400)
  })
})

test('a javascript: URL from a processor is not used as a redirect', async () => {
  const { stripe } = pages.world
  stripe.onCall = async (_call, run) => {
    const response = await run()
    return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), url: 'javascript:alert(1)' }) }
  }
  onTestFinished(() => {
    stripe.onCall = undefined
  })
  const price = getPriceId(pages.world.paywall, 'monthly')
  const response = await send('', { price, key: randomUUID() })
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('javascript:')
})

test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', '%0d%0aLocation:%20https://evil.example'])(
  'a user who signs in to buy %s returns to the paywall',
  async (price) => {
    const visitor = await visit(pages, { path: `/account?buy=${encodeURIComponent(price)}` })
    const { page, home } = visitor
    await signIn(visitor, newEmail())
    await page.getByRole('radio').first().waitFor()
    expect(page.url()).toBe(`${home}?${new URLSearchParams({ price })}`)
  },
)
