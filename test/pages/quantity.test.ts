import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buy, newEmail } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { newTenant } from '../support/tenants.ts'
import { type Pages, startPages } from './pages.ts'
import { getHeading, press, signIn, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  const plus = { slug: 'plus', label: 'Plus', amount: 19.99, processorPrice: 'price_plus', tokens: [] }
  const prices = [monthly({ per_unit: true }), monthly({ per_unit: true, ...plus })]
  const discount = { amount: 5, currency: 'USD', periods: 1 }
  const spring = { id: 'spring', title: 'Spring', discount, prices: ['plus'], processorDiscount: 'FIVE_OFF' }
  const offers = [
    spring,
    { id: 'stay', title: 'Stay', discount, prices: ['monthly'], show: 'cancel', processorDiscount: 'FIVE_ONCE' },
  ]
  const locales = { en: {}, de: {} }
  pages = await startPages({ paywall: { prices: prices.map((price) => ({ ...price, locals: [] })), offers, locales } })
})

afterAll(() => pages.close())

test('a price per unit is named so, and a subscriber to several units sees what all of them cost', async () => {
  const { world } = pages
  const email = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email, body: { quantity: 3 } })
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await page.goto(home)
  const card = page.locator('.price', { hasText: 'Monthly' })
  expect(await card.textContent()).toMatch(/\$9\.99 per unit, per month.*100 .* per unit, per month/)
  await page.goto(`${home}?locale=de`)
  expect(await card.textContent()).toMatch(/9,99.*pro Einheit, pro Monat/)

  await page.goto(`${home}/account?locale=en`)
  await signIn(visitor, email)
  const purchase = page.getByRole('region', { name: '3 × Monthly' })
  expect(await purchase.textContent()).toContain('$29.97 per month')
  await page.goto(`${home}?locale=en`)
  await press(visitor, 'Change to Plus', 'link')
  expect(await getHeading(visitor)).toBe('Change to 3 × Plus')
  const shown = await page.getByRole('main').textContent()
  expect(shown).toMatch(/Next payment: \$59\.97 on .*It renews at \$59\.97 per month, until you cancel\./)
})

test('an offer to stay shows what all units cost', async () => {
  const { world } = pages
  const email = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email, body: { quantity: 3 } })
  const visitor = await visit(pages, { path: '/account' })
  await signIn(visitor, email)
  await press(visitor, 'Cancel subscription', 'link')
  expect(await visitor.page.getByRole('region', { name: 'Stay' }).textContent()).toMatch(/\$29\.97.*\$24\.97 per month/)
  await press(visitor, 'Keep it at $24.97')
  expect(await getHeading(visitor)).toBe("We're glad you're staying")
})

const card = (page: Page, label: string) => page.locator('.price', { hasText: label })
const latestSession = () => pages.world.stripe.checkoutSessions.at(-1)

test('the total follows the number of units, at the offer of the price, and is what the page of the processor charges', async () => {
  const visitor = await visit(pages)
  const { page } = visitor
  const plus = card(page, 'Plus')
  expect(await plus.locator('.price-head').textContent()).toMatch(/\$19\.99 per unit, per month$/)
  expect(await plus.getByRole('status').textContent()).toMatch(/^1 unit: .*\$19\.99 .*\$14\.99 per month/)
  await plus.getByLabel('Number of units').fill('3')
  await plus.getByText('3 units').waitFor()
  expect(await plus.getByRole('status').textContent()).toMatch(/\$59\.97 .*\$54\.97 per month/)
  expect(await page.locator('.buy').textContent()).toContain('Then $59.97 per month, until you cancel.')
  await press(visitor, 'Pay $54.97')
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  expect(latestSession()).toMatchObject({ amount_total: 5497 })
})

test('a request for a total that is overtaken by the next logs no error', async () => {
  const { page } = await visit(pages)
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  const monthlyCard = card(page, 'Monthly')
  await monthlyCard.getByLabel('Number of units').evaluate((field) => {
    for (const value of ['3', '4']) {
      Object.assign(field, { value })
      field.dispatchEvent(new Event('input'))
    }
  })
  await monthlyCard.getByText('4 units').waitFor()
  expect(errors).toEqual([])
})

