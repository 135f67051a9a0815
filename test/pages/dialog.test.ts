import type { BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { violations } from '../support/accessibility.ts'
import { bundledModule } from '../support/bundled-sdk.ts'
import { newEmail } from '../support/checkout.ts'
import { startOwnerSite } from '../support/owner-site.ts'
import { signInByMail } from '../support/sign-in.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY } from './visitor.ts'

let pages: Pages
let context: BrowserContext
let shop: Awaited<ReturnType<typeof startOwnerSite>>
/** The owner's site, at another site than the paywall's. */
let origin: string
/** The paywall page on the service's host. */
let home: string

const html = (
  site: string,
) => `<!doctype html><html lang="en"><title>Acme</title><main><h1>Acme</h1><a data-paywall href="${site}">Upgrade</a></main>
<script>
  const told = []
  for (const type of ['paywall:bought', 'paywall:close']) document.addEventListener(type, ({ detail }) => told.push({ type, detail }))
</script>
<script src="${site}/dialog.js" async></script>`

beforeAll(async () => {
  pages = await startPages()
  home = `${pages.world.url}/p/${pages.world.paywall.id}`
  const sdk = await bundledModule("export * from 'paywall-billing-sdk/dialog'")
  shop = await startOwnerSite(html(home), { '/sdk.js': sdk })
  origin = `http://shop.localhost:${new URL(shop.url).port}`
  const [paywall] = pages.world.file.paywalls
  const settings = { ...paywall!.settings, embed_origins: [origin] }
  await pages.world.apply({ ...pages.world.file, paywalls: [{ ...paywall!, settings }] })
})
afterAll(async () => {
  await shop.close()
  await pages.close()
})
beforeEach(async () => {
  context = await pages.browser.newContext()
})
afterEach(() => context.close())

async function openShop(path = '/'): Promise<Page> {
  const page = await context.newPage()
  await page.goto(origin + path)
  return page
}

const frameOf = (page: Page): FrameLocator => page.frameLocator('dialog iframe')

async function openFromLink(page: Page): Promise<FrameLocator> {
  await page.getByRole('link', { name: 'Upgrade' }).click()
  const frame = frameOf(page)
  await frame.getByRole('button', { name: BUY }).waitFor()
  return frame
}

async function pay(page: Page, value = 'pay'): Promise<void> {
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  const email = page.getByLabel('Email')
  if (await email.isEditable()) await email.fill(newEmail())
  await page.locator(`button[value=${value}]`).click()
  await page.waitForURL(`${origin}/**`)
}

const told = (page: Page) => page.evaluate<{ type: string; detail: unknown }[]>('told')

describe('a link with data-paywall on a page of another site', () => {
  test('sells in a dialog, and tells the page what was bought', async () => {
    const page = await openShop('/editor?file=7')
    const frame = await openFromLink(page)
    expect(await violations(page)).toEqual([])
    await frame.getByRole('radio', { name: 'Yearly' }).check()
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page)
    expect(page.url()).toBe(`${origin}/editor?file=7`)
    await frameOf(page).getByRole('heading', { name: 'Thank you!' }).waitFor()
    const purchase = { id: expect.any(String), price_id: expect.any(String), price_slug: 'yearly', status: 'active' }
    await expect.poll(() => told(page)).toEqual([{ type: 'paywall:bought', detail: purchase }])

    await frameOf(page).getByRole('button', { name: 'Back to shop.localhost' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await told(page)).toContainEqual({ type: 'paywall:close', detail: null })
  })

  test('returns to the dialog if the buyer does not pay', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page, 'cancel')
    expect(await frameOf(page).getByRole('status').first().textContent()).toContain('was not completed')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${origin}/`)
  })

  test('is in the language of the page', async () => {
    const page = await openShop()
    await page.evaluate("document.documentElement.lang = 'de'")
    await page.getByRole('link', { name: 'Upgrade' }).click()
    await frameOf(page).getByRole('heading', { level: 1, name: 'Mehr schaffen mit Acme Pro' }).waitFor()
    await page.getByRole('button', { name: 'Schließen' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('closes by Escape, also if the focus is in the dialog’s pages', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    await frame.getByRole('radio').first().focus()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('ignores messages of other pages', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    await page.evaluate(`(async () => {
      const other = document.createElement('iframe')
      other.srcdoc = '<script>parent.postMessage({ type: "leave", url: "https://evil.example/" }, "*"); parent.postMessage("done", "*")</script>'
      const done = new Promise((resolve) => addEventListener('message', ({ data }) => data === 'done' && resolve()))
      document.body.append(other)
      postMessage({ type: 'close' }, '*')
      await done
    })()`)
    expect(page.url()).toBe(`${origin}/`)
    expect(await frame.getByRole('button', { name: BUY }).isVisible()).toBe(true)
  })

  test('goes to the site if the browser blocks the cookies of the dialog', async () => {
    const page = await openShop()
    // Leads on without having set a cookie.
    const body = `<meta http-equiv="refresh" content="0; url=${home}/embed">`
    await page.route('**/embed/dialog', (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.getByRole('link', { name: 'Upgrade' }).click()
    await page.waitForURL(home)
    expect(await page.getByRole('button', { name: BUY }).isVisible()).toBe(true)
  })

  test('goes to the site if the page’s origin is not listed', async () => {
    const page = await context.newPage()
    await page.goto(shop.url)
    await page.getByRole('link', { name: 'Upgrade' }).click()
    await page.waitForURL(home)
  })
})

/** Creates a dialog with the SDK for the user who is signed in on the page: `window.token` is the user's access token. */
const createDialog = (page: Page) =>
  page.evaluateHandle(
    `import('/sdk.js').then(({ createDialog }) => createDialog('${home}', { token: async () => window.token, onBought: (purchase) => { window.bought = purchase } }))`,
  )

describe('a dialog for the user who is signed in on the page', () => {
  test('sells to that user, and to nobody after the user has signed out', async () => {
    const { world } = pages
    const email = newEmail()
    const { token } = await signInByMail(world, email)
    const page = await openShop('/plain')
    const open = async (as: string | null) => {
      await page.evaluate(`window.token = ${JSON.stringify(as)}`)
      await (await createDialog(page)).evaluate((dialog: { open(): Promise<void> }) => dialog.open())
      await frameOf(page).getByRole('link', { name: 'Your account' }).click()
    }
    await open(token)
    await frameOf(page).getByText(email).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await open(null)
    await frameOf(page).getByLabel('E-mail address').waitFor()
  })
})

describe('the form that opens a dialog', () => {
  const open = (headers: Record<string, string>, fields: Record<string, string>) =>
    pages.world.fetch(`${home}/embed/dialog`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'cross-site', ...headers },
      body: new URLSearchParams({ action: 'sell', page: `${origin}/editor`, ...fields }),
    })

  test('is accepted from a listed origin only', async () => {
    const other = 'https://evil.example'
    expect((await open({ origin }, {})).status).toBe(303)
    expect((await open({ origin: other }, {})).status).toBe(403)
    expect((await open({ origin: other }, { page: `${other}/` })).status).toBe(403)
    expect((await open({ origin }, { page: `${other}/` })).status).toBe(403)
    expect((await open({ origin: 'null' }, {})).status).toBe(403)
    expect((await open({}, {})).status).toBe(403)
    expect((await open({ origin }, { action: 'account' })).status).toBe(400)
  })

  test('other forms of the dialog’s pages are accepted from these pages only', async () => {
    const headers = { origin, 'sec-fetch-site': 'cross-site' }
    const bought = await pages.world.fetch(`${home}/embed`, { method: 'POST', headers, body: new URLSearchParams({}) })
    expect(bought.status).toBe(403)
  })

  test('lets the listed page frame the dialog’s pages, and no page the others', async () => {
    const cookie = (await open({ origin }, {})).headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const policy = async (path: string) =>
      (await pages.world.fetch(home + path, { headers: { cookie } })).headers.get('content-security-policy')
    expect(await policy('/embed')).toContain(`frame-ancestors ${origin}`)
    expect(await policy('/embed/account')).toContain(`frame-ancestors ${origin}`)
    expect(await policy('')).toContain("frame-ancestors 'none'")
    expect(await policy('/account')).toContain("frame-ancestors 'none'")
  })

  test('its cookies are sent in frames of one site only, and not to the pages outside', async () => {
    const cookies = (await open({ origin }, { token: 'a.b.c' })).headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(2)
    for (const cookie of cookies.filter((each) => !each.includes('Max-Age=0'))) {
      expect(cookie).toMatch(/^__Secure-.*; Path=\/p\/\d+\/embed; HttpOnly; Secure; SameSite=None; Partitioned$/)
    }
  })
})
