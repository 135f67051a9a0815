import { afterAll, beforeAll, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { paywallAt } from '../conformance/shop.ts'
import { getPriceId, newEmail, parseOpened, press as pressOnPage, startCheckout } from '../support/checkout.ts'
import { moveAccount } from '../support/passing-time.ts'
import { until } from '../support/until.ts'
import { DEMO_PAYWALL } from './demo-paywall.ts'
import { type Pages, startPages } from './pages.ts'
import { BUY, press, signIn, type Visitor, visit } from './visitor.ts'

let pages: Pages

/** Offers a one-time price before a cancellation. */
const WITH_LIFETIME = {
  ...DEMO_PAYWALL,
  offers: [{ slug: 'stay', price: 'lifetime', title: 'For ever', show: 'cancel' }],
}

/** At a processor that cannot close a page, so that a buyer may get two subscriptions. */
const AT_MOLLIE = {
  ...paywallAt('mollie'),
  offers: [{ slug: 'stay', price: 'monthly', title: 'Pay less', show: 'cancel' }],
}

beforeAll(async () => {
  pages = await startPages({ paywalls: [DEMO_PAYWALL, AT_MOLLIE, WITH_LIFETIME] })
})

afterAll(() => pages.close())

const CANCELLED = 'Your subscription is cancelled'

/** A signed-in buyer of a price of a paywall, on their account page. */
async function visitAsSubscriber({ paywall = pages.world.paywall, price = 'Yearly', email = newEmail() } = {}) {
  const visitor = await visit(pages, { paywall, path: '/account' })
  const { page, home } = visitor
  await signIn(visitor, email)
  await page.goto(home)
  await page.getByRole('radio', { name: price }).check()
  await press(visitor, BUY)
  await pay(visitor)
  await press(visitor, 'Your account', 'link')
  const link = await page.getByRole('link', { name: 'Cancel subscription' }).getAttribute('href')
  return { visitor, purchaseId: new URL(link ?? '', home).searchParams.get('purchase') ?? '' }
}

/** Pays on the processor's page, and waits until the purchase is stored. */
async function pay({ page, home }: Visitor): Promise<void> {
  await page.waitForURL((url) => !url.href.startsWith(pages.world.url))
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
}

test('a link with ?cancelled= alone does not show a subscription as cancelled', async () => {
  const { visitor, purchaseId } = await visitAsSubscriber()
  const { page, home } = visitor
  for (const id of [purchaseId, 'yes']) {
    await page.goto(`${home}/account?cancelled=${id}`)
    expect(await page.getByText(CANCELLED).count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Yearly' }).textContent()).toMatch(/Renews on.*Cancel subscription/)
  }
})

test('a cancellation is confirmed on the page, and its reason is stored in full, with line breaks', async () => {
  const { visitor, purchaseId } = await visitAsSubscriber()
  const { page, home } = visitor
  await page.goto(`${home}/account/cancel?purchase=${purchaseId}`)
  await page.getByLabel('Something that I need is missing').check()
  const reason = `${'a\n'.repeat(446)}the end.` // 900 characters, as the form counts them
  await page.getByLabel('Tell us more').fill(reason)
  await press(visitor, 'Cancel subscription now')
  await page.getByText(CANCELLED).waitFor()
  const cookie = (await page.context().cookies(home)).find(({ name }) => name.includes('cancelled'))
  expect(cookie).toMatchObject({ value: purchaseId, httpOnly: true })
  const sql = 'select cancellation_reason as reason from purchases where id = $1'
  const { rows } = await pages.world.database.query<{ reason: string }>(sql, [purchaseId])
  expect(rows).toEqual([{ reason: `Something that I need is missing: ${reason}` }])
})

test('a subscription that is replaced on the cancel page is shown as not renewing, even before it is stopped', async () => {
  const paywall = pages.world.file.paywalls[1]!
  const { mollie, workers, key } = pages.world
  // Plans of one of two subscriptions are not changed: the page sells a third, which replaces both.
  const email = newEmail()
  const body = { email, priceId: getPriceId(paywall, 'yearly') }
  const second = parseOpened(await startCheckout(pages.world, { paywall, key, body }))
  const { visitor, purchaseId } = await visitAsSubscriber({ paywall, price: 'Plus', email })
  await pressOnPage(second.checkoutUrl, 'pay')
  await mollie.drainWebhooks()
  const { page, home } = visitor
  await page.goto(`${home}/account/cancel?purchase=${purchaseId}`)
  mollie.onCall = async ({ method }, run) => {
    if (method === 'DELETE') throw new DroppedCall()
    return run()
  }
  await press(visitor, 'Add Monthly')
  await pay(visitor)
  const thanks = page.url()
  const [plus, notice] = [page.getByRole('region', { name: 'Plus' }), page.getByText('You still have Plus.')]
  expect(await notice.count()).toBe(0)
  await page.goto(`${home}/account`)
  expect(await plus.textContent()).toMatch(/Active.*Does not renew/)
  expect(await plus.getByRole('link').count()).toBe(0)
  mollie.onCall = undefined
  const ends = 'select 1 from purchases where id = $1 and cancel_at_period_end'
  await until('Plus no longer renews', async () => {
    await moveAccount({ ...pages.world, paywall }, 1)
    await workers.scheduled('reconcile')
    return (await pages.world.database.query(ends, [purchaseId])).rowCount
  })
  await page.reload()
  expect(await plus.textContent()).toMatch(/Active.*Does not renew/)
  expect(await page.getByRole('region', { name: 'Monthly' }).textContent()).toContain('Cancel subscription')

  // As if the second one had been bought without replacing the first.
  const both = 'update purchases set replaced_by = null, cancel_at_period_end = false where id = $1'
  await pages.world.database.query(both, [purchaseId])
  await page.goto(thanks)
  await notice.waitFor()
})

test('an offer of a one-time price is sold, since no plan can be changed to it', async () => {
  const { visitor, purchaseId } = await visitAsSubscriber({ paywall: pages.world.file.paywalls[2]! })
  const { page, home } = visitor
  await page.goto(`${home}/account/cancel?purchase=${purchaseId}`)
  await press(visitor, 'Add Lifetime')
  await pay(visitor)
  await page.goto(`${home}/account`)
  expect(await page.getByRole('region', { name: 'Yearly' }).textContent()).toContain('Does not renew')
})

test('a line break counts as one character of the 5,000 of a ticket', async () => {
  const visitor = await visit(pages, { path: '/account/ticket' })
  const { page } = visitor
  const content = `${'a line\n'.repeat(714)}${'x'.repeat(2)}`
  await page.getByLabel('E-mail address').fill(newEmail())
  await page.getByLabel('Subject').fill('Many lines')
  await page.getByLabel('Message').fill(content)
  await press(visitor, 'Send')
  await page.getByText('We received your message').waitFor()
  const { rows } = await pages.world.database.query('select content from tickets where subject = $1', ['Many lines'])
  expect(rows).toEqual([{ content }])
})
