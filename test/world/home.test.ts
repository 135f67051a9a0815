import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Home, startHome } from '../../dev/world/home/home.ts'
import { openBrowser } from '../support/browser.ts'
import { newEmail } from '../support/checkout.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

let world: TestWorld
let home: Home
let browser: Browser
let page: Page
const faults: { path: string; errors: string[] }[] = []

beforeAll(async () => {
  world = await startTestWorld()
  const files = { current: () => [world.file], known: () => [world.file] }
  home = await startHome({ port: 0, world, files, shop: null, faults: () => faults })
  browser = await openBrowser()
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  page = await context.newPage()
  page.setDefaultTimeout(15_000)
})
afterAll(async () => {
  await browser.close()
  await home.close()
  await world.close()
})

const section = (name: string) => page.getByRole('region', { name })
const said = () => section('What was done').locator('[data-latest]')

/** Buys from home, pays on the processor's page, lands, and goes back home. */
async function buy(label: string, email = newEmail()): Promise<string> {
  await page.goto(home.url)
  await page.getByLabel('Buy as').fill(email)
  await page.getByRole('button', { name: `Buy ${label}` }).click()
  await page.getByRole('button', { name: /^Pay/ }).first().click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  expect(page.url()).toBe(`${home.url}/thanks`)
  await page.getByRole('link', { name: 'Back to home' }).click()
  return email
}

