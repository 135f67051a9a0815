import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { paywallAt } from '../conformance/shop.ts'
import { newEmail } from '../support/checkout.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, getHeading, press, signIn, type Visitor, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages({ paywalls: PROCESSOR_NAMES.map(paywallAt) })
})

afterAll(() => pages.close())

/** Chooses the monthly price, signs in if the processor requires that, and opens the processor's page. */
async function order(visitor: Visitor, email: string): Promise<void> {
  const { page, home } = visitor
  await page.getByRole('radio', { name: /Monthly/ }).check()
  await press(visitor, BUY)
  await page.waitForURL((url) => url.origin !== pages.world.url || url.pathname.endsWith('/account'))
  if (!page.url().startsWith(home)) return
  await signIn(visitor, email)
  expect(await page.getByRole('radio', { name: /Monthly/ }).isChecked()).toBe(true)
  await press(visitor, BUY)
  await page.waitForURL((url) => url.origin !== pages.world.url)
}

describe.each(PROCESSOR_NAMES)('through %s', (acquiring) => {
  test('a visitor declines, leaves, buys, restores in another browser and cancels there', async () => {
    const paywall = pages.world.file.paywalls.find(({ processor }) => processor.acquiring === acquiring)!
    const email = newEmail()
    const visitor = await visit(pages, { paywall })
    const { page, home } = visitor

    await order(visitor, email)
    await page.locator('[value=decline]').click()
    await page.waitForLoadState()
    if (!page.url().startsWith(home)) await page.locator('[value=cancel]').click()
    await page.waitForURL(`${home}?bought=nothing`)
    expect(await page.getByRole('status').textContent()).toContain('Your purchase was not completed')

    await order(visitor, email)
    const address = page.locator('[name=email]:not([readonly])')
    const knowsAddress = (await address.count()) > 0
    if (knowsAddress) await address.fill(email)
    await page.locator('[value=pay]').click()
    await page.waitForURL((url) => url.pathname.endsWith('/thanks'))
    expect(await getHeading(visitor)).toBe('Thank you!')

    await press(visitor, 'Your account', 'link')
    expect(await page.getByRole('region', { name: 'Monthly' }).textContent()).toContain('Active')
    const portal = page.getByRole('button', { name: 'Payment method and invoices' })
    expect(await portal.count()).toBe(DEFINITIONS[acquiring].capabilities.portal ? 1 : 0)
    // If the processor did not ask for an e-mail address, it is known only after signing in.
    if (!knowsAddress && (await page.getByLabel('E-mail address').count()) > 0) await signIn(visitor, email)

    const elsewhere = await visit(pages, { paywall, path: '/restore' })
    await signIn(elsewhere, email)
    const purchase = elsewhere.page.getByRole('region', { name: 'Monthly' })
    expect(await purchase.textContent()).toMatch(/Active.*\$9\.99 per month.*Renews on/)
    await press(elsewhere, 'Cancel subscription', 'link')
    await elsewhere.page.getByLabel('It is too expensive').check()
    await press(elsewhere, 'Cancel subscription now')
    await elsewhere.page.waitForURL(`${home}/account?cancelled=*`)
    expect(await purchase.textContent()).toContain('Does not renew')

    // Restoring has merged the anonymous user who bought.
    await page.goto(`${home}/account`)
    const signedOut = page.getByText('what you bought on this device now belongs to the account')
    expect(await signedOut.count()).toBe(knowsAddress ? 1 : 0)
    await page.reload()
    expect(await signedOut.count(), 'it is shown once').toBe(0)
  })
})
