import type { OpenOrder } from 'paywall-billing-sdk/browser'
import { describe, expect, test } from 'vitest'
import { inPage, openTab, signInIn, siteOfFile, type Tab } from '../support/site.ts'
import { emailIn, keep, keptIn, noting, refreshIn } from '../support/stored-session.ts'
import { until } from '../support/until.ts'

const here = siteOfFile()

const open = () => openTab(here.site, here.context)

/** Leaves no room in the storage of the page's origin, for as little as a letter. */
const fillStorage = ({ page }: Tab) =>
  page.evaluate(`for (let size = 2 ** 22, text = ''; size >= 1; ) {
    try {
      localStorage.setItem('full', text + ' '.repeat(size))
      text += ' '.repeat(size)
    } catch {
      size /= 2
    }
  }`)

/** Has the browser deny something to the page, as where nothing may be kept. */
const deny = (thing: string) =>
  here.context.addInitScript(
    `Object.defineProperty(window, '${thing}', { get() { throw new DOMException('denied', 'SecurityError') } })`,
  )

describe('storage', () => {
  test('that is denied: the session lives as long as the page', async () => {
    await deny('localStorage')
    const tab = await open()
    const email = await signInIn(here.site, tab)
    expect(await refreshIn(tab)).toBe(email)
    expect(await emailIn(await open())).toBeNull()
  })

  test('that is full: a new session lives as long as the page', async () => {
    const tab = await open()
    await fillStorage(tab)
    const email = await signInIn(here.site, tab)
    expect(await refreshIn(tab)).toBe(email)
    expect(await emailIn(await open())).toBeNull()
  })

  test('that was filled later: the session is read from it', async () => {
    const tab = await open()
    const email = await signInIn(here.site, tab)
    await fillStorage(tab)
    expect(await emailIn(await open())).toBe(email)
  })
})

describe('where the browser denies a page', () => {
  test('its origin, as a sandboxed frame, it sells all the same', async () => {
    const page = await here.context.newPage()
    await page.goto(here.site.url)
    await page.evaluate(`document.body.innerHTML = '<iframe sandbox="allow-scripts" src="/framed"></iframe>'`)
    const frame = await until('the frame', async () => page.frames().find((each) => each.url().endsWith('/framed')))
    const isOpened = page.waitForRequest((request) => request.url().startsWith(here.site.world.stripe.url))
    await frame.evaluate(
      `import('/sdk.js').then(async ({ createPaywall }) => void (await createPaywall('${here.site.origin}')).open('monthly'))`,
    )
    await isOpened
  })

  test('to get messages from other tabs, each finds out by itself who is signed in', async () => {
    await deny('BroadcastChannel')
    const [tab, other] = [await open(), await open()]
    const email = await signInIn(here.site, tab)
    expect(await emailIn(other)).toBeNull()
    expect(await refreshIn(other)).toBe(email)
  })
})

test('a network that is away signs nobody out', async () => {
  const [tab, other] = [await open(), await open()]
  const email = await signInIn(here.site, tab)
  await expect.poll(() => emailIn(other)).toBe(email)
  await keep(tab, { staleAt: 0 })
  const kept = await keptIn(tab)
  await here.context.setOffline(true)
  const refused = await tab.paywall.evaluate((paywall) => paywall.refresh().catch(({ code }) => code))
  expect(refused).toBe('network_error')
  expect([await emailIn(tab), await keptIn(tab)]).toEqual([email, kept])
  await expect(inPage(here.site, other.page)).rejects.toThrow('The service could not be reached')
  await here.context.setOffline(false)
  expect([await refreshIn(tab), await refreshIn(other)]).toEqual([email, email])
})

test("a tab whose clock is a day ahead considers the others' tokens expired, and each refreshes them once", async () => {
  const tab = await open()
  const email = await signInIn(here.site, tab)
  const ahead = await here.context.newPage()
  await ahead.addInitScript('const now = Date.now; Date.now = () => now() + 86_400_000')
  await ahead.goto(here.site.url)
  const calls = noting(tab, '/sign-in/token')
  const other = await inPage(here.site, ahead)
  expect([await emailIn(other), await refreshIn(other), await refreshIn(tab)]).toEqual([email, email, email])
  expect(calls).toHaveLength(1)
  await keep(tab, { accessToken: 'expired' })
  expect([await refreshIn(tab), await refreshIn(other), await refreshIn(tab)]).toEqual([email, email, email])
  expect(calls).toHaveLength(3)
})

describe('of clicks', () => {
  const thanks = (name: string): OpenOrder => ({ successUrl: `/${name}`, errorUrl: `/${name}` })

  test('that mean two pages at the same time, the last one counts', async () => {
    const { page, paywall } = await open()
    const wentTo: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && wentTo.push(request.url()))
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => paywall.evaluate((shop, order) => shop.open('monthly', order), thanks(name))),
    )
    expect(one?.checkoutUrl).not.toBe(other?.checkoutUrl)
    await page.waitForURL(other!.checkoutUrl)
    expect(wentTo).toEqual([other?.checkoutUrl])
  })

  test('one after the Back button goes to the page again', async () => {
    const { page, paywall } = await open()
    // The browser stays on a page where it is if that has no content.
    await page.route(`${here.site.world.stripe.url}/**`, (route) => route.fulfill({ status: 204 }), { times: 1 })
    const left = page.waitForResponse(
      (response) => response.status() === 204 && response.request().isNavigationRequest(),
    )
    const { checkoutUrl } = await paywall.evaluate((shop) => shop.open('monthly'))
    await left
    await paywall.evaluate((shop) => void setTimeout(() => shop.open('monthly')))
    await page.waitForURL(checkoutUrl)
  })
})
