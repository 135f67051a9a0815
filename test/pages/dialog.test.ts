import { gzipSync } from 'node:zlib'
import type { BrowserContext, FrameLocator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { violations } from '../support/accessibility.ts'
import { bundledModule } from '../support/bundled-sdk.ts'
import { getPriceId, newEmail } from '../support/checkout.ts'
import { endSession, readMailedCode, signInByMail } from '../support/sign-in.ts'
import { WITH_UNITS } from './demo-paywall.ts'
import { getFrame, type OwnerPage, openDialog, readMessages, startOwnerPage } from './owner-page.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY } from './visitor.ts'

let pages: Pages
let context: BrowserContext
let shop: OwnerPage
let origin: string
/** The paywall page on the service's host. */
let home: string

beforeAll(async () => {
  pages = await startPages({ paywall: WITH_UNITS })
  home = `${pages.world.url}/p/${pages.world.paywall.id}`
  const sdk = await bundledModule("export * from 'paywall-billing-sdk/dialog'")
  shop = await startOwnerPage(pages, pages.world.paywall, { '/sdk.js': sdk })
  origin = shop.origin
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

async function openFromLink(page: Page): Promise<FrameLocator> {
  const frame = await openDialog(page)
  await frame.getByRole('button', { name: BUY }).waitFor()
  return frame
}

test('a dialog loads at most 30 KB, from the origin of the paywall', async () => {
  const page = await openShop()
  const loaded: Promise<{ origin: string; size: number }>[] = []
  page.on('response', (response) => {
    if (response.frame() === page.mainFrame() || response.status() >= 300) return
    const { origin } = new URL(response.url())
    loaded.push(response.body().then((body) => ({ origin, size: gzipSync(body).length })))
  })
  await openFromLink(page)
  await page.waitForLoadState('networkidle')
  const responses = await Promise.all(loaded)
  expect(new Set(responses.map((each) => each.origin))).toEqual(new Set([pages.world.url]))
  expect(responses.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(30 * 1024)
})

async function pay(page: Page, value = 'pay'): Promise<void> {
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  const email = page.getByLabel('Email')
  if (await email.isEditable()) await email.fill(newEmail())
  await page.locator(`button[value=${value}]`).click()
  await page.waitForURL(`${origin}/**`)
}

describe('a link with data-paywall on a page of another site', () => {
  test('sells in a dialog, and reports to the page what was bought', async () => {
    const page = await openShop('/editor?file=7#page=2')
    const frame = await openFromLink(page)
    expect(await violations(page)).toEqual([])
    await frame.getByRole('radio', { name: 'Yearly' }).check()
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page)
    expect(page.url()).toBe(`${origin}/editor?file=7#page=2`)
    await getFrame(page).getByRole('heading', { name: 'Thank you!' }).waitFor()
    const purchase = {
      id: expect.any(String),
      price_id: expect.any(String),
      price_slug: 'yearly',
      quantity: 1,
      status: 'active',
    }
    await expect.poll(() => readMessages(page)).toEqual([{ type: 'paywall:bought', detail: purchase }])

    await getFrame(page).getByRole('button', { name: 'Back to shop.localhost' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await readMessages(page)).toContainEqual({ type: 'paywall:close', detail: null })
  })

  test('returns to the dialog if the buyer does not pay', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page, 'cancel')
    expect(await getFrame(page).getByRole('status').first().textContent()).toContain('was not completed')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${origin}/`)
  })

  test('is in the language of the page', async () => {
    const page = await openShop('/?lang=de')
    await page.getByRole('link', { name: 'Upgrade' }).click()
    await getFrame(page).getByRole('heading', { level: 1, name: 'Mehr schaffen mit Acme Pro' }).waitFor()
    await page.getByRole('button', { name: 'Schließen' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('sells from a page with a long URL, and returns to it', async () => {
    const path = `/editor?state=${'x'.repeat(3_000)}`
    const page = await openShop(path)
    const frame = await openFromLink(page)
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page)
    await getFrame(page).getByRole('heading', { name: 'Thank you!' }).waitFor()
    expect(page.url()).toBe(origin + path)
  })

  test('reports the new purchase, not an older one, if it is late', async () => {
    const page = await openShop()
    const buy = async (price: string) => {
      const frame = await openFromLink(page)
      await frame.getByRole('radio', { name: price }).check()
      await frame.getByRole('button', { name: BUY }).click()
    }
    await buy('Yearly')
    await pay(page)
    await getFrame(page).getByRole('button', { name: 'Back to shop.localhost' }).click()
    await buy('Lifetime')
    const { stripe } = pages.world
    stripe.holdWebhooks()
    stripe.onCall = async ({ method }, run) => (method === 'GET' ? Promise.reject(new DroppedCall()) : run())
    await pay(page)
    await getFrame(page).getByText('Your payment is being processed').first().waitFor()
    expect(await readMessages(page)).toEqual([])
    stripe.onCall = undefined
    await stripe.sendHeldWebhooks()
    const purchase = expect.objectContaining({ price_slug: 'lifetime' })
    await expect
      .poll(() => readMessages(page), { timeout: 20_000 })
      .toEqual([{ type: 'paywall:bought', detail: purchase }])
  })

  test('reports a change of plan that is made at once, as the purchase at its new price and quantity', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    await frame.getByRole('link', { name: 'Your account' }).click()
    const email = newEmail()
    await frame.getByLabel('E-mail address').fill(email)
    await frame.getByRole('button', { name: 'Send me a code' }).click()
    await frame.getByLabel('Code from the e-mail').fill(await readMailedCode(pages.world, email))
    await frame.getByRole('button', { name: 'Sign in' }).click()
    await frame.getByRole('link', { name: 'See prices' }).click()
    await frame.getByRole('radio', { name: 'Yearly' }).check()
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page)
    await getFrame(page).getByRole('heading', { name: 'Thank you!' }).waitFor()
    await expect.poll(() => readMessages(page)).toHaveLength(1)
    const [bought] = await readMessages(page)
    await getFrame(page).getByRole('banner').getByRole('link').click()
    await getFrame(page)
      .getByRole('main')
      .getByRole('link', { name: /^Month/ })
      .click()
    await getFrame(page).getByRole('link', { name: 'Change to Monthly' }).click()
    await getFrame(page).getByRole('button', { name: 'Change now' }).click()
    await getFrame(page).getByRole('heading', { name: 'You have changed to Monthly' }).waitFor()
    const price = { price_id: getPriceId(pages.world.paywall, 'monthly'), price_slug: 'monthly' }
    const changed = { type: 'paywall:bought', detail: { ...(bought!.detail as object), ...price } }
    await expect.poll(() => readMessages(page)).toEqual([bought, changed])

    await getFrame(page).getByRole('banner').getByRole('link').click()
    await getFrame(page).getByRole('main').getByRole('link', { name: 'Your account' }).click()
    await getFrame(page).getByRole('link', { name: 'Change the number of units' }).click()
    await getFrame(page).getByLabel('Number of units').fill('3')
    await getFrame(page).getByRole('button', { name: 'Show the total' }).click()
    await getFrame(page)
      .getByRole('button', { name: /^Change|^Pay/ })
      .click()
    await getFrame(page).getByRole('heading', { name: 'You have changed to 3 × Monthly' }).waitFor()
    const more = { ...changed, detail: { ...changed.detail, quantity: 3 } }
    await expect.poll(() => readMessages(page)).toEqual([bought, changed, more])
    await getFrame(page).getByRole('button', { name: 'Back to shop.localhost' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('closes by Escape, also if the focus is in the dialog’s pages', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    await frame.getByRole('radio').first().focus()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('ignores messages of another frame of the paywall’s origin, and of another origin in the dialog', async () => {
    const page = await openShop()
    const frame = await openFromLink(page)
    const hostile =
      '<script>for (const type of ["leave", "close", "done"]) parent.postMessage({ type, url: "https://evil.example/" }, "*")</script>'
    await page.route('**/hostile', (route) => route.fulfill({ contentType: 'text/html', body: hostile }))
    await page.evaluate(
      `window.done = 0; addEventListener('message', ({ data }) => { if (data.type === 'done') window.done += 1 })`,
    )
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${pages.world.url}/hostile' }))`,
    )
    await page.waitForFunction('window.done === 1')
    expect(await frame.getByRole('button', { name: BUY }).isVisible()).toBe(true)
    await page.evaluate("document.querySelector('dialog iframe').src = 'http://evil.localhost/hostile'")
    await page.waitForFunction('window.done === 2')
    expect(await page.locator('dialog').count()).toBe(1)
    expect(page.url()).toBe(`${origin}/`)
  })

  test('goes to the site if the browser blocks the cookies of the dialog', async () => {
    const page = await openShop()
    // Leads on without having set a cookie.
    const body = `<meta http-equiv="refresh" content="0; url=${home}/embed">`
    await page.route('**/embed/dialog', (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.getByRole('link', { name: 'Upgrade' }).click()
    // Leads there over a navigation that the script aborts, which waitForURL takes for a failure.
    await expect.poll(() => page.url()).toBe(home)
    await page.getByRole('button', { name: BUY }).waitFor()
  })

  test('goes to the site if the page’s origin is not listed', async () => {
    const page = await context.newPage()
    await page.goto(shop.unlisted)
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
      await getFrame(page).getByRole('link', { name: 'Your account' }).click()
    }
    await open(token)
    await getFrame(page).getByText(email).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await open(null)
    await getFrame(page).getByLabel('E-mail address').waitFor()
  })

  test('gets another token when the given one is over, and sells to nobody else meanwhile', async () => {
    const { world } = pages
    const email = newEmail()
    const { token, refreshToken } = await signInByMail(world, email)
    const page = await openShop('/plain')
    await page.evaluate(`window.token = '${token}'`)
    await (await createDialog(page)).evaluate((dialog: { open(): Promise<void> }) => dialog.open())
    const frame = getFrame(page)
    await frame.getByRole('button', { name: BUY }).waitFor()
    await endSession(world, refreshToken)
    await frame.getByRole('button', { name: BUY }).click()
    await frame.getByText('Your session has ended.').waitFor()
    await page.evaluate(`window.token = '${(await signInByMail(world, email)).token}'`)
    await frame.getByRole('button', { name: BUY }).click()
    await frame.getByText('Your session has ended.').waitFor({ state: 'detached' })
    await frame.getByRole('button', { name: BUY }).click()
    await pay(page)
    const { rows } = await world.database.query(
      'select u.email from purchases p join users u on u.id = p.user_id where u.email = $1',
      [email],
    )
    expect(rows).toEqual([{ email }])
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
    expect(cookies).toHaveLength(2)
    for (const cookie of cookies.filter((each) => !each.includes('Max-Age=0'))) {
      expect(cookie).toMatch(/^__Secure-.*; Path=\/p\/\d+\/embed; HttpOnly; Secure; SameSite=None; Partitioned$/)
    }
  })
})
