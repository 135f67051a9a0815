import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { newEmail } from '../support/checkout.ts'
import { MESSAGE } from '../support/tickets.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, getHeading, press, signIn, type Visitor, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterEach(() => {
  pages.world.neon.onStatement = undefined
  pages.world.stripe.onCall = undefined
})

afterAll(() => pages.close())

const alertOn = ({ page }: Visitor) => page.getByRole('alert').textContent()

/** Presses a button, and returns the status of the next page. */
async function statusAfter(visitor: Visitor, button: string | RegExp): Promise<number> {
  const [response] = await Promise.all([visitor.page.waitForNavigation(), press(visitor, button)])
  return response?.status() ?? 0
}

test('a processor that does not respond: 502 with a message, and the chosen price is kept', async () => {
  const visitor = await visit(pages)
  await visitor.page.getByRole('radio', { name: /Lifetime/ }).check()
  pages.world.stripe.onCall = () => Promise.reject(new DroppedCall())
  expect(await statusAfter(visitor, BUY)).toBe(502)
  expect(await alertOn(visitor)).toContain('payment service is not responding')
  pages.world.stripe.onCall = undefined
  expect(await visitor.page.getByRole('radio', { name: /Lifetime/ }).isChecked()).toBe(true)
  await press(visitor, BUY)
  await visitor.page.waitForURL(`${pages.world.stripe.url}/**`)
})

