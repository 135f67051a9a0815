import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { call } from '../support/call.ts'
import { buy } from '../support/checkout.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld

beforeAll(async () => {
  world = await startTestWorld()
})

afterAll(() => world.close())

/** It takes a second to draw the page: the tests go on where the one before has left it. */
describe('in a browser', () => {
  let browser: Browser
  let page: Page
  /** What the page asked for, and what its browser complained of. */
  const requested: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await openBrowser()
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.setDefaultTimeout(10_000)
    page.on('request', (request) => void requested.push(request.url()))
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', ({ message }) => void complaints.push(message))
    await page.goto(`${world.docsUrl}/docs/api`)
    await page.getByRole('heading', { level: 1, name: 'Paywall Billing API' }).waitFor()
  })
  afterAll(() => browser.close())

  /** Whatever was done there: nothing was asked of another host, and nothing was wrong. */
  afterEach(() => {
    expect(requested.filter((url) => !/^(data|blob):/.test(url) && new URL(url).origin !== world.docsUrl)).toEqual([])
    expect(complaints).toEqual([])
  })

  const operation = (name: string) => page.getByRole('region', { name, exact: true })

  test('shows an operation that is chosen from its list', async () => {
    await page.getByRole('button', { name: 'Open Group - Checkout' }).click()
    await page.getByRole('link', { name: /^Open a hosted checkout/ }).click()
    await operation('Open a hosted checkout').getByText('price_not_found').first().waitFor()
    expect(page.url()).toMatch(/#.*start-checkout/)
  })

  test('is readable for everybody, but for two faults of Scalar: a button without a name, and one with two', async () => {
    await page.reload()
    await operation('Open a hosted checkout').getByText('price_not_found').first().waitFor()
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze() // it has no frames
    expect(violations.map(({ id }) => id)).toEqual(['button-name', 'label-content-name-mismatch'])
  })

  test('finds an operation by what is typed', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Enter search query' }).fill('portal')
    await page.getByRole('option', { name: "Operation: Open the processor's customer portal" }).click()
    await operation("Open the processor's customer portal").getByText('portal_unavailable').first().waitFor()
  })

  test('sends a request with a key to the host that it is served by, and keeps no key', async () => {
    await buy(world, { paywall: world.paywall, key: world.key, email: 'ada@example.com' })
    await page.goto(`${world.docsUrl}/docs/api`)
    const client = await openClient()
    await client.getByRole('row', { name: 'Include id in request' }).getByRole('combobox').last().fill(world.paywall.id)
    await client.getByRole('textbox', { name: 'Value' }).fill(world.key)
    await client.getByRole('button', { name: /^Send get request/ }).click()
    await client.getByRole('region', { name: 'Response' }).getByText('"monthly"').first().waitFor()

    await page.reload()
    const empty = (await openClient()).getByRole('textbox', { name: 'Value' })
    expect(await empty.inputValue()).toBe('')
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')
    expect(kept).not.toContain(world.key)
  })

  /** Opens what sends requests, at the operation that reads the state of ada@example.com. */
  async function openClient(): Promise<Locator> {
    await page.getByRole('link', { name: /^Read a user's state/ }).click()
    await operation("Read a user's state")
      .getByRole('button', { name: /^Test Request/ })
      .click()
    return page.getByRole('dialog', { name: 'API Client' })
  }
})

test('its script may be kept for five minutes by anybody', async () => {
  const { status, headers } = await call(world, `${world.docsUrl}/docs/api/scalar.js`)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=300',
    'content-type': 'text/javascript; charset=utf-8',
  })
  const again = await call(world, `${world.docsUrl}/docs/api/scalar.js`, {
    headers: { 'if-none-match': headers.etag ?? '' },
  })
  expect(again).toMatchObject({ status: 304, body: '' })
})
