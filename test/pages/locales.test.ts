import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { getPriceId } from '../support/checkout.ts'
import { newTenant, type Tenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

/** Locale keys, each of which is also the text of its locale. `my words` is not a language tag. */
const KEYS = ['en', 'de', 'de-CH', 'pt-PT', 'pt', 'zh-Hans', 'zh-Hant', 'th-u-ca-buddhist', 'sr_Latn', 'my words']

const world = useTestWorld()
let shop: Tenant
let home: string

beforeAll(async () => {
  const layout = { type: 'stack', blocks: [{ type: 'heading', text: 'headline' }] }
  const locales = Object.fromEntries(KEYS.map((key) => [key, { headline: key }]))
  shop = await newTenant(world, { layout, locales })
  home = `/p/${shop.paywall.id}`
})

/** The locale that a page's texts are from, and its `lang` attribute. */
async function readLocale(query: string, acceptLanguage = 'en'): Promise<{ key?: string; lang?: string }> {
  const response = await world.fetch(home + query, { headers: { 'accept-language': acceptLanguage } })
  const html = await response.text()
  expect(response.status, html).toBe(200)
  const [, lang] = /<html lang="([^"]*)">/.exec(html) ?? []
  const [, key] = /<h1>([^<]*)<\/h1>/.exec(html) ?? []
  return { ...(key !== undefined && { key }), ...(lang !== undefined && { lang }) }
}

describe('a browser that requests', () => {
  test.each([
    ['de-AT', 'de', 'de'],
    ['de-ch', 'de-CH', 'de-CH'],
    ['pt-BR', 'pt', 'pt'],
    ['pt-AO;q=0.5,fr', 'pt', 'pt'],
    ['zh-Hant-TW', 'zh-Hant', 'zh-Hant'],
    ['zh-TW', 'zh-Hant', 'zh-Hant'],
    ['zh', 'zh-Hans', 'zh-Hans'],
    ['en-u-ca-buddhist', 'en', 'en'],
    ['th', 'th-u-ca-buddhist', 'th'],
    ['sr-RS', 'sr_Latn', 'sr-Latn'],
    ['de;q=0,en', 'en', 'en'],
    ['*', 'en', 'en'],
    ['english (US), -, en--US, i-klingon, x-y, \u00fc', 'en', 'en'],
    ['q=1;;,,;q=x', 'en', 'en'],
    ['xx-xx-xx-xx-xx-xx,de', 'de', 'de'],
    ['', 'en', 'en'],
  ])('%s', async (acceptLanguage, key, lang) => {
    expect(await readLocale('', acceptLanguage)).toEqual({ key, lang })
  })

  test('hundreds of languages gets one of the first', async () => {
    const unknown = Array.from({ length: 500 }, () => 'tlh')
    expect(await readLocale('', ['tlh', 'de', ...unknown].join(','))).toEqual({ key: 'de', lang: 'de' })
    expect(await readLocale('', [...unknown, 'de'].join(','))).toEqual({ key: 'en', lang: 'en' })
  })
})

describe('a visitor who chose', () => {
  test.each([
    ['de-AT', 'de', 'de'],
    ['DE', 'de', 'de'],
    ['zh_Hant', 'zh-Hant', 'zh-Hant'],
    ['de-u-nu-arab', 'de', 'de'],
    ['th-u-ca-buddhist', 'th-u-ca-buddhist', 'th'],
    ['my%20words', 'my words', 'und'],
    ['her%20words', 'en', 'en'],
    ['x-y', 'en', 'en'],
    ['%00', 'en', 'en'],
    ['__proto__', 'en', 'en'],
    ['', 'en', 'en'],
    ['"><script>', 'en', 'en'],
  ])('%s', async (chosen, key, lang) => {
    expect(await readLocale(`?locale=${chosen}`)).toEqual({ key, lang })
  })

  test('a locale keeps it on other pages, whatever the browser requests', async () => {
    const html = await (await world.fetch(`${home}?locale=my%20words`)).text()
    expect(html).toContain(`href="${home}/account?locale=my+words"`)
    expect(html).toMatch(
      /<a href="[^"]*\?locale=my\+words" lang="und" hreflang="und" aria-current="true">my words<\/a>/,
    )
    expect(html).toContain('>Deutsch</a>')
  })
})

test('dates and amounts are formatted for the language, without the calendar in the locale key', async () => {
  const html = await (await world.fetch(`${home}?locale=th-u-ca-buddhist`)).text()
  expect(html).toContain('>ไทย</a>')
  expect(html).toMatch(/9\.99<\/strong> per month/)
})

test.each([
  ['de-AT', '', 'de'],
  ['tlh', '', null],
  ['tlh', '?locale=pt-PT', 'pt'],
])('a browser that requests %s at "%s" pays on a page in %s', async (acceptLanguage, query, locale) => {
  const headers = { 'accept-language': acceptLanguage, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams({ key: randomUUID(), price: getPriceId(shop.paywall, 'monthly') })
  expect(await world.fetch(home + query, { method: 'POST', headers, body })).toMatchObject({ status: 200 })
  expect(world.stripe.checkoutSessions.at(-1)).toMatchObject({ locale })
})
