import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail } from '../support/checkout.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, getHeading, press, signIn, type Visitor, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  pages = await startPages()
})

afterAll(() => pages.close())

/** A signed-in user who has bought nothing yet. */
async function visitSignedIn(): Promise<Visitor> {
  const visitor = await visit(pages, { path: '/account' })
  await signIn(visitor, newEmail())
  return visitor
}

test('the thanks page waits for a purchase that is made in another tab', async () => {
  const visitor = await visitSignedIn()
  const { page, home } = visitor
  await page.goto(`${home}/thanks`)
  expect(await getHeading(visitor)).toBe('Your payment is being processed')
  await page.waitForResponse((response) => response.url().endsWith('/user'))
  const shop = await page.context().newPage()
  await shop.goto(home)
  await press({ page: shop }, BUY)
  await shop.waitForURL(`${pages.world.stripe.url}/**`)
  await shop.locator('[value=pay]').click()
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
})

test.each(['/session', '/user'])(
  'the thanks page says that it is taking longer if %s does not respond',
  async (path) => {
    const { page, home } = await visitSignedIn()
    await page.route(`**${path}`, (route) => route.abort())
    await page.goto(`${home}/thanks`)
    await page.getByText('This is taking longer than usual').waitFor()
    expect(await page.getByText('We are waiting for the confirmation').isVisible()).toBe(false)
  },
)
