import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The violations that axe finds in a page as it is now, without its frames. */
export async function violations(page: Page): Promise<axe.Result[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axe.source)
  const results = await page.evaluate<axe.AxeResults>("axe.run({ iframes: false, resultTypes: ['violations'] })")
  return results.violations
}

/** The violations in both color schemes, narrow and wide. A page must not scroll sideways in any of them. */
export async function violationsInEachView(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 768, 1280]) {
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
