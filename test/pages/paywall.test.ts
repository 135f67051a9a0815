import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
let browser: Browser

const PAYWALL = {
  name: 'Acme Pro',
  settings: { tokenization_queries: [{ type: 'standard' }] },
  prices: [monthly(), yearly()],
  layout: {
    type: 'stack',
    blocks: [
      { type: 'heading', text: 'headline' },
      { type: 'prices', order: ['yearly', 'monthly'], highlight: 'yearly' },
      { type: 'button', text: 'continue' },
    ],
  },
  locales: {
    en: { headline: 'Do more with Acme', continue: 'Continue' },
    de: { headline: 'Mehr schaffen mit Acme', continue: 'Weiter' },
  },
}

beforeAll(async () => {
  world = await startTestWorld({ file: { paywall: PAYWALL } })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser.close()
  await world.close()
})

/** A visitor's browser without scripts, at the paywall. */
async function visit(options: { javaScriptEnabled?: boolean; locale?: string } = {}): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false, ...options })
  const page = await context.newPage()
  await page.goto(`${world.url}/p/${world.paywall.id}`)
  return page
}

test('shows what the file describes, and sells it without a script', async () => {
  const page = await visit()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Do more with Acme')
  expect(await page.getByRole('radio', { name: /Yearly/ }).isChecked()).toBe(true)

  await page.getByRole('radio', { name: /Monthly.*\$9\.99 per month/ }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${world.stripe.url}/**`)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${world.url}/p/${world.paywall.id}/thanks`)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Thank you!')
})
