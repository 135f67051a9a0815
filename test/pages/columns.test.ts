import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pages, startPages } from './pages.ts'

let pages: Pages
let page: Page

beforeAll(async () => {
  pages = await startPages()
  page = await pages.browser.newPage()
})

afterAll(() => pages.close())

/** The left and right edge of the content of the first element that matches. */
const edges = (selector: string) =>
  page.evaluate<[number, number]>(`(() => {
    const element = document.querySelector('${selector}')
    const { left, right } = element.getBoundingClientRect()
    const { paddingLeft, paddingRight } = getComputedStyle(element)
    return [left + parseFloat(paddingLeft), right - parseFloat(paddingRight)]
  })()`)

describe.each([390, 768, 1280])('%i pixels wide', (width) => {
  test.each(['', '/account', '/restore', '/account/ticket', '/thanks'])(
    'the header, the content and the footer share one column: %s',
    async (path) => {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${pages.world.url}/p/${pages.world.paywall.id}${path}`)
      const column = [Math.max(20, (width - 768) / 2), Math.min(width - 20, (width + 768) / 2)]
      expect([await edges('body > header'), await edges('main'), await edges('body > footer')]).toEqual([
        column,
        column,
        column,
      ])
      expect([(await edges('.brand'))[0], (await edges('footer nav'))[0]]).toEqual([column[0], column[0]])
    },
  )

  test.each(['/p/1/account', '/acount'])('an error page has the same column: %s', async (path) => {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(pages.world.url + path)
    const column = [Math.max(20, (width - 768) / 2), Math.min(width - 20, (width + 768) / 2)]
    expect(await edges('h1')).toEqual(column)
  })
})

test('nothing moves for visitors who prefer reduced motion', () => {
  const css = readFileSync(join(import.meta.dirname, '../../functions/pages/style.css'), 'utf8')
  const always = css.replaceAll(/@media \(prefers-reduced-motion: no-preference\) \{(?:[^{}]|\{[^{}]*\})*\}/g, '')
  expect(
    always.match(/\b(?:animation|transition)(?:-[a-z-]+)?:|scroll-behavior:|@keyframes|@view-transition/g),
  ).toBeNull()
})
