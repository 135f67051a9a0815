import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FileJson, monthly } from '../support/paywall-file.ts'
import { newTenant } from '../support/tenants.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, getHeading, press, visit } from './visitor.ts'

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

let pages: Pages
let imageServer: Server
let images: string
/** The requested paths. */
const requestedPaths: string[] = []

beforeAll(async () => {
  pages = await startPages()
  imageServer = createServer(({ url = '' }, response) => {
    requestedPaths.push(url)
    if (url === '/moved.png') response.writeHead(302, { location: '/pixel.png' }).end()
    else if (url === '/pixel.png') response.end(PNG)
    else if (url === '/drawing.png') response.end('<svg xmlns="http://www.w3.org/2000/svg"/>')
    else response.end(Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]))
  })
  await new Promise<void>((resolve) => imageServer.listen(0, '127.0.0.1', resolve))
  images = `http://127.0.0.1:${(imageServer.address() as AddressInfo).port}`
})

afterAll(async () => {
  imageServer.close()
  await pages.close()
})

/** The HTML of a paywall's page. */
async function readHtml(paywallId: string, { query = '', country = 'US', language = 'en' } = {}): Promise<string> {
  const headers = { 'accept-language': language }
  const response = await pages.world.fetch(`/p/${paywallId}${query}`, { headers, cf: { country } })
  expect(response.status).toBe(200)
  return response.text()
}

const shopWith = async (fields: FileJson) => (await newTenant(pages.world, fields)).paywall.id

describe('a page', () => {
  test('has every block of its layout, except for custom ones, with texts escaped', async () => {
    const blocks = [
      { type: 'x-confetti', text: 'headline' },
      { type: 'heading', text: 'headline' },
      { type: 'text', text: 'words' },
      { type: 'features', items: ['one', 'two'] },
      { type: 'testimonial', quote: 'quote', author: 'author' },
      { type: 'faq', items: [{ question: 'question', answer: 'answer' }] },
      { type: 'note', text: 'note' },
      { type: 'button', text: 'buy', price: 'yearly' },
    ]
    const keys = ['headline', 'words', 'one', 'two', 'quote', 'author', 'question', 'answer', 'note', 'buy']
    const locales = { en: Object.fromEntries(keys.map((key) => [key, `<b>${key}</b> & more`])) }
    const html = await readHtml(await shopWith({ layout: { type: 'stack', blocks }, locales }))
    for (const key of keys) expect(html).toContain(`&lt;b&gt;${key}&lt;/b&gt; &amp; more`)
    expect(html).not.toContain('<b>')
    expect(html).not.toContain('confetti')
    expect(html).toMatch(/<button type="submit" class="primary"[^>]* name="sell" value="price_\w+">/)
  })

  test('of a paywall without a layout sells all prices', async () => {
    const html = await readHtml(await shopWith({ name: 'Plain' }))
    expect(html).toMatch(/<h1>Plain<\/h1>.*Monthly.*Yearly.*7 days free, then \$89 per year.*Start 7 days free/s)
  })

  test.each([
    ['de-AT,fr;q=0.9', '', 'lang="de"', 'Mehr schaffen mit Acme Pro', '9,99\u00a0$ pro Monat'],
    ['fr', '', 'lang="en"', 'Do more with Acme Pro', '$9.99</strong> per month'],
    ['en', '?locale=de', 'lang="de"', 'Mehr schaffen mit Acme Pro', 'href="/p/ID/account?locale=de"'],
    ['de', '?locale=en', 'lang="en"', 'Do more with Acme Pro', 'href="/p/ID/account?locale=en"'],
    ['tlh,*', '?locale=x_y', 'lang="en"', 'Do more with Acme Pro', 'per year'],
  ])(
    'is in the language that the browser requests (%s) or the visitor chose (%s)',
    async (language, query, ...texts) => {
      const html = (await readHtml(pages.world.paywall.id, { language, query })).replaceAll('</strong> pro', ' pro')
      for (const text of texts) expect(html).toContain(text.replace('ID', pages.world.paywall.id))
    },
  )

  test('has the prices of the visitor’s country, and in that case a link to DB-IP', async () => {
    const [india, america] = [
      await readHtml(pages.world.paywall.id, { country: 'IN' }),
      await readHtml(pages.world.paywall.id),
    ]
    expect(india).toContain('₹399</strong> per month')
    expect(india).toContain('<a href="https://db-ip.com">')
    expect(america).not.toContain('db-ip.com')
  })

  test.each([
    ['#ffff00', '--brand:rgb(255 255 0);--on-brand:rgb(0 0 0)'],
    ['#246', '--brand:rgb(34 68 102);--on-brand:rgb(255 255 255)'],
    ['rgb(1, 2, 3)', '--brand:rgb(1 2 3)'],
    ['hsl(120deg 100% 25%)', '--brand:rgb(0 128 0)'],
    ['red;}</style><script>alert(1)</script>', '--brand:rgb(55 65 200)'],
    ['url(https://evil.example/)', '--brand:rgb(55 65 200)'],
  ])('uses the brand colour %s if it is valid', async (colour, style) => {
    const id = await shopWith({
      settings: { brand_color: colour, tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] },
    })
    const html = await readHtml(id)
    expect(html).toContain(style)
    expect(html).not.toContain('evil')
    expect(html).not.toContain('alert')
  })
})

