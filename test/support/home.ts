import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { openBrowser } from './browser.ts'
import { newEmail } from './checkout.ts'
import { startTestWorld, type TestWorld } from './world.ts'

/** A world's home page in a real browser. The caller closes it. */
export interface HomeVisit {
  world: TestWorld
  home: Home
  browser: Browser
  page: Page
  /** The paywall files that home reports as invalid. */
  invalidFiles: { path: string; errors: string[] }[]
  close(): Promise<void>
}

/** Starts a world and its home, and opens a browser. Pages poll often, so that no test waits for them. */
export async function visitHome(): Promise<HomeVisit> {
  await using started = new AsyncDisposableStack()
  const world = started.adopt(await startTestWorld(), (all) => all.close())
  const invalidFiles: HomeVisit['invalidFiles'] = []
  const files = { served: () => [world.file], known: () => [world.file] }
  const options = {
    port: 0,
    pollMs: 100,
    world,
    files,
    reload: async () => {},
    visitor: { country: 'US' },
    shop: null,
    invalidFiles: () => invalidFiles,
  }
  const home = started.adopt(await startHome(options), (part) => part.close())
  const browser = started.adopt(await openBrowser(), (each) => each.close())
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const running = started.move()
  return { world, home, browser, page, invalidFiles, close: () => running.disposeAsync() }
}

/** A section of the page, by its heading. */
export const section = ({ page }: HomeVisit, name: string): Locator => page.getByRole('region', { name })

/** The latest entry in home's journal. */
export const shown = (visit: HomeVisit): Locator => section(visit, 'Journal').locator('[data-latest]')

/** Buys from home, pays on the processor's page, and returns home. Returns the buyer's address. */
export async function buyAtHome({ page, home, world }: HomeVisit, label: string, email = newEmail()): Promise<string> {
  await page.goto(home.url)
  await page.getByLabel('Buy as').fill(email)
  await page.getByRole('button', { name: `Buy ${label}` }).click()
  await page.getByRole('button', { name: /^Pay/ }).first().click()
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
  expect(page.url()).toBe(`${world.url}/p/${world.paywall.id}/thanks`)
  await page.goto(home.url)
  return email
}