test('two buttons for a price sell the number of units in its one field', async () => {
  const blocks = [
    { type: 'button', price: 'monthly' },
    { type: 'button', price: 'monthly', text: 'bottom' },
  ]
  const prices = [monthly({ per_unit: true, locals: [] })]
  const locales = { en: { bottom: 'Buy here, too' } }
  const { paywall } = await newTenant(pages.world, { prices, locales, layout: { type: 'stack', blocks } })
  const visitor = await visit(pages, { paywall })
  const { page } = visitor
  await page.getByLabel('Number of units').last().fill('5')
  await page.getByText('5 units').last().waitFor()
  await press(visitor, 'Buy here, too')
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  expect(latestSession()).toMatchObject({ amount_total: 4995 })
})

test('without a script, the total is shown before anything is sold', async () => {
  const visitor = await visit(pages, { javaScriptEnabled: false })
  const { page } = visitor
  const before = pages.world.stripe.checkoutSessions.length
  await card(page, 'Monthly').getByLabel('Number of units').fill('2')
  await card(page, 'Plus').getByLabel('Number of units').fill('4')
  await press(visitor, 'Pay $9.99')
  expect(await page.getByRole('main').textContent()).toContain('Please check the total before you buy.')
  expect(await card(page, 'Monthly').getByRole('status').textContent()).toContain('2 units: $19.98 per month')
  expect(pages.world.stripe.checkoutSessions).toHaveLength(before)

  await card(page, 'Monthly').getByLabel('Number of units').fill('10000')
  await card(page, 'Monthly').getByRole('button', { name: 'Show the total' }).click()
  expect(await card(page, 'Plus').getByRole('status').textContent()).toContain('$74.96 per month')
  await press(visitor, 'Pay $99,900')
  await page.waitForLoadState()
  expect(latestSession()).toMatchObject({ amount_total: 9_990_000 })
})

test.each(['0', '10001', '1.5', '-1', '1e3', 'many'])('%s units are refused', async (units) => {
  const { page } = await visit(pages)
  const input = card(page, 'Monthly').getByLabel('Number of units')
  await input.evaluate((field, value) => Object.assign(field, { type: 'text', value }), units)
  await page.locator('form.stack').evaluate((form) => Object.assign(form, { noValidate: true }))
  await press({ page }, /^Pay/)
  await page.getByText('Please enter a whole number from 1 to 10,000.').waitFor()
})

test('a change of plan shows what another number of units costs, also of the same price', async () => {
  const { world } = pages
  const email = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email, body: { quantity: 3 } })
  const visitor = await visit(pages, { path: '/account', javaScriptEnabled: false })
  const { page, home } = visitor
  await signIn(visitor, email)
  await press(visitor, 'Change the number of units', 'link')
  expect(await page.getByLabel('Number of units').inputValue()).toBe('3')
  await page.getByLabel('Number of units').fill('2')
  await press(visitor, 'Show the total')
  expect(await getHeading(visitor)).toBe('Change to 2 × Monthly')
  expect(await page.getByRole('main').textContent()).toContain('It renews at $19.98 per month')

  await page.goto(`${home}?locale=en`)
  await press(visitor, 'Change to Plus', 'link')
  await page.getByLabel('Number of units').fill('5')
  await press(visitor, 'Show the total')
  expect(await getHeading(visitor)).toBe('Change to 5 × Plus')
  await press(visitor, / and change$/)
  expect(await getHeading(visitor)).toBe('You have changed to 5 × Plus')
  await page.goto(`${home}/account`)
  expect(await page.getByRole('region', { name: '5 × Plus' }).textContent()).toContain('$99.95 per month')
})

test('while the number of units of a change is typed, nothing is requested', async () => {
  const { world } = pages
  const email = newEmail()
  await buy(world, { paywall: world.paywall, key: world.key, email, body: { quantity: 3 } })
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, email)
  await page.goto(home)
  await press(visitor, 'Change to Plus', 'link')
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.resourceType()} ${request.method()}`))
  await page.getByLabel('Number of units').fill('5')
  await press(visitor, 'Show the total')
  await page.getByRole('heading', { name: 'Change to 5 × Plus' }).waitFor()
  expect(requests.filter((request) => !/^(script|stylesheet) /.test(request))).toEqual(['document GET'])
})
