import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { violations } from '../support/accessibility.ts'
import { openBrowser } from '../support/browser.ts'
import { call } from '../support/call.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

/** Rendering takes a second, so the tests share a page. */
describe('in a browser', () => {
  let browser: Browser
  let page: Page
  /** The page's requests, and the errors in its console. */
  const requested: string[] = []
  const errors: string[] = []

  beforeAll(async () => {
    browser = await openBrowser()
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.setDefaultTimeout(10_000)
    page.on('request', (request) => void requested.push(request.url()))
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
    page.on('pageerror', ({ message }) => void errors.push(message))
    await page.goto(`${world.docsUrl}/docs/api`)
    await page.getByRole('heading', { name: 'Paywall Billing API' }).waitFor()
  })
  afterAll(() => browser.close())

  /** All requests must go to our origin, and nothing may fail. */
  afterEach(() => {
    expect(requested.filter((url) => !/^(data|blob):/.test(url) && new URL(url).origin !== world.docsUrl)).toEqual([])
    expect(errors).toEqual([])
  })

  test('opens an operation from the list', async () => {
    await page.getByRole('link', { name: 'Checkout', exact: true }).click()
    await page
      .getByRole('link', { name: /^Open a hosted checkout/ })
      .first()
      .click()
    await heading('Open a hosted checkout').waitFor()
    expect(page.url()).toMatch(/#\/checkout\/startcheckout$/)
  })

  test('shows the samples of an operation, for curl and for the SDK', async () => {
    const panel = page.getByTestId('right-panel')
    await panel.getByText('curl -X POST "$API/api/v1/paywall/1001/start-checkout"').waitFor()
    await panel.getByRole('button', { name: 'curl' }).first().click()
    await page.getByTitle('SDK, server').first().click()
    await panel.getByText('new Paywall({').waitFor()
  })

  test('finds an operation by search', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Search' }).fill('portal')
    await page
      .getByRole('link', { name: /Open the processor's customer portal/ })
      .first()
      .click()
    await heading("Open the processor's customer portal").waitFor()
  })

  test('shows the webhooks that an owner receives', async () => {
    await page.goto(`${world.docsUrl}/docs/api#/events/onsubscriptioncreated`)
    await heading('subscription.created').waitFor()
    await page.getByText('Arrives when a subscription has begun, with a trial or a payment.').waitFor()
  })

  test.each(
    (['light', 'dark'] as const).flatMap((colorScheme) =>
      ['', '#/checkout/startcheckout', '#/events'].map((place) => ({ colorScheme, place })),
    ),
  )('is accessible except for two violations of Redoc: $colorScheme, $place', async ({ colorScheme, place }) => {
    await page.emulateMedia({ colorScheme })
    await page.goto('about:blank')
    await page.goto(`${world.docsUrl}/docs/api${place}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    const others = (await violations(page)).filter(({ id }) => id !== 'heading-order' && id !== 'region')
    expect(
      others.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, any }) => [html, any[0]?.message]) })),
    ).toEqual([])
  })

  const heading = (name: string) => page.getByRole('main').getByRole('heading', { name }).first()
})

test.each([390, 1280])('fits a screen that is %d wide', async (width) => {
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage({ viewport: { width, height: 900 } })
  await page.goto(`${world.docsUrl}/docs/api#/checkout/startcheckout`)
  await page.getByRole('heading', { name: 'Open a hosted checkout' }).first().waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
})

test('redoc.js is publicly cacheable for five minutes', async () => {
  const { status, headers } = await call(world, `${world.docsUrl}/docs/api/redoc.js`)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=300',
    'content-type': 'text/javascript; charset=utf-8',
  })
  const again = await call(world, `${world.docsUrl}/docs/api/redoc.js`, {
    headers: { 'if-none-match': headers.etag ?? '' },
  })
  expect(again).toMatchObject({ status: 304, body: '' })
})
