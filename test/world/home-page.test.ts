import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatMinute } from '../../dev/world/home/format.ts'
import type { Home } from '../../dev/world/home/home.ts'
import { violationsInEachView } from '../support/accessibility.ts'
import { newEmail } from '../support/checkout.ts'
import { buyAtHome, type HomeVisit, section, shown, visitHome } from '../support/home.ts'
import type { TestWorld } from '../support/world.ts'

// The usability of home: with a mouse, with a keyboard, and while it changes.

let visit: HomeVisit
let world: TestWorld
let home: Home
let page: Page

beforeAll(async () => {
  visit = await visitHome()
  ;({ world, home, page } = visit)
})
afterAll(() => visit.close())

describe('home', () => {
  test('copies a key, and keeps the focus in a field while the page is updated', async () => {
    await page.goto(home.url)
    await page.getByRole('button', { name: 'Copy: Key backend' }).click()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(world.key)
    await page.getByLabel('Buy as').fill('ada@')
    await world.mail.receive({
      from: { name: 'Us', email: 'us@example.com' },
      to: 'ada@example.com',
      subject: 'Code',
      text: '1',
    })
    await section(visit, 'Mails').getByText('Code').waitFor()
    await page.keyboard.type('example.com')
    expect(await page.getByLabel('Buy as').inputValue()).toBe('ada@example.com')
  })

  test('escapes received webhooks and mails', async () => {
    const hostile = '<script>document.title = "theirs"</script>'
    await fetch(`${world.receiver.url}/webhooks`, { method: 'POST', body: hostile, headers: { 'webhook-id': hostile } })
    const from = { name: hostile, email: 'us@example.com' }
    await world.mail.receive({ from, to: 'ada@example.com', subject: hostile, text: hostile })
    await page.goto(home.url)
    await section(visit, 'Events').locator('summary', { hasText: 'not an event' }).click()
    await section(visit, 'Events').getByText('signature matches no webhook endpoint').waitFor()
    await section(visit, 'Mails').locator('summary', { hasText: hostile }).waitFor()
    expect(await page.locator('main script').count()).toBe(0)
  })

  test('can be used with the keyboard only, and keeps the focus when the page changes', async () => {
    await page.goto(home.url)
    const button = section(visit, 'Clock').getByRole('button', { name: '+1 day' })
    for (let presses = 0; !(await button.evaluate((each) => each.matches(':focus'))); presses++) {
      expect(presses).toBeLessThan(20)
      await page.keyboard.press('Tab')
    }
    const before = await world.clock.now(world.paywall.id)
    await page.keyboard.press('Enter')
    await shown(visit)
      .getByText(`Moved the clock of Test Paywall from ${formatMinute(before)} to `)
      .waitFor()
    expect((await world.clock.now(world.paywall.id)).getTime() - before.getTime()).toBeGreaterThan(86_000_000)
    expect(await button.evaluate((each) => each.matches(':focus'))).toBe(true)
  })

  test('works without its script', async () => {
    const plain = await visit.browser.newPage({ javaScriptEnabled: false })
    await plain.goto(home.url)
    await plain.getByRole('button', { name: '+1 day' }).click()
    await plain
      .getByText(/Moved the clock of Test Paywall from .* to /)
      .first()
      .waitFor()
    await plain.getByLabel('Buy as').fill(newEmail())
    await plain.getByRole('button', { name: 'Buy Monthly' }).click()
    await plain.waitForURL(`${world.stripe.url}/**`)
    await plain.close()
  })

  test('reports that the database is down, and continues when it is back', async () => {
    await page.goto(home.url)
    await world.database.query('alter table purchases rename to purchases_away')
    await shown(visit).getByText('This page cannot be updated: ').waitFor()
    await world.database.query('alter table purchases_away rename to purchases')
    await shown(visit).getByText('This page cannot be updated: ').waitFor({ state: 'detached' })
  })

  test('accepts a click on a button even if the page changes while the mouse button is down', async () => {
    await page.goto(home.url)
    const at = await section(visit, 'Clock').getByRole('button', { name: '+1 month' }).boundingBox()
    await page.mouse.move((at?.x ?? 0) + 5, (at?.y ?? 0) + 5)
    await page.mouse.down()
    await world.clock.advance(world.paywall.id, '1d')
    const other = await visit.browser.newPage()
    const before = await world.clock.now(world.paywall.id)
    await other.goto(home.url)
    await other.getByText(formatMinute(before)).waitFor()
    await other.close()
    await page.mouse.up()
    await shown(visit)
      .getByText(`Moved the clock of Test Paywall from ${formatMinute(before)} to `)
      .waitFor()
  })
})

describe('axe finds no violations, narrow or wide, light or dark,', () => {
  test('on the front page and on a timeline', async () => {
    const email = await buyAtHome(visit, 'Monthly')
    await section(visit, 'Subscriptions and purchases').getByText(`Monthly of ${email}: active`).waitFor()
    // One entry of each kind is enough for axe.
    await page.goto(`${home.url}/?purchases=${email}&users=${email}&user=${email}&type=payment.succeeded`)
    await section(visit, 'Events').locator('summary').click()
    expect(await violationsInEachView(page)).toEqual([])
    await section(visit, 'Users').getByRole('link', { name: email }).click()
    await page.getByRole('heading', { level: 1, name: email }).waitFor()
    expect(await violationsInEachView(page)).toEqual([])
  })
})
