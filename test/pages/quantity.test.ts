import { afterAll, beforeAll, expect, test } from 'vitest'
import { buy, newEmail } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { type Pages, startPages } from './pages.ts'
import { getHeading, press, signIn, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  const plus = { slug: 'plus', label: 'Plus', amount: 19.99, processorPrice: 'price_plus', tokens: [] }
  const prices = [monthly({ per_unit: true }), monthly({ per_unit: true, ...plus })]
  const discount = { amount: 5, currency: 'USD', periods: 1 }
  const offers = [
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
