import { randomUUID } from 'node:crypto'
import type { BrowserPaywall, ChangeReason, OpenParams, User } from 'paywall-billing-sdk/browser'
import type { Browser, BrowserContext, JSHandle, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { openBrowser } from './browser.ts'
import { bundledModule } from './bundled-sdk.ts'
import { newEmail } from './checkout.ts'
import { listSite, startOwnerSite } from './owner-site.ts'
import { type FileJson, monthly } from './paywall-file.ts'
import { readMailedCode } from './sign-in.ts'
import { startTestWorld, type TestWorld } from './world.ts'

/** A world, and an owner's site that sells through its paywall, in a real browser. The caller closes it. */
export interface Site {
  world: TestWorld
  browser: Browser
  /** Every page of it may import the SDK's browser entry as `/sdk.js`. */
  url: string
  /** The origin of the paywall's own domain. */
  origin: string
  close(): Promise<void>
}

/** `paywall`: fields of the paywall. By default it has a monthly price with the feature `export`. */
export async function startSite(
  paywall: FileJson = { prices: [monthly({ features: ['export'] })] },
  { rateLimited = false } = {},
): Promise<Site> {
  await using started = new AsyncDisposableStack()
  // The Workers cache the paywall of a domain for some seconds, and they also serve the worlds of other tests.
  const domain = `pay-${randomUUID()}.localhost`
  const world = started.adopt(await startTestWorld({ rateLimited, file: { paywall: { ...paywall, domain } } }), (all) =>
    all.close(),
  )
  const sdk = await bundledModule("export * from 'paywall-billing-sdk/browser'")
  const pages = await startOwnerSite('<!doctype html><title>A site</title>', { '/sdk.js': sdk })
  const { url } = started.adopt(pages, (each) => each.close())
  await listSite(world, url)
  const browser = started.adopt(await openBrowser(), (each) => each.close())
  const running = started.move()
  const origin = `http://${domain}:${new URL(world.url).port}`
  return { world, browser, url, origin, close: () => running.disposeAsync() }
}

/** Starts a site for all tests of the calling file, and a browser context for each test, as for a new visitor. `paywall`: see startSite. */
export function siteOfFile(paywall?: FileJson): { readonly site: Site; readonly context: BrowserContext } {
  let site: Site
  let context: BrowserContext
  beforeAll(async () => {
    site = await startSite(paywall)
  })
  afterAll(() => site.close())
  beforeEach(async () => {
    context = await site.browser.newContext()
  })
  afterEach(() => context.close())
  return {
    get site() {
      return site
    },
    get context() {
      return context
    },
  }
}

/** A page of a site, and the paywall in it. */
export interface Tab {
  page: Page
  paywall: JSHandle<BrowserPaywall>
  /** What the page's listener received since it was loaded: the user, and whether a purchase is awaited. */
  received(): Promise<{ user: User | null; isWaiting: boolean }[]>
  /** The reasons that it received. */
  reasons(): Promise<ChangeReason[]>
}

/** The code that a page runs as soon as it is loaded. */
const code = (origin: string, options: string) => `import('/sdk.js').then(async ({ createPaywall }) => {
  const paywall = await createPaywall('${origin}', ${options})
  window.received = []
  window.reasons = []
  paywall.onChange((user, reason) => {
    window.received.push({ user, isWaiting: paywall.isWaiting })
    window.reasons.push(reason)
  })
  return paywall
})`

/** Creates the paywall in a loaded page of the site. `options` is JavaScript. */
export async function inPage({ origin }: Site, page: Page, options = '{}'): Promise<Tab> {
  const paywall = (await page.evaluateHandle(code(origin, options))) as JSHandle<BrowserPaywall>
  return {
    page,
    paywall,
    received: () => page.evaluate('window.received'),
    reasons: () => page.evaluate('window.reasons'),
  }
}

/** Opens a page of the site in a new tab, and the paywall in it. */
export async function openTab(site: Site, context: BrowserContext, path = '/', options?: string): Promise<Tab> {
  const page = await context.newPage()
  await page.goto(site.url + path)
  return inPage(site, page, options)
}

/** Buys in a tab: enters an address if the hosted page asks for one, and presses a button. Resolves when the browser has returned. */
export async function buyInTab(
  site: Site,
  { page, paywall }: Tab,
  { action = 'pay', email = newEmail(), order = {} }: { action?: string; email?: string; order?: OpenParams } = {},
): Promise<Tab> {
  await paywall.evaluate((opened, how) => void opened.open('monthly', how), order)
  await page.waitForURL(`${site.world.stripe.url}/**`)
  const field = page.getByLabel('Email')
  if (await field.isEditable()) await field.fill(email)
  await page.locator(`button[value=${action}]`).click()
  await page.waitForURL(`${site.url}/**`)
  return inPage(site, page)
}

/** Signs in in a tab with a mailed code. Returns the address. */
export async function signInInTab({ world }: Site, { paywall }: Tab, email = newEmail()): Promise<string> {
  const before = world.mail.received.filter(({ to }) => to === email).length
  await paywall.evaluate((opened, address) => opened.signIn(address), email)
  const code = await readMailedCode(world, email, before + 1)
  await paywall.evaluate((opened, digits) => opened.confirm(digits).then(() => undefined), code)
  return email
}

/** Lets the service carry out a call, but drops the response. */
export async function dropResponse({ world }: Site, route: Route): Promise<void> {
  const request = route.request()
  const headers = await request.allHeaders()
  await world.fetch(request.url(), { method: request.method(), headers, body: request.postData() })
  await route.abort()
}
