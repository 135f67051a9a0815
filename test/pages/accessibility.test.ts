import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsInEachView } from '../support/accessibility.ts'
import { WITH_IMAGES } from './demo-paywall.ts'
import { faultsOnTheWay } from './keyboard-navigation.ts'
import { startPages } from './pages.ts'
import { RENDERED } from './rendered-pages.ts'
import { type Scene, startScene } from './scene.ts'

const ROOT = join(import.meta.dirname, '../..')
const VIEWS = 'functions/pages/views'

let scene: Scene
/** The CSS classes of the elements on the visited pages. */
const usedClasses = new Set<string>()

beforeAll(async () => {
  scene = await startScene(await startPages({ paywall: WITH_IMAGES }))
})

afterAll(() => scene.pages.close())

const states = Object.entries(RENDERED).flatMap(([name, ways]) =>
  Object.entries(ways).map(([state, way]) => ({ name, state, way })),
)

describe('axe finds no violations, and the Tab key reaches every control in order, with a visible focus, and leaves the page:', () => {
  test.each(states)('$name $state', async ({ way }) => {
    const page = await way(scene)
    for (const name of await page.evaluate<string[]>(
      "[...document.querySelectorAll('[class]')].flatMap((each) => [...each.classList])",
    ))
      usedClasses.add(name)
    expect(await violationsInEachView(page)).toEqual([])
    expect(await faultsOnTheWay(page)).toEqual([])
  })
})

test('the list above contains every page, and every CSS class is used on one of them', () => {
  const sources = [...readdirSync(join(ROOT, VIEWS)).map((file) => join(VIEWS, file)), 'lib/http/error-page.ts']
  const names = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^export (?:function|const) (\w+Page)\b/gm)].map(
      ([, name]) => name,
    ),
  )
  expect(Object.keys(RENDERED).toSorted()).toEqual(names.filter((name) => name !== 'sitePage').toSorted())
  const selectors = readFileSync(join(ROOT, 'functions/pages/style.css'), 'utf8').replace(
    /\{[^{}]*\}|\/\*.*?\*\//gs,
    '',
  )
  const styled = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!))
  expect([...styled].filter((name) => !usedClasses.has(name))).toEqual([])
})
