import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, getHeading, press, signIn, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterAll(() => pages.close())

test('without JavaScript a visitor can buy, sign in, write to support, open the portal, see the offer to stay, and cancel', async () => {
  const visitor = await visit(pages, { javaScriptEnabled: false })
  const { page, home } = visitor
  const email = newEmail()
  expect(await getHeading(visitor)).toBe('Do more with Acme Pro')
  await page.getByRole('radio', { name: /Lifetime.*\$249 one-time payment/ }).check()
  await page.getByRole('radio', { name: /Yearly.*Save 26%.*\$89 per year/ }).check()
  await press(visitor, BUY)
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  await page.getByLabel('Email').fill(newEmail())
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  expect(await getHeading(visitor)).toBe('Thank you!')

  await press(visitor, 'Your account', 'link')
  const purchase = page.getByRole('region', { name: 'Yearly' })
  expect(await purchase.textContent()).toMatch(/Active.*\$89 per year.*Renews on/)
  // An anonymous user cannot cancel.
  expect(await purchase.getByRole('link').count()).toBe(0)
  const payments = page.getByRole('region', { name: 'Payments' })
  expect(await payments.getByRole('link').allTextContents()).toEqual(['Receipt'])
  await signIn(visitor, email)
  await page.getByText(`Signed in as ${email}`).waitFor()
  expect(await page.getByRole('region', { name: 'Tokens' }).textContent()).toContain('8,000')

  await page.getByRole('link', { name: 'Contact support' }).click()
  await page.getByLabel('Subject').fill('An invoice')
  await page.getByLabel('Message').fill('Where do I find it?')
  const image = { name: 'screen.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a0000', 'hex') }
  await page.getByLabel(/Images/).setInputFiles([image])
  await press(visitor, 'Send')
  await page.getByText('We received your message').waitFor()
  const { rows } = await pages.world.database.query('select subject, content from tickets where user_id is not null')
  expect(rows).toEqual([{ subject: 'An invoice', content: 'Where do I find it?' }])
  const attachments = await pages.world.workers.bucket('support-ticket', 'ATTACHMENTS')
  expect((await attachments.list()).objects.map(({ size }) => size)).toEqual([10])

  await page.goto(`${home}/account`)
  await press(visitor, 'Payment method and invoices')
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  await page.goto(`${home}/account`)
  await press(visitor, 'Cancel subscription', 'link')
  expect(await page.getByRole('region', { name: 'Stay for another month' }).textContent()).toContain('$9.99 per month')
  await press(visitor, 'Change to Monthly', 'link')
  expect(await getHeading(visitor)).toBe('Change to Monthly')
  await page.goBack()
  await page.getByLabel('Something that I need is missing').check()
  await page.getByLabel('Tell us more').fill('A dark mode')
  await press(visitor, 'Cancel subscription now')
  await page.getByText('Your subscription is cancelled').waitFor()
  expect(await purchase.textContent()).toContain('Does not renew')
  await pages.world.receiver.waitFor(({ body }) => body.includes('"subscription.cancel_scheduled"'))
})
