import { beforeEach, expect, test } from 'vitest'
import { monthly } from '../support/paywall-file.ts'
import { buyInTab, openTab, signInInTab, siteOfFile, type Tab } from '../support/site.ts'
import { until } from '../support/until.ts'

// A subscriber changes the plan on a page of the owner.

const TEAM = { slug: 'team', amount: 29.99, processorPrice: 'price_team', locals: [], features: ['export', 'api'] }
const fixture = siteOfFile({ prices: [monthly({ features: ['export'] }), monthly(TEAM)] })

let tab: Tab
beforeEach(async () => {
  const shop = await openTab(fixture.site, fixture.context)
  const email = await signInInTab(fixture.site, shop)
  tab = await buyInTab(fixture.site, shop, { email })
  await until('the purchase', async () => (await tab.reasons()).at(-1) === 'purchased')
})

const can = (feature: string, { paywall }: Tab = tab) => paywall.evaluate((shown, name) => shown.can(name), feature)
const lastPlan = async ({ received }: Tab) => (await received()).at(-1)?.user?.purchases[0]?.price_slug

test('after the change every tab shows the new plan, for what the preview showed', async () => {
  const other = await openTab(fixture.site, fixture.context)
  const preview = await tab.paywall.evaluate((paywall) => paywall.previewPlanChange({ price: 'team' }))
  expect(preview).toMatchObject({ from: { price_slug: 'monthly' }, to: { price_slug: 'team' }, estimate: false })
  expect(await can('api')).toBe(false)

  const changed = await tab.paywall.evaluate(async (paywall, quote) => {
    const { checkoutUrl, pending } = await paywall.changePlan({ price: 'team', quote })
    return { checkoutUrl, pending, can: paywall.can('api') }
  }, preview.quote)
  expect(changed).toEqual({ checkoutUrl: null, pending: false, can: true })
  for (const each of [tab, other]) {
    await expect.poll(() => lastPlan(each)).toBe('team')
    expect((await each.reasons()).at(-1)).toBe('updated')
    expect(await can('api', each)).toBe(true)
  }
  const { stripe } = fixture.site.world
  await stripe.drainWebhooks()
  expect(stripe.events.findLast(({ type }) => type === 'invoice.paid')?.data.object).toMatchObject({
    amount_paid: preview.due_now.amount,
  })
})

test('a change at the end of the period is shown, too', async () => {
  await tab.paywall.evaluate((paywall) => paywall.changePlan({ price: 'team', when: 'period_end' }))
  expect(await tab.paywall.evaluate(({ user }) => user?.purchases)).toMatchObject([
    { price_slug: 'monthly', scheduled_change: { price_slug: 'team' } },
  ])
})

test('a change that has to be paid on a page is shown after the return', async () => {
  const { stripe } = fixture.site.world
  const customer = stripe.events.findLast(({ type }) => type === 'customer.subscription.created')?.data.object.customer
  await stripe.declineCharges(String(customer))
  const changed = await tab.paywall.evaluate((paywall) => paywall.changePlan({ price: 'team' }))
  expect(changed).toMatchObject({ checkoutUrl: expect.stringContaining(stripe.url), pending: false })
  expect(await can('api')).toBe(false)
  await stripe.declineCharges(String(customer), false)
  await tab.page.goto(changed.checkoutUrl ?? '')
  await tab.page.locator('button[value=pay]').click()
  await stripe.drainWebhooks()
  expect(await can('api', await openTab(fixture.site, fixture.context))).toBe(true)
})
