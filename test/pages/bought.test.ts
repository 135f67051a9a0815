import { afterAll, beforeAll, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { newEmail } from '../support/checkout.ts'
import { monthly, yearly } from '../support/paywall-file.ts'
import { type Pages, startPages } from './pages.ts'
import { buyAsVisitor, send } from './scene.ts'
import { BUY, press, signIn, type Visitor, visit } from './visitor.ts'

let pages: Pages

beforeAll(async () => {
  const once = { currency: 'USD', tokens: [{ type: 'standard', count: 1000 }] }
  const prices = [
    monthly({ trial_days: 7 }),
    yearly({ trial_days: 0 }),
    { slug: 'lifetime', label: 'Lifetime', amount: 249, access: true, processorPrice: 'price_lifetime', ...once },
    { slug: 'pack', label: 'Pack', amount: 5, access: false, processorPrice: 'price_pack', ...once },
  ]
  const settings = { tokenization_queries: [{ type: 'standard' }], checkout: { automatic_tax: true } }
  pages = await startPages({ paywall: { prices, settings } })
})

afterAll(() => pages.close())

/** The names of the prices that can be chosen. */
const offered = ({ page }: Visitor) =>
  page.getByRole('radio').evaluateAll((all) => all.map((radio) => radio.labels[0].textContent))

const terms = ({ page }: Visitor) => page.locator('.buy .hint:visible').textContent()

test('a subscriber sees the current plan, can buy a pack repeatedly, and lifetime, which names the subscription that it ends', async () => {
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await buyAsVisitor(pages, visitor, 'Monthly')
  await page.goto(home)
  const cards = page.locator('.price')
  expect(await cards.nth(0).textContent()).toContain('MonthlyYour plan')
  expect(await cards.nth(1).textContent()).toContain('Change to Yearly')
  expect(await offered(visitor)).toEqual(['Lifetime$249 one-time payment', 'Pack$5 one-time payment'])
  for (const _ of [1, 2]) {
    await buyAsVisitor(pages, visitor, 'Pack')
    await page.goto(home)
  }

  await page.getByRole('radio', { name: 'Lifetime' }).check()
  expect(await terms(visitor)).toBe(
    'Due today: $249. Your subscription Monthly ends: you are not charged for it again.',
  )
  await buyAsVisitor(pages, visitor, 'Lifetime')
  await page.goto(home)
  expect(await cards.nth(2).textContent()).toContain('LifetimeYour plan')
  await page.goto(`${home}/account`)
  expect(await page.getByRole('region', { name: 'Monthly' }).textContent()).toMatch(/Does not renew|Replaced/)
})

test('a visitor who buys nothing but a pack is thanked for it', async () => {
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await page.goto(home)
  await page.getByRole('radio', { name: 'Pack' }).check()
  await press(visitor, BUY)
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
})

test('a subscriber is thanked for another purchase only once it has arrived', async () => {
  const { stripe } = pages.world
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await buyAsVisitor(pages, visitor, 'Monthly')
  await page.goto(home)
  await page.getByRole('radio', { name: 'Pack' }).check()
  await press(visitor, BUY)
  await page.waitForURL(`${stripe.url}/**`)
  stripe.holdWebhooks()
  stripe.onCall = () => Promise.reject(new DroppedCall())
  await page.locator('[value=pay]').click()
  await page.getByRole('heading', { name: 'Your payment is being processed' }).waitFor()
  stripe.onCall = undefined
  await stripe.sendHeldWebhooks()
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
})

test('the account shows the payments, with their taxes and receipts; a trial has none', async () => {
  const { stripe, paywall } = pages.world
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await buyAsVisitor(pages, visitor, 'Monthly')
  await page.goto(`${home}/account`)
  expect(await page.getByRole('region', { name: 'Payments' }).textContent()).toBe('PaymentsNo payments yet.')
  await stripe.setTerms(paywall.id, { taxPercent: 20, percentOff: 0 })
  await buyAsVisitor(pages, visitor, 'Pack')
  await stripe.setTerms(paywall.id, { taxPercent: 0, percentOff: 0 })
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).origin))
  await page.goto(`${home}/account`)
  const payments = page.getByRole('region', { name: 'Payments' }).getByRole('listitem')
  expect(await payments.allTextContents()).toEqual([
    expect.stringMatching(/^Pack\w+ \d+, \d{4}\$6incl\. \$1 taxReceipt$/),
  ])
  await page.goto(`${home}/account?locale=de`)
  const german = page.getByRole('region', { name: 'Zahlungen' }).getByRole('listitem')
  expect(await german.textContent()).toMatch(/^Pack.*6\s\$inkl\. 1\s\$ SteuernBeleg$/)
  expect(new Set(requested)).toEqual(new Set([pages.world.url]))
  await german.getByRole('link', { name: /^Beleg: Pack, / }).click()
  await page.waitForURL(`${stripe.url}/receipts/**`)
  expect(await page.textContent('main')).toContain('Pack: $6')
})

test('a form that does not name the subscription does not end it', async () => {
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await buyAsVisitor(pages, visitor, 'Yearly')
  await page.goto(home)
  await page.getByRole('radio', { name: 'Lifetime' }).check()
  await send(visitor, { ends: '' })
  expect(await page.getByRole('alert').textContent()).toContain('You already have an active purchase.')
})

test('a user who has had the trial is offered none', async () => {
  const visitor = await visit(pages, { path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, newEmail())
  await buyAsVisitor(pages, visitor, 'Monthly')
  await pages.world.database.query("update purchases set status = 'canceled'")
  await page.goto(home)
  await page.getByRole('radio', { name: 'Monthly' }).check()
  expect(await page.getByRole('button', { name: BUY }).textContent()).toContain('Pay $9.99')
  expect(await page.textContent('main')).not.toContain('free')
  await press(visitor, BUY)
  await page.waitForURL(`${pages.world.stripe.url}/**`)
  expect(await page.textContent('body')).not.toContain('trial')
})