describe('home', () => {
  test('sells, and shows what came of it as it comes', async () => {
    const email = await buy('Monthly')
    await section('Subscriptions and purchases').getByText(`Monthly of ${email}: active`).waitFor()
    const created = section('Events').getByRole('group').filter({ hasText: 'subscription.created' })
    await created.locator('summary').getByText(email).waitFor()
    await said().getByText(`Opened a page of Stripe on which ${email} can pay for Monthly, $9.99.`).waitFor()

    await created.locator('summary').click()
    await created.getByRole('link', { name: 'Copy as JSON' }).click()
    await created.getByRole('link', { name: 'Copied' }).waitFor()
    const copied: { type: string } = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect(copied.type).toBe('subscription.created')
  })

  test('gives each event as a command that sends it again', async () => {
    const { receiver } = world
    await buy('Monthly')
    const { id, body } = await receiver.waitFor((received) => received.body.includes('subscription.created'))
    const command = await (await fetch(`${home.url}/events/${id}/curl`)).text()
    await promisify(exec)(command.replace('http://127.0.0.1:3000', receiver.url))
    expect(receiver.received.filter((received) => received.body === body)).toMatchObject([
      { verified: true, path: '/webhooks' },
      { verified: true, path: '/webhooks' },
    ])
  })

  test('does to a subscription what can happen at its processor, and says what came of it', async () => {
    const email = await buy('Monthly')
    const press = (label: string) => page.getByRole('button', { name: `${label}: Monthly of ${email}` }).click()
    await press('Let the charge fail')
    await said().getByText('its charge failed. The owner was told: subscription.past_due, payment.failed.').waitFor()
    await press('Recover')
    await said().getByText('was made good. The owner was told: ').waitFor()
    await press('Cancel')
    await said()
      .getByText('It was cancelled at the processor. The owner was told: subscription.cancel_scheduled.')
      .waitFor()
    await press('Take the cancellation back')
    await said().getByText('subscription.uncanceled').waitFor()
  })

  test('loses the webhooks of what happens, and the clock brings it to light', async () => {
    const email = await buy('Monthly')
    const ours = page.getByRole('article').filter({ hasText: email })
    await ours.getByLabel('Its webhooks').selectOption('get lost')
    await ours.getByRole('button', { name: 'End now' }).click()
    await said().getByText('There was nothing to tell the owner.').waitFor()
    await ours.getByText(': active').waitFor()
    await section('Clock').getByRole('button', { name: '+1 month' }).click()
    await said().getByText('subscription.ended').waitFor()
    await ours.getByText(': canceled').waitFor()
  })

  test('finds events by type, user and text, and folds them', async () => {
    const email = await buy('Yearly')
    const events = section('Events')
    await events.locator('summary', { hasText: 'subscription.created' }).filter({ hasText: email }).waitFor()
    await events.getByLabel('User').selectOption(email)
    await events.getByLabel('Type').selectOption('checkout.completed')
    await events.getByRole('button', { name: 'Filter' }).click()
    await events.getByRole('heading', { name: /^Events: 1 of \d+$/ }).waitFor()
    await events.getByRole('button', { name: 'Open all' }).click()
    await events.getByText('"type": "checkout.completed"').waitFor()
    await events.getByRole('button', { name: 'Collapse all' }).click()
    await events.getByText('"type": "checkout.completed"').waitFor({ state: 'hidden' })
  })

  test('tells the life of a user, with what became of each event', async () => {
    const email = await buy('Monthly')
    await section('Users').getByRole('link', { name: email }).click()
    const lines = page.getByRole('listitem')
    await lines.filter({ hasText: 'Checkout a checkout of Monthly was opened' }).waitFor()
    await lines.filter({ hasText: 'Checkout the checkout of Monthly was completed' }).waitFor()
    await lines.filter({ hasText: 'Payment a payment of $9.99 succeeded' }).waitFor()
    await lines.filter({ hasText: 'Balance standard tokens +100, 100 then' }).waitFor()
    const created = lines.filter({ hasText: 'Event subscription.created' })
    await created.getByText(`delivered at ${world.receiver.url}/webhooks: answered 200`).waitFor()
  })

  test('says which paywall file is wrong, as soon as it is', async () => {
    await page.goto(home.url)
    faults.push({ path: 'demo/paywall.json', errors: ['paywalls[0].name: too short'] })
    await page.getByRole('alert').getByText('paywalls[0].name: too short').waitFor()
    faults.splice(0)
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('copies a key, and goes on where the person was typing', async () => {
    await page.goto(home.url)
    await page.getByRole('button', { name: 'Copy: Key backend' }).click()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(world.key)
    await page.getByLabel('Buy as').fill('ada@')
    await world.mail.take({
      from: { name: 'Us', email: 'us@example.com' },
      to: 'ada@example.com',
      subject: 'Code',
      text: '1',
    })
    await section('Mails').getByText('Code').waitFor()
    await page.keyboard.type('example.com')
    expect(await page.getByLabel('Buy as').inputValue()).toBe('ada@example.com')
  })

  test('shows what arrives as text, whatever is written in it', async () => {
    const hostile = '<script>document.title = "theirs"</script>'
    await fetch(`${world.receiver.url}/webhooks`, { method: 'POST', body: hostile, headers: { 'webhook-id': hostile } })
    const from = { name: hostile, email: 'us@example.com' }
    await world.mail.take({ from, to: 'ada@example.com', subject: hostile, text: hostile })
    await page.goto(home.url)
    await section('Events').locator('summary', { hasText: 'not an event' }).click()
    await section('Events').getByText('signature fits no webhook endpoint').waitFor()
    await section('Mails').locator('summary', { hasText: hostile }).waitFor()
    expect(await page.locator('main script').count()).toBe(0)
  })

  test('is used by the keyboard alone, whose place stays when the page changes', async () => {
    await page.goto(home.url)
    const button = section('Clock').getByRole('button', { name: '+1 day' })
    for (let presses = 0; !(await button.evaluate((each) => each.matches(':focus'))); presses++) {
      expect(presses).toBeLessThan(20)
      await page.keyboard.press('Tab')
    }
    const before = await world.clock.now(world.paywall.id)
    await page.keyboard.press('Enter')
    await said()
      .getByText('Moved the clock')
      .filter({ hasText: before.toISOString().slice(0, 10) })
      .waitFor()
    expect((await world.clock.now(world.paywall.id)).getTime() - before.getTime()).toBeGreaterThan(86_000_000)
    expect(await button.evaluate((each) => each.matches(':focus'))).toBe(true)
  })

  test('works without its script', async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false })
    await plain.goto(home.url)
    await plain.getByRole('button', { name: '+1 day' }).click()
    await plain
      .getByText(/Moved the clock of Test Paywall from .* to /)
      .first()
      .waitFor()
    await plain.getByRole('button', { name: 'Buy Monthly' }).click()
    await plain.waitForURL(`${world.stripe.url}/**`)
    await plain.close()
  })

  test('says why something cannot be done', async () => {
    const email = await buy('Monthly')
    await page.getByLabel('Buy as').fill(email)
    await page.getByRole('button', { name: 'Buy Yearly' }).click()
    await said().getByText(`${email} already has an active purchase: type another address`).waitFor()
    await page.getByRole('button', { name: `Refund: Monthly of ${email}` }).click()
    await said().getByText('payment.refunded').waitFor()
    await page.getByRole('button', { name: `Refund: Monthly of ${email}` }).click()
    await said().locator('.refused').waitFor()
  })

  test('says that the database is away, and goes on when it is back', async () => {
    await page.goto(home.url)
    await world.database.query('alter table purchases rename to purchases_away')
    await said().getByText('What happens cannot be shown: ').waitFor()
    await world.database.query('alter table purchases_away rename to purchases')
    await said().getByText('What happens cannot be shown: ').waitFor({ state: 'detached' })
  })
})

const WIDTHS = [390, 1280]
const SCHEMES = ['light', 'dark'] as const

describe.each(SCHEMES)('in %s colours', (colorScheme) => {
  test.each(WIDTHS)('nothing on a page is hard to reach or to read, %i wide', async (width) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.goto(home.url)
    const timeline = await section('Users').getByRole('link').first().getAttribute('href')
    for (const path of ['/', String(timeline), '/thanks', '/sorry']) {
      await page.goto(home.url + path)
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
    }
  })
})
