import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { readMailedCode } from '../support/sign-in.ts'
import { MESSAGE } from '../support/tickets.ts'
import { pressAt, tabTo, typeAt } from './keyboard-navigation.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, type Visitor, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterAll(() => pages.close())

const main = ({ page }: Visitor) => page.getByRole('main')
const button = (visitor: Visitor, name: string | RegExp) => main(visitor).getByRole('button', { name })
const link = (visitor: Visitor, name: string) => main(visitor).getByRole('link', { name })

/** Signs in on a page that asks for the address. */
async function signIn(visitor: Visitor, email: string): Promise<void> {
  const { page } = visitor
  await typeAt(page.getByLabel('E-mail address'), email)
  await pressAt(button(visitor, 'Send me a code'))
  await typeAt(page.getByLabel('Code from the e-mail'), await readMailedCode(pages.world, email, 1))
  await page.keyboard.press('Enter')
}

/** Pays on the processor's page, with the mouse: it is not our page. */
async function pay({ page, home }: Visitor): Promise<void> {
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
}

/** A user who signs in on their account page. */
async function visitSignedIn(): Promise<Visitor> {
  const visitor = await visit(pages, { path: '/account' })
  const email = newEmail()
  await signIn(visitor, email)
  await visitor.page.getByText(`Signed in as ${email}`).waitFor()
  return visitor
}

test('a customer chooses a price and pays without a mouse, and always sees the focus', async () => {
  const visitor = await visitSignedIn()
  const { page } = visitor
  await pressAt(link(visitor, 'See prices'))

  await pressAt(link(visitor, 'Monthly'))
  await page.waitForURL('**?interval=month')
  await page.getByRole('radio', { name: /Monthly/, checked: true }).waitFor()
  await pressAt(link(visitor, 'Yearly'))
  await tabTo(page.getByRole('radio', { name: /Yearly/ }))
  await page.keyboard.press('ArrowDown')
  expect(await page.getByRole('radio', { name: /Lifetime/ }).isChecked()).toBe(true)
  await page.keyboard.press('ArrowUp')
  await pressAt(button(visitor, BUY))
  await pay(visitor)
  await pressAt(link(visitor, 'Your account'))

  await pressAt(button(visitor, 'Payment method and invoices'))
  await page.waitForURL(`${pages.world.stripe.url}/**`)
})

test('a customer writes to support with an image, without a mouse', async () => {
  const visitor = await visitSignedIn()
  const { page } = visitor
  await pressAt(page.getByRole('link', { name: 'Contact support' }))
  // Called early, because the browser takes a moment until it reports file choosers instead of opening them.
  const chooser = page.waitForEvent('filechooser')
  await typeAt(page.getByLabel('Subject'), MESSAGE.subject)
  await typeAt(page.getByLabel('Message'), MESSAGE.content)
  await pressAt(page.getByLabel(/Images/))
  await (await chooser).setFiles([
    { name: 'screen.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a0000', 'hex') },
  ])
  await pressAt(button(visitor, 'Send'))
  await page.getByText('We received your message').waitFor()
  const attachments = await pages.world.workers.bucket('support-ticket', 'ATTACHMENTS')
  expect((await attachments.list()).objects).toHaveLength(1)
})

test('a customer cancels and signs out without a mouse', async () => {
  const visitor = await visitSignedIn()
  const { page, home } = visitor
  await page.goto(home)
  await pressAt(button(visitor, BUY))
  await pay(visitor)

  await page.goto(`${home}/account`)
  await pressAt(link(visitor, 'Cancel subscription'))
  await tabTo(link(visitor, 'Change to Monthly')) // the offer comes before the question for a reason
  await tabTo(page.getByRole('radio', { name: 'It is too expensive' }))
  await pressAt(link(visitor, 'Keep subscription'))
  await page.waitForURL(`${home}/account`)
  await pressAt(link(visitor, 'Cancel subscription'))
  await pressAt(page.getByRole('radio', { name: 'It is too expensive' }), 'Space')
  await page.keyboard.press('ArrowDown')
  expect(await page.getByRole('radio', { name: 'I do not use it enough' }).isChecked()).toBe(true)
  await typeAt(page.getByLabel('Tell us more'), 'Next year perhaps')
  await pressAt(button(visitor, 'Cancel subscription now'))
  await page.getByText('Your subscription is cancelled').waitFor()

  await pressAt(button(visitor, 'Sign out'))
  await page.waitForURL(home)
})

test('a user can restore a purchase, and a guest can write to support, without a mouse', async () => {
  const email = newEmail()
  const buyer = await visit(pages)
  await pressAt(button(buyer, BUY))
  await buyer.page.waitForURL(`${pages.world.stripe.url}/**`)
  await buyer.page.getByLabel('Email').fill(email)
  await pay(buyer)

  const elsewhere = await visit(pages)
  await pressAt(elsewhere.page.getByRole('link', { name: 'Restore a purchase' }))
  await signIn(elsewhere, email)
  await elsewhere.page.getByText('Here are your purchases').waitFor()

  const guest = await visit(pages, { path: '/account/ticket' })
  await typeAt(guest.page.getByLabel('E-mail address'), newEmail())
  await typeAt(guest.page.getByLabel('Subject'), MESSAGE.subject)
  await typeAt(guest.page.getByLabel('Message'), MESSAGE.content)
  await pressAt(button(guest, 'Send'))
  await guest.page.getByText('We received your message').waitFor()
})