describe('a price', () => {
  /** The texts of each price of the demo, without tags. */
  async function readCards(language: string): Promise<string[]> {
    const [, ...cards] = (await readHtml(pages.world.paywall.id, { language })).split(/<div class="price"/)
    return cards.map((card) => card.replaceAll(/^[^>]*>|<\/fieldset>.*|<[^>]*>/gs, ' ').replaceAll(/\s+/g, ' '))
  }

  test('has its badge, trial, price per month, tokens and features', async () => {
    const [yearly, monthly, lifetime] = await readCards('en')
    expect(yearly).toBe(
      ' Yearly Save 26% $89 per year That is $7.42 per month 8,000 AI credits per year A year of history Export to PDF and CSV Support within a day ',
    )
    expect(monthly).toBe(
      ' Monthly $9.99 per month 7 days free, then $9.99 per month 500 AI credits per month, 50 during the trial A year of history Export to PDF and CSV ',
    )
    expect(lifetime).toMatch(/^ Lifetime \$249 one-time payment 20,000 AI credits A year/)
  })

  test('is in German for a German visitor, and no text of the page is in English', async () => {
    const [yearly] = await readCards('de')
    expect(yearly).toBe(
      ' Jährlich 26 % sparen 89 $ pro Jahr Das sind 7,42 $ pro Monat 8.000 KI-Guthaben pro Jahr Ein Jahr Verlauf Export als PDF und CSV Hilfe innerhalb eines Tages ',
    )
    const html = await readHtml(pages.world.paywall.id, { language: 'de' })
    const { en = {}, de = {} } = pages.world.paywall.locales
    for (const [key, text] of Object.entries(en)) if (de[key] !== text) expect(html).not.toContain(`>${String(text)}`)
  })

  test('whose features and tokens have no texts shows the type of its tokens, and no names of features', async () => {
    const prices = [monthly({ features: ['export'], trial_days: 7 })]
    const html = await readHtml(await shopWith({ prices }))
    expect(html).toContain('<li>100 tokens (standard) per month, 0 during the trial</li></ul>')
  })
})

