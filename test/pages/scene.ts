// Opens pages in their different states, and fills in their forms.
import type { Page } from 'playwright-core'
import { ResponseLost } from '../../dev/world/database/neon-proxy.ts'
import { newEmail } from '../support/checkout.ts'
import { newTenant } from '../support/tenants.ts'
import { MESSAGE } from '../support/tickets.ts'
import { WITH_OFFERS, WITH_UNITS } from './demo-paywall.ts'
import type { Pages } from './pages.ts'
import { BUY, press, signIn, type Visitor, visit } from './visitor.ts'

/** The pages, with a guest and a buyer of the yearly price. */
export interface Scene {
  pages: Pages
  guest: Visitor
  subscriber: Visitor
}

export async function startScene(pages: Pages): Promise<Scene> {
  const subscriber = await visit(pages, { path: '/account' })
  await signIn(subscriber, newEmail())
  await buyAsVisitor(pages, subscriber, 'Yearly')
  return { pages, guest: await visit(pages), subscriber }
}

export async function buyAsVisitor({ world }: Pages, { page, home }: Visitor, price: string): Promise<void> {
  await page.goto(price === 'Monthly' ? `${home}?interval=month` : home)
  await page.getByRole('radio', { name: price }).check()
  await press({ page }, BUY)
  await page.waitForURL(`${world.stripe.url}/**`)
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
}

/** Opens the page that changes the visitor's subscription to a price. */
export async function openChange({ page, home }: Visitor, price: string): Promise<Page> {
  await page.goto(price === 'Monthly' ? `${home}?interval=month` : home)
  await press({ page }, `Change to ${price}`, 'link')
  await page.getByRole('heading', { name: `Change to ${price}` }).waitFor()
  return page
}

/** Opens a page in some state. */
export type Way = (scene: Scene) => Promise<Page>

export const asGuest =
  (path: string): Way =>
  ({ guest }) =>
    at(guest, path)
export const asSubscriber =
  (path: string): Way =>
  ({ subscriber }) =>
    at(subscriber, path)

export async function at({ page, home }: Visitor, path: string): Promise<Page> {
  await page.goto(home + path)
  return page
}

/** A page as a new visitor sees it. */
export const asNewVisitor =
  (path: string, go: (visitor: Visitor, scene: Scene) => Promise<unknown>): Way =>
  async (scene) => {
    const visitor = await visit(scene.pages, { path })
    await go(visitor, scene)
    return visitor.page
  }

/** The page of a paywall with offers, as a new visitor sees it. */
export const withOffers =
  (go: (visitor: Visitor) => Promise<unknown>): Way =>
  async ({ pages }) => {
    const { paywall } = await newTenant(pages.world, WITH_OFFERS)
    const visitor = await visit(pages, { paywall })
    await go(visitor)
    return visitor.page
  }

/** The page of a paywall that sells by the unit, as a new visitor sees it. */
export const withUnits =
  (go: (visitor: Visitor, scene: Scene) => Promise<unknown>): Way =>
  async (scene) => {
    const { paywall } = await newTenant(scene.pages.world, WITH_UNITS)
    const visitor = await visit(scene.pages, { paywall, path: '?interval=month' })
    await go(visitor, scene)
    return visitor.page
  }

/** The cancel page of a subscriber who is offered a discount to stay. */
export const asCanceller =
  (go: (visitor: Visitor) => Promise<unknown> = async () => undefined): Way =>
  async ({ pages }) => {
    const { paywall } = await newTenant(pages.world, WITH_OFFERS)
    const visitor = await visit(pages, { paywall, path: '/account' })
    await signIn(visitor, newEmail())
    await buyAsVisitor(pages, visitor, 'Yearly')
    await visitor.page.goto(`${visitor.home}/account`)
    await press(visitor, 'Cancel subscription', 'link')
    await visitor.page.getByRole('region', { name: 'Half price for a year' }).waitFor()
    await go(visitor)
    return visitor.page
  }

/** Enters the code of an offer, and waits for the result. */
export async function enterDiscountCode(visitor: Visitor, code: string): Promise<void> {
  const { page } = visitor
  const field = page.getByLabel('Discount code')
  if (!(await field.isVisible())) await page.getByText('Have a code?').click()
  await field.fill(code)
  await press(visitor, 'Apply')
  await page
    .getByRole('alert')
    .or(page.getByRole('button', { name: 'Remove code' }))
    .waitFor()
}

/** Submits the page's form with these fields added or replaced, without pressing one of its buttons. */
export const send = async ({ page }: Visitor, fields: Record<string, string>) => {
  const sent = page.waitForNavigation()
  await page.evaluate(`(() => {
    const form = document.querySelector('main form')
    form.noValidate = true
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      for (const each of form.querySelectorAll('[name="' + name + '"]')) each.remove()
      form.append(Object.assign(document.createElement('input'), { name, value }))
    }
    HTMLFormElement.prototype.submit.call(form)
  })()`)
  await sent
}

/** The account page with the subscriber's purchase in another status. */
export const withStatus =
  (status: string, more = ''): Way =>
  async ({ pages, subscriber }) => {
    await pages.world.database.query(`update purchases set status = '${status}'${more}`)
    await at(subscriber, '/account')
    await pages.world.database.query("update purchases set status = 'active', cancel_at_period_end = false")
    return subscriber.page
  }

export async function writeTicket({ page }: Visitor): Promise<void> {
  const email = page.getByLabel('E-mail address')
  if ((await email.count()) > 0) await email.fill(newEmail())
  await page.getByLabel('Subject').fill(MESSAGE.subject)
  await page.getByLabel('Message').fill(MESSAGE.content)
}

/** Runs `act` while the database does not respond. */
export async function withoutDatabase({ pages: { world } }: Scene, act: () => Promise<unknown>): Promise<void> {
  world.neon.onStatement = () => Promise.reject(new ResponseLost())
  await act()
  world.neon.onStatement = undefined
}

export const PNG = { name: 'screen.png', mimeType: 'image/png', buffer: Buffer.from('89504e470d0a1a0a0000', 'hex') }

export async function requestCode(visitor: Visitor): Promise<void> {
  await visitor.page.getByLabel('E-mail address').fill(newEmail())
  await press(visitor, 'Send me a code')
  await visitor.page.getByLabel('Code from the e-mail').waitFor()
}

export async function enterWrongCode(visitor: Visitor): Promise<void> {
  await requestCode(visitor)
  await visitor.page.getByLabel('Code from the e-mail').fill('0000 0000')
  await press(visitor, 'Sign in')
  await visitor.page.getByRole('alert').waitFor()
}
