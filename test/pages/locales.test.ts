import { beforeAll, describe, expect, test } from 'vitest'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

/** Every key is the text of its own locale. `my words` names no language. */
const KEYS = ['en', 'de', 'de-CH', 'pt-PT', 'pt', 'zh-Hans', 'zh-Hant', 'th-u-ca-buddhist', 'sr_Latn', 'my words']

const world = useTestWorld()
let home: string

beforeAll(async () => {
  const layout = { type: 'stack', blocks: [{ type: 'heading', text: 'headline' }] }
  const locales = Object.fromEntries(KEYS.map((key) => [key, { headline: key }]))
  home = `/p/${(await newTenant(world, { layout, locales })).paywall.id}`
})

/** Which locale a page has its texts from, and which it says it is in. */
async function shown(query: string, acceptLanguage = 'en'): Promise<{ key?: string; lang?: string }> {
  const response = await world.fetch(home + query, { headers: { 'accept-language': acceptLanguage } })
  const html = await response.text()
  expect(response.status, html).toBe(200)
  const [, lang] = /<html lang="([^"]*)">/.exec(html) ?? []
  const [, key] = /<h1>([^<]*)<\/h1>/.exec(html) ?? []
  return { ...(key !== undefined && { key }), ...(lang !== undefined && { lang }) }
}

describe('a browser that asks for', () => {
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
    expect(await shown('', acceptLanguage)).toEqual({ key, lang })
  })

  test('more languages than anybody speaks gets one of the first', async () => {
    const unknown = Array.from({ length: 500 }, () => 'tlh')
    expect(await shown('', ['tlh', 'de', ...unknown].join(','))).toEqual({ key: 'de', lang: 'de' })
    expect(await shown('', [...unknown, 'de'].join(','))).toEqual({ key: 'en', lang: 'en' })
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
    expect(await shown(`?locale=${chosen}`)).toEqual({ key, lang })
  })

  test('a locale keeps it from page to page, whatever the browser asks for', async () => {
    const html = await (await world.fetch(`${home}?locale=my%20words`)).text()
    expect(html).toContain(`href="${home}/account?locale=my+words"`)
    expect(html).toMatch(
      /<a href="[^"]*\?locale=my\+words" lang="und" hreflang="und" aria-current="true">my words<\/a>/,
    )
    expect(html).toContain('>Deutsch</a>')
  })
})

test('days and amounts are written as the language has them, without the calendar of an owner’s key', async () => {
  const html = await (await world.fetch(`${home}?locale=th-u-ca-buddhist`)).text()
  expect(html).toContain('>ไทย</a>')
  expect(html).toMatch(/9\.99<\/strong> per month/)
})
