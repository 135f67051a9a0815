import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WITH_IMAGES } from './demo-paywall.ts'
import { faultsOnTheWay } from './keyboard-navigation.ts'
import { startPages } from './pages.ts'
import { DRAWN } from './rendered-pages.ts'
import { type Scene, startScene } from './scene.ts'

const ROOT = join(import.meta.dirname, '../..')
const VIEWS = 'functions/pages/views'

let scene: Scene
/** The classes of what the pages had on them. */
const drawn = new Set<string>()

beforeAll(async () => {
  scene = await startScene(await startPages({ paywall: WITH_IMAGES }))
})

afterAll(() => scene.pages.close())

/** What axe finds on a page, as it is now: in both schemes, wide and narrow, where nothing may stick out either. */
async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const sticksOut = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      const where = `${colorScheme} ${width}`
      if (sticksOut) found.push(`${where}: scrolls sideways`)
      for (const { id, nodes } of violations) found.push(`${where}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
    }
  }
  return found
}

const states = Object.entries(DRAWN).flatMap(([name, ways]) =>
  Object.entries(ways).map(([state, way]) => ({ name, state, way })),
)

describe('nobody is kept out: axe finds nothing, and the Tab key comes to everything in order, seen, and out again', () => {
  test.each(states)('$name $state', async ({ way }) => {
    const page = await way(scene)
    for (const name of await page.evaluate<string[]>(
      "[...document.querySelectorAll('[class]')].flatMap((each) => [...each.classList])",
    ))
      drawn.add(name)
    expect(await findings(page)).toEqual([])
    expect(await faultsOnTheWay(page)).toEqual([])
  })
})

test('these are all the pages that people are shown, and everything that is styled was on one of them', () => {
  const sources = [...readdirSync(join(ROOT, VIEWS)).map((file) => join(VIEWS, file)), 'lib/http/error-page.ts']
  const names = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^export (?:function|const) (\w+Page)\b/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(Object.keys(DRAWN).toSorted()).toEqual(names.filter((name) => name !== 'sitePage').toSorted())
  const selectors = readFileSync(join(ROOT, 'functions/pages/style.css'), 'utf8').replace(
    /\{[^{}]*\}|\/\*.*?\*\//gs,
    '',
  )
  const styled = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!))
  expect([...styled].filter((name) => !drawn.has(name))).toEqual([])
})
