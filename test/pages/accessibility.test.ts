import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { type Pages, startPages } from './pages.ts'
import { headingOf, press, signIn, type Visitor, visit } from './visitor.ts'

let pages: Pages
/** Who has bought, and who has not. */
let subscriber: Visitor
let guest: Visitor

beforeAll(async () => {
  pages = await startPages()
  guest = await visit(pages)
  subscriber = await visit(pages, { path: '/account' })
  await signIn(subscriber, newEmail())
  await subscriber.page.goto(subscriber.home)
  await press(subscriber, 'Continue')
  await subscriber.page.locator('[value=pay]').click()
  await subscriber.page.waitForURL('**/thanks?*')
})

afterAll(() => pages.close())

/** What axe finds on a page, as it is now: in both schemes, wide and narrow, where nothing may stick out either. */
async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      const { violations } = await new AxeBuilder({ page }).analyze()
      const sticksOut = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      const where = `${colorScheme} ${width}`
      if (sticksOut) found.push(`${where}: scrolls sideways`)
      for (const { id, nodes } of violations) found.push(`${where}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
    }
  }
  return found
}

describe('axe finds nothing', () => {
  test.each(['', '?interval=month&locale=de', '?bought=nothing', '/account', '/restore', '/account/ticket', '/thanks'])(
    'on %s of a guest',
    async (path) => {
      await guest.page.goto(guest.home + path)
      expect(await findings(guest.page)).toEqual([])
    },
  )

  test.each(['', '/account', '/account/ticket', '/thanks'])('on %s of a subscriber', async (path) => {
    await subscriber.page.goto(subscriber.home + path)
    expect(await findings(subscriber.page)).toEqual([])
  })

  test('on the page that asks for a code, also when it was wrong', async () => {
    const { page, home } = guest
    await page.goto(`${home}/account`)
    await page.getByLabel('E-mail address').fill(newEmail())
    await press(guest, 'Send me a code')
    expect(await findings(page)).toEqual([])
    await page.getByLabel('Code from the mail').fill('000000')
    await press(guest, 'Sign in')
    expect(await page.getByRole('alert').textContent()).toContain('not right')
    expect(await findings(page)).toEqual([])
  })

  test('on the page that waits for a purchase', async () => {
    const buyer = await visit(pages)
    await press(buyer, 'Continue')
    await buyer.page.waitForURL(`${pages.world.stripe.url}/**`)
    await buyer.page.goto(`${buyer.home}/thanks`)
    expect(await headingOf(buyer)).toBe('Your payment is on its way')
    expect(await findings(buyer.page)).toEqual([])
  })

  test('on the page of a paywall that there is not', async () => {
    await guest.page.goto(`${pages.world.url}/p/1/account`)
    expect(await findings(guest.page)).toEqual([])
  })

  test('on the page that asks why, with the offer', async () => {
    await subscriber.page.goto(`${subscriber.home}/account`)
    await press(subscriber, 'Cancel subscription', 'link')
    expect(await headingOf(subscriber)).toBe('Cancel Yearly')
    expect(await findings(subscriber.page)).toEqual([])
  })
})

test('everything can be done by the keyboard, and one sees where it is', async () => {
  const { page } = await visit(pages)
  const keyboard = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const focused = () => page.evaluate('document.activeElement.textContent.trim()')
  await keyboard('Tab')
  expect(await focused()).toBe('Acme Pro')
  await keyboard('Tab', 'Tab')
  expect(await focused()).toBe('Monthly')
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  await keyboard('Enter')
  await page.waitForURL('**?interval=month')
  await page.getByRole('radio', { name: /Monthly/, checked: true }).waitFor()
  await keyboard('Tab', 'ArrowDown')
  expect(await page.getByRole('radio', { name: /Lifetime/ }).isChecked()).toBe(true)
  await keyboard('Tab')
  expect(await focused()).toBe('Continue')
  await keyboard('Enter')
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  expect(await page.textContent('main, body')).toContain('249')
})