describe('the button that buys', () => {
  test.each([true, false])('says what happens, with JavaScript: %s', async (javaScriptEnabled) => {
    const visitor = await visit(pages, { javaScriptEnabled })
    const { page } = visitor
    const expectButton = async (name: string, terms: string) => {
      await page.getByRole('button', { name, exact: true }).waitFor()
      expect(await page.locator('.buy .hint:visible').allTextContents()).toEqual([terms])
    }
    await expectButton('Pay $89', 'Due today: $89. Then $89 per year, until you cancel.')
    await page.getByRole('radio', { name: 'Lifetime' }).check()
    await expectButton('Pay $249', 'Due today: $249.')
    await press(visitor, 'Monthly 7 days free', 'link')
    await page.getByRole('radio', { name: 'Monthly' }).check()
    await expectButton('Start 7 days free', 'Due today: $0. After 7 days: $9.99 per month, until you cancel.')
  })

  test('has the owner’s text instead, or sells its own price', async () => {
    const blocks = [
      { type: 'button', text: 'buy' },
      { type: 'button', price: 'yearly' },
    ]
    const html = await readHtml(await shopWith({ layout: { type: 'stack', blocks }, locales: { en: { buy: 'Go' } } }))
    expect(html).toMatch(/<button type="submit" class="primary"[^>]*>Go<\/button>/)
    expect(html).toMatch(
      /name="sell" value="price_\w+">Start 7 days free<\/button><p class="hint"[^>]*>Due today: \$0. After 7 days: \$89 per year/,
    )
  })
})

describe('a toggle', () => {
  test.each([true, false])('shows the prices of one interval, with JavaScript: %s', async (javaScriptEnabled) => {
    const visitor = await visit(pages, { javaScriptEnabled })
    const { page, home } = visitor
    const prices = () => page.getByRole('radio').evaluateAll((all) => all.length)
    expect(await prices()).toBe(2)
    await press(visitor, 'Monthly', 'link')
    await page.waitForURL(`${home}?interval=month`)
    expect(await page.getByRole('radio', { name: /Monthly/ }).isChecked()).toBe(true)
    expect(await page.getByRole('radio', { name: /Yearly/ }).count()).toBe(0)
    expect(await prices()).toBe(2)
    await press(visitor, BUY)
    await page.waitForURL(`${pages.world.stripe.url}/**`)
    expect(await page.textContent('body')).toContain('9.99')
  })
})

describe('images', () => {
  const shopWithImage = (path: string) =>
    shopWith({
      layout: { type: 'stack', blocks: [{ type: 'image', src: images + path, alt: 'picture' }] },
      locales: { en: { picture: 'A picture' } },
    })
  const srcIn = (html: string) => /<img class="picture" src="([^"]+)" alt="A picture"/.exec(html)?.[1] ?? ''

  test('are served from the paywall’s own origin, and fetched once', async () => {
    const path = srcIn(await readHtml(await shopWithImage('/pixel.png')))
    expect(path).toMatch(/^\/p\/\d+\/image\/[0-9a-f]{24}$/)
    for (const _ of [1, 2]) {
      const response = await pages.world.fetch(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
      expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
      expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG)
    }
    expect(requestedPaths.filter((each) => each === '/pixel.png')).toHaveLength(1)
  })

  test.each(['/drawing.png', '/moved.png', '/huge.png'])(
    'that are SVG, redirects, or too large are not served: %s',
    async (path) => {
      const response = await pages.world.fetch(srcIn(await readHtml(await shopWithImage(path))))
      expect(response.status).toBe(404)
      expect(requestedPaths).toContain(path)
    },
  )

  test('that are not in the paywall file are not fetched', async () => {
    const response = await pages.world.fetch(`/p/${pages.world.paywall.id}/image/${'0'.repeat(24)}`)
    expect(response.status).toBe(404)
  })
})

test('a paywall’s own domain shows that paywall only', async () => {
  const domain = 'pay.drawing.example'
  await newTenant(pages.world, { domain, name: 'On its domain' })
  const [own, foreign] = [
    await pages.world.fetch(`https://${domain}/`),
    await pages.world.fetch(`https://${domain}/p/${pages.world.paywall.id}`),
  ]
  expect(await own.text()).toContain('<h1>On its domain</h1>')
  expect(foreign.status).toBe(404)
  expect(await getHeading(await visit(pages))).toBe('Do more with Acme Pro')
})
