import type { OpenParams } from 'paywall-billing-sdk/browser'
import { describe, expect, test } from 'vitest'
import { inPage, openTab, signInInTab, siteOfFile, type Tab } from '../support/site.ts'
import { emailIn, keep, keptIn, noting, refreshIn } from '../support/stored-session.ts'
import { until } from '../support/until.ts'

const fixture = siteOfFile()

const open = () => openTab(fixture.site, fixture.context)

/** Fills the local storage of the page's origin completely. */
const fillStorage = ({ page }: Tab) =>
  page.evaluate(`for (let size = 2 ** 22, text = ''; size >= 1; ) {
    try {
      localStorage.setItem('full', text + ' '.repeat(size))
      text += ' '.repeat(size)
    } catch {
      size /= 2
    }
  }`)

/** Makes the browser deny access to a property of `window`, as some privacy settings do. */
const deny = (property: string) =>
  fixture.context.addInitScript(
    `Object.defineProperty(window, '${property}', { get() { throw new DOMException('denied', 'SecurityError') } })`,
  )

describe('storage', () => {
  test('that is denied keeps a session until the page is closed', async () => {
    await deny('localStorage')
    const tab = await open()
    const email = await signInInTab(fixture.site, tab)
    expect(await refreshIn(tab)).toBe(email)
    expect(await emailIn(await open())).toBeNull()
  })

  test('that is full keeps a new session until the page is closed', async () => {
    const tab = await open()
    await fillStorage(tab)
    const email = await signInInTab(fixture.site, tab)
    expect(await refreshIn(tab)).toBe(email)
    expect(await emailIn(await open())).toBeNull()
  })

  test('that became full after signing in still contains the session', async () => {
    const tab = await open()
    const email = await signInInTab(fixture.site, tab)
    await fillStorage(tab)
    expect(await emailIn(await open())).toBe(email)
  })
})

describe('if the browser restricts a page', () => {
  test('in a sandboxed frame without an origin, open still works', async () => {
    const page = await fixture.context.newPage()
    await page.goto(fixture.site.url)
    await page.evaluate(`document.body.innerHTML = '<iframe sandbox="allow-scripts" src="/framed"></iframe>'`)
    const frame = await until('the frame', async () => page.frames().find((each) => each.url().endsWith('/framed')))
    const isOpened = page.waitForRequest((request) => request.url().startsWith(fixture.site.world.stripe.url))
    await frame.evaluate(
      `import('/sdk.js').then(async ({ createPaywall }) => void (await createPaywall('${fixture.site.origin}')).open('monthly'))`,
    )
    await isOpened
  })

  test('without BroadcastChannel, each tab learns of a sign-in when it refreshes', async () => {
    await deny('BroadcastChannel')
    const [tab, other] = [await open(), await open()]
    const email = await signInInTab(fixture.site, tab)
    expect(await emailIn(other)).toBeNull()
    expect(await refreshIn(other)).toBe(email)
  })
})

test('a network failure does not sign the user out', async () => {
  const [tab, other] = [await open(), await open()]
  const email = await signInInTab(fixture.site, tab)
  await expect.poll(() => emailIn(other)).toBe(email)
  await keep(tab, { staleAt: 0 })
  const kept = await keptIn(tab)
  await fixture.context.setOffline(true)
  const refused = await tab.paywall.evaluate((paywall) => paywall.refresh().catch(({ code }) => code))
  expect(refused).toBe('network_error')
  expect([await emailIn(tab), await keptIn(tab)]).toEqual([email, kept])
  await expect(inPage(fixture.site, other.page)).rejects.toThrow('The service could not be reached')
  await fixture.context.setOffline(false)
  expect([await refreshIn(tab), await refreshIn(other)]).toEqual([email, email])
})

test("a tab whose clock is a day ahead considers the others' tokens expired, and each refreshes them once", async () => {
  const tab = await open()
  const email = await signInInTab(fixture.site, tab)
  const ahead = await fixture.context.newPage()
  await ahead.addInitScript('const now = Date.now; Date.now = () => now() + 86_400_000')
  await ahead.goto(fixture.site.url)
  const calls = noting(tab, '/sign-in/token')
  const other = await inPage(fixture.site, ahead)
  expect([await emailIn(other), await refreshIn(other), await refreshIn(tab)]).toEqual([email, email, email])
  expect(calls).toHaveLength(1)
  await keep(tab, { accessToken: 'expired' })
  expect([await refreshIn(tab), await refreshIn(other), await refreshIn(tab)]).toEqual([email, email, email])
  expect(calls).toHaveLength(3)
})

describe('clicks', () => {
  const thanks = (name: string): OpenParams => ({ successUrl: `/${name}`, errorUrl: `/${name}` })

  test('at the same time with different URLs: the last one is followed', async () => {
    const { page, paywall } = await open()
    const navigatedTo: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && navigatedTo.push(request.url()))
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => paywall.evaluate((shop, order) => shop.open('monthly', order), thanks(name))),
    )
    expect(one?.checkoutUrl).not.toBe(other?.checkoutUrl)
    await page.waitForURL(other!.checkoutUrl)
    expect(navigatedTo).toEqual([other?.checkoutUrl])
  })

  test('after the Back button lead to the same page again', async () => {
    const { page, paywall } = await open()
    // On a response without content the browser stays on the current page.
    await page.route(`${fixture.site.world.stripe.url}/**`, (route) => route.fulfill({ status: 204 }), { times: 1 })
    const left = page.waitForResponse(
      (response) => response.status() === 204 && response.request().isNavigationRequest(),
    )
    const { checkoutUrl } = await paywall.evaluate((shop) => shop.open('monthly'))
    await left
    await paywall.evaluate((shop) => void setTimeout(() => shop.open('monthly')))
    await page.waitForURL(checkoutUrl)
  })
})
