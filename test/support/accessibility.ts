import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds wrong with a page as it is now, without its frames. */
export async function violations(page: Page): Promise<axe.Result[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axe.source)
  const results = await page.evaluate<axe.AxeResults>("axe.run({ iframes: false, resultTypes: ['violations'] })")
  return results.violations
}

/** The same in both schemes, narrow and wide, and whether the page scrolls sideways there. */
export async function violationsInEachView(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const where = `${colorScheme} ${width}`
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) {
        found.push(`${where}: scrolls sideways`)
      }
      for (const { id, nodes } of await violations(page)) {
        found.push(`${where}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
      }
    }
  }
  return found
}
