import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { openBrowser } from '../support/browser.ts'
import { newEmail } from '../support/checkout.ts'
import { MESSAGE } from '../support/tickets.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'
import { DEMO_PAYWALL } from './demo-paywall.ts'
import { headingOf, press, signIn, type Visitor, visit } from './visitor.ts'

let world: TestWorld
let browser: Browser

beforeAll(async () => {
  world = await startTestWorld({ file: { paywall: DEMO_PAYWALL } })
  browser = await openBrowser()
})

afterEach(() => {
  world.neon.onStatement = undefined
  world.stripe.onCall = undefined
})

afterAll(async () => {
  await browser.close()
  await world.close()
})

const alertOn = ({ page }: Visitor) => page.getByRole('alert').textContent()

/** Presses a button, and gives the status of the page that it leads to. */
async function statusAfter(visitor: Visitor, button: string): Promise<number> {
  const [response] = await Promise.all([visitor.page.waitForNavigation(), press(visitor, button)])
  return response?.status() ?? 0
}

test('a processor that does not answer: 502, a sentence, and the choice is kept', async () => {
  const visitor = await visit(browser, world)
  await visitor.page.getByRole('radio', { name: /Lifetime/ }).check()
  world.stripe.onCall = () => Promise.reject(new DroppedCall())
  expect(await statusAfter(visitor, 'Continue')).toBe(502)
  expect(await alertOn(visitor)).toContain('payment service does not answer')
  world.stripe.onCall = undefined
  expect(await visitor.page.getByRole('radio', { name: /Lifetime/ }).isChecked()).toBe(true)
  await press(visitor, 'Continue')
  await visitor.page.waitForURL(`${world.stripe.url}/**`)
})

test('a third ticket within a day: 429, a sentence, and the message is kept', async () => {
  const visitor = await visit(browser, world, { path: '/account/ticket' })
  const { page } = visitor
  const email = newEmail()
  for (const count of [1, 2, 3]) {
    await page.goto(`${visitor.home}/account/ticket`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Subject').fill(MESSAGE.subject)
    await page.getByLabel('Message').fill(`${MESSAGE.content}\n“Ünïcödé” <b>`)
    expect(await statusAfter(visitor, 'Send')).toBe(count < 3 ? 200 : 429)
  }
  expect(await alertOn(visitor)).toMatch(/too often.*in 24 hours/)
  expect(await page.getByLabel('E-mail address').inputValue()).toBe(email)
  expect(await page.getByLabel('Message').inputValue()).toBe(`${MESSAGE.content}\n“Ünïcödé” <b>`)
})

test('a database that does not answer: 503, a sentence, and what was typed can be sent again', async () => {
  const visitor = await visit(browser, world, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await page.goto(`${home}/account/ticket`)
  await page.getByLabel('Subject').fill(MESSAGE.subject)
  await page.getByLabel('Message').fill(MESSAGE.content)
  world.neon.onStatement = () => Promise.reject(new ResponseLost())
  expect(await statusAfter(visitor, 'Send')).toBe(503)
  expect(await page.textContent('main')).toContain('cannot reach our records')
  world.neon.onStatement = undefined
  await press(visitor, 'Try again')
  await page.getByText('Your message has arrived').waitFor()
})

test('a ticket of which nobody knows whether it was opened: 503, a sentence that says so, and the message is kept', async () => {
  const visitor = await visit(browser, world, { path: '/account/ticket' })
  const { page } = visitor
  await page.getByLabel('E-mail address').fill(newEmail())
  await page.getByLabel('Subject').fill(MESSAGE.subject)
  await page.getByLabel('Message').fill(MESSAGE.content)
  world.neon.onStatement = async ({ query }, run) => {
    const result = await run()
    if (query.includes('.open_ticket(')) throw new ResponseLost()
    return result
  }
  expect(await statusAfter(visitor, 'Send')).toBe(503)
  expect(await alertOn(visitor)).toContain('only if nobody answers')
  expect(await page.getByLabel('Message').inputValue()).toBe(MESSAGE.content)
})

test('a form of a button that no page has: 400, and nothing is done', async () => {
  const response = await world.fetch(`/p/${world.paywall.id}/account`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      accept: 'text/html',
    },
    body: 'action=sign-ou',
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('out of date')
})

test('a code that is wrong: 400, and another try on the same page', async () => {
  const email = newEmail()
  const visitor = await visit(browser, world, { path: '/account' })
  const { page } = visitor
  await page.getByLabel('E-mail address').fill(email)
  await press(visitor, 'Send me a code')
  const [, code = ''] = /\b(\d{6})\b/.exec((await world.mail.waitFor(email)).text) ?? []
  await page.getByLabel('Code from the mail').fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
  expect(await statusAfter(visitor, 'Sign in')).toBe(400)
  expect(await alertOn(visitor)).toContain('not right')
  await page.getByLabel('Code from the mail').fill(code)
  await press(visitor, 'Sign in')
  await page.getByText(`Signed in as ${email}`).waitFor()
})

test('a paywall that there is not: 404, as a page in the language of the browser', async () => {
  const context = await browser.newContext({ locale: 'de-AT' })
  const page = await context.newPage()
  const response = await page.goto(`${world.url}/p/1/account`)
  expect(response?.status()).toBe(404)
  expect(await headingOf({ world, page, home: '' })).toBe('Diese Seite gibt es nicht')
})
