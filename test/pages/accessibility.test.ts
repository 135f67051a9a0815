import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsInEachView } from '../support/accessibility.ts'
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
    expect(await violationsInEachView(page)).toEqual([])
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
