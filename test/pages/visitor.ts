import type { BrowserContextOptions, Page } from 'playwright-core'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { readMailedCode } from '../support/sign-in.ts'
import type { TestWorld } from '../support/world.ts'
import type { Pages } from './pages.ts'

/** A visitor of a paywall's pages. */
export interface Visitor {
  world: TestWorld
  page: Page
  /** The URL of the paywall page on the service's host. */
  home: string
}

/** Opens one of the pages in a new browser context. */
export async function visit(
  { browser, world }: Pages,
  {
    path = '',
    paywall = world.paywall,
    ...options
  }: BrowserContextOptions & { path?: string; paywall?: FilePaywall } = {},
): Promise<Visitor> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const home = `${world.url}/p/${paywall.id}`
  await page.goto(home + path)
  return { world, page, home }
}

/** Presses a button in the main part of a page, or follows a link there, by its text. */
export const press = ({ page }: Pick<Visitor, 'page'>, name: string | RegExp, role: 'button' | 'link' = 'button') =>
  page.getByRole('main').getByRole(role, { name }).click()

/** The name of a button that buys. */
export const BUY = /^(Pay|Start) /

/** The heading of the page. */
export const getHeading = ({ page }: Visitor) => page.getByRole('heading', { level: 1 }).textContent()

/** Signs in with a mailed code, on a page that asks for the e-mail address. */
export async function signIn({ world, page }: Visitor, email: string): Promise<void> {
  const before = world.mail.received.filter(({ to }) => to === email).length
  await page.getByLabel('E-mail address').fill(email)
  await press({ page }, 'Send me a code')
  await page.getByLabel('Code from the e-mail').fill(await readMailedCode(world, email, before + 1))
  await press({ page }, 'Sign in')
  await page.waitForLoadState()
}