test('a third ticket within a day: 429 with a message, and the ticket is kept', async () => {
  const visitor = await visit(pages, { path: '/account/ticket' })
  const { page } = visitor
  const email = newEmail()
  for (const count of [1, 2, 3]) {
    await page.goto(`${visitor.home}/account/ticket`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Subject').fill(MESSAGE.subject)
    await page.getByLabel('Message').fill(`${MESSAGE.content}\n“Ünïcödé” <b>`)
    expect(await statusAfter(visitor, 'Send')).toBe(count < 3 ? 200 : 429)
  }
  expect(await alertOn(visitor)).toMatch(/Too many attempts.*in 24 hours/)
  expect(await page.getByLabel('E-mail address').inputValue()).toBe(email)
  expect(await page.getByLabel('Message').inputValue()).toBe(`${MESSAGE.content}\n“Ünïcödé” <b>`)
})

test('a database that does not respond: 503 with a message, and the form can be sent again', async () => {
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await page.goto(`${home}/account/ticket`)
  await page.getByLabel('Subject').fill(MESSAGE.subject)
  await page.getByLabel('Message').fill(MESSAGE.content)
  pages.world.neon.onStatement = () => Promise.reject(new ResponseLost())
  expect(await statusAfter(visitor, 'Send')).toBe(503)
  expect(await page.textContent('main')).toContain('temporarily unavailable')
  pages.world.neon.onStatement = undefined
  await press(visitor, 'Try again')
  await page.getByText('We received your message').waitFor()
})

describe('images', () => {
  const image = { name: 'screen.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a0000', 'hex') }
  const svg = { ...image, name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') }

  /** Fills in a ticket with an image, as a signed-in user without JavaScript. */
  async function fillInTicket(file: typeof image): Promise<Visitor> {
    const visitor = await visit(pages, { path: '/account', javaScriptEnabled: false })
    const { page, home } = visitor
    await signIn(visitor, newEmail())
    await page.goto(`${home}/account/ticket`)
    await page.getByLabel('Subject').fill(MESSAGE.subject)
    await page.getByLabel('Message').fill(MESSAGE.content)
    await page.getByLabel(/Images/).setInputFiles([file])
    return visitor
  }

  test('of a rejected ticket have to be chosen again, and the text is kept', async () => {
    const visitor = await fillInTicket(svg)
    const { page } = visitor
    expect(await statusAfter(visitor, 'Send')).toBe(400)
    expect(await alertOn(visitor)).toMatch(/up to 5 images.*choose your images again/)
    expect(await page.getByLabel('Message').inputValue()).toBe(MESSAGE.content)
    await page.getByLabel(/Images/).setInputFiles([])
    expect(await statusAfter(visitor, 'Send')).toBe(200)
  })

  test('of a ticket that could not be sent can be chosen again before it is sent again', async () => {
    const visitor = await fillInTicket(image)
    const { page } = visitor
    pages.world.neon.onStatement = () => Promise.reject(new ResponseLost())
    expect(await statusAfter(visitor, 'Send')).toBe(503)
    expect(await page.textContent('main')).toContain('choose your images again')
    pages.world.neon.onStatement = undefined
    await page.getByLabel(/Images/).setInputFiles([image])
    await press(visitor, 'Try again')
    await page.getByText('We received your message').waitFor()
    const attachments = await pages.world.workers.bucket('support-ticket', 'ATTACHMENTS')
    expect((await attachments.list()).objects).toHaveLength(1)
  })

  test('are not asked for if none were chosen', async () => {
    const visitor = await fillInTicket(image)
    const { page } = visitor
    await page.getByLabel(/Images/).setInputFiles([])
    pages.world.neon.onStatement = () => Promise.reject(new ResponseLost())
    expect(await statusAfter(visitor, 'Send')).toBe(503)
    expect(await page.textContent('main')).not.toContain('images')
  })
})

test('a ticket with an unknown outcome: 503 with a message that says so, and the ticket is kept', async () => {
  const visitor = await visit(pages, { path: '/account/ticket' })
  const { page } = visitor
  await page.getByLabel('E-mail address').fill(newEmail())
  await page.getByLabel('Subject').fill(MESSAGE.subject)
  await page.getByLabel('Message').fill(MESSAGE.content)
  pages.world.neon.onStatement = async ({ query }, run) => {
    const result = await run()
    if (query.includes('.open_ticket(')) throw new ResponseLost()
    return result
  }
  expect(await statusAfter(visitor, 'Send')).toBe(503)
  expect(await alertOn(visitor)).toContain('only if you get no reply')
  expect(await page.getByLabel('Message').inputValue()).toBe(MESSAGE.content)
})

test('a form with an unknown action: 400', async () => {
  const response = await pages.world.fetch(`/p/${pages.world.paywall.id}/account`, {
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

test('a wrong code: 400, and another attempt on the same page', async () => {
  const email = newEmail()
  const visitor = await visit(pages, { path: '/account' })
  const { page } = visitor
  await page.getByLabel('E-mail address').fill(email)
  await press(visitor, 'Send me a code')
  const [, code = ''] = /\b(\d{4} \d{4})\b/.exec((await pages.world.mail.waitFor(email)).text) ?? []
  await page.getByLabel('Code from the e-mail').fill(code.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)))
  expect(await statusAfter(visitor, 'Sign in')).toBe(400)
  expect(await alertOn(visitor)).toContain('This code is incorrect or has expired.')
  await page.getByLabel('Code from the e-mail').fill(code)
  await press(visitor, 'Sign in')
  await page.getByText(`Signed in as ${email}`).waitFor()
})

test('an unknown paywall: 404 with a page in the language of the browser', async () => {
  const context = await pages.browser.newContext({ locale: 'de-AT' })
  const page = await context.newPage()
  const response = await page.goto(`${pages.world.url}/p/1/account`)
  expect(response?.status()).toBe(404)
  expect(await getHeading({ world: pages.world, page, home: '' })).toBe('Seite nicht gefunden')
})

test('a user who opens the portal after the session has ended is asked to sign in', async () => {
  const visitor = await visit(pages)
  const { page, home } = visitor
  await press(visitor, BUY)
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  await page.getByLabel('Email').fill(newEmail())
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await page.goto(`${home}/account`)
  await page.context().clearCookies()
  expect(await statusAfter(visitor, 'Payment method and invoices')).toBe(200)
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByLabel('E-mail address').waitFor()
})
