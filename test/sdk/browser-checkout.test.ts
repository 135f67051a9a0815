import type { OpenParams } from 'paywall-billing-sdk/browser'
import { afterEach, describe, expect, test } from 'vitest'
import { DroppedCall } from '../../dev/emulators/core/calls.ts'
import { buyInTab, dropResponse, openTab, signInInTab, siteOfFile } from '../support/site.ts'
import { until } from '../support/until.ts'

const fixture = siteOfFile()
afterEach(async () => {
  const { stripe } = fixture.site.world
  stripe.onCall = undefined
  await stripe.sendHeldWebhooks()
})

const open = (path?: string, options?: string) => openTab(fixture.site, fixture.context, path, options)
const PAID = expect.objectContaining({ user: expect.objectContaining({ paid: true }), isWaiting: false })

test('a guest buys and returns to the page, and every tab shows the purchase', async () => {
  const [shop, other] = [await open('/shop?colour=red#prices'), await open()]
  expect(await shop.paywall.evaluate(({ id, user }) => ({ id, user }))).toEqual({
    id: fixture.site.world.paywall.id,
    user: null,
  })
  const back = await buyInTab(fixture.site, shop)
  expect(back.page.url()).toBe(`${fixture.site.url}/shop?colour=red#prices`)
  await expect.poll(back.received).toContainEqual(PAID)
  await expect.poll(back.reasons).toContain('purchased')
  await expect.poll(other.received).toEqual([{ user: null, isWaiting: false }, PAID])
  const has = await other.paywall.evaluate((paywall) => [paywall.balance('standard'), paywall.can('export')])
  expect(has).toEqual([100, true])
})

/** Lets no purchase arrive: neither by a webhook nor by a read. */
function withholdPurchases(): void {
  const { stripe } = fixture.site.world
  stripe.holdWebhooks()
  stripe.onCall = async ({ method }, run) => {
    if (method === 'GET') throw new DroppedCall()
    return run()
  }
}

test('the page waits for a late webhook', async () => {
  const shop = await open()
  withholdPurchases()
  const back = await buyInTab(fixture.site, shop)
  const unpaid = expect.objectContaining({ paid: false })
  await expect.poll(back.received).toContainEqual({ user: unpaid, isWaiting: true })
  expect(await back.received()).not.toContainEqual(PAID)
  fixture.site.world.stripe.onCall = undefined
  await fixture.site.world.stripe.sendHeldWebhooks()
  await expect.poll(back.received, { timeout: 15_000 }).toContainEqual(PAID)
  expect(await back.reasons()).toEqual(['waiting', 'updated', 'purchased'])
  expect(await back.paywall.evaluate((paywall) => paywall.isWaiting)).toBe(false)
})

test('the page stops waiting after 30 seconds', async () => {
  const shop = await open()
  withholdPurchases()
  await shop.page.clock.install()
  const back = await buyInTab(fixture.site, shop)
  await expect.poll(back.reasons).toContain('waiting')
  expect(await back.reasons()).not.toContain('not_purchased')
  await back.page.clock.fastForward(30_000)
  await expect.poll(back.reasons).toEqual(['waiting', 'not_purchased'])
  expect((await back.received()).at(-1)).toEqual({ user: expect.objectContaining({ paid: false }), isWaiting: false })
})

test('a guest who does not pay returns to the page, which does not wait', async () => {
  const back = await buyInTab(fixture.site, await open('/shop'), { action: 'cancel' })
  expect(back.page.url()).toBe(`${fixture.site.url}/shop`)
  expect(await back.received()).toEqual([{ user: expect.objectContaining({ paid: false }), isWaiting: false }])
  expect(await back.reasons()).toEqual(['initial'])
})

test('open rejects an invalid successUrl or errorUrl with invalid_url', async () => {
  const { paywall } = await open()
  const refused = (order: OpenParams) =>
    paywall.evaluate((shop, wrong) => shop.open('monthly', wrong).catch(({ name, code }) => [name, code]), order)
  expect(await refused({ successUrl: 'https://' })).toEqual(['PaywallError', 'invalid_url'])
  expect(await refused({ errorUrl: 'https://' })).toEqual(['PaywallError', 'invalid_url'])
})

test('open accepts a successUrl and an errorUrl, whose pages also wait for the purchase', async () => {
  const order = { successUrl: '/thanks?id=__SESSION__', errorUrl: '/sorry' }
  const back = await buyInTab(fixture.site, await open(), { order })
  expect(back.page.url()).toMatch(new RegExp(`^${fixture.site.url}/thanks\\?id=[\\da-f-]{36}$`))
  await expect.poll(back.received).toContainEqual(PAID)
  const elsewhere = await openTab(fixture.site, await fixture.site.browser.newContext())
  const sorry = await buyInTab(fixture.site, elsewhere, { order, action: 'cancel' })
  expect(sorry.page.url()).toBe(`${fixture.site.url}/sorry`)
  await sorry.page.context().close()
})

test('open asks for the language of your page, or for another', async () => {
  const pageLocale = () => fixture.site.world.stripe.checkoutSessions.at(-1)?.locale
  const tab = await open()
  await tab.page.evaluate(`document.documentElement.lang = 'de-AT'`)
  await buyInTab(fixture.site, tab, { action: 'cancel' })
  expect(pageLocale()).toBe('de')
  await buyInTab(fixture.site, await open(), { order: { locale: 'fr' }, action: 'cancel' })
  expect(pageLocale()).toBe('fr')
})

describe('only one hosted page is opened', () => {
  const opened = () => fixture.site.world.stripe.checkoutSessions.length

  test('by a double click', async () => {
    const { page, paywall } = await open()
    const before = opened()
    await paywall.evaluate((shop) => void Promise.all([shop.open('monthly'), shop.open('monthly')]))
    await page.waitForURL(`${fixture.site.world.stripe.url}/**`)
    expect(opened() - before).toBe(1)
  })

  test('by a click whose response is lost, and the next click', async () => {
    const { page, paywall } = await open()
    const before = opened()
    await page.route('**/start-checkout', (route) => dropResponse(fixture.site, route))
    const failed = await paywall.evaluate((shop) => shop.open('monthly').catch(({ code }) => code))
    expect(failed).toBe('network_error')
    await page.unroute('**/start-checkout')
    await paywall.evaluate((shop) => void shop.open('monthly'))
    await page.waitForURL(`${fixture.site.world.stripe.url}/**`)
    expect(opened() - before).toBe(1)
  })
})

test('a subscriber opens the portal and cancels, which every tab shows at once', async () => {
  const [shop, other] = [await open(), await open()]
  await signInInTab(fixture.site, shop)
  const { paywall, reasons } = await buyInTab(fixture.site, shop)
  await until('the purchase', () => paywall.evaluate(({ user }) => user?.paid))
  expect(await paywall.evaluate((bought) => bought.portal())).toContain(fixture.site.world.stripe.url)
  const cancelled = await paywall.evaluate((bought) =>
    bought.cancel({ subscriptionId: bought.user?.purchases[0]?.id ?? '', reason: 'too expensive' }),
  )
  expect(cancelled).toMatchObject({ success: true, subscription: { cancel_at_period_end: true } })
  const ending = [expect.objectContaining({ status: 'active', cancel_at_period_end: true })]
  expect(await paywall.evaluate(({ user }) => user?.purchases)).toEqual(ending)
  expect(await reasons()).toContain('cancelled')
  await expect.poll(() => other.paywall.evaluate(({ user }) => user?.purchases)).toEqual(ending)
})

test('an origin that is not a paywall’s domain requires the paywall id', async () => {
  const { page } = await open()
  const create = (options: string) =>
    page.evaluate(
      `import('/sdk.js').then(({ createPaywall }) => createPaywall('${fixture.site.world.url}', ${options})).then(({ id }) => id, ({ status, code, name }) => ({ status, code, name }))`,
    )
  expect(await create('{}')).toEqual({ status: 404, code: 'paywall_not_found', name: 'PaywallError' })
  expect(await create(`{ paywall: '${fixture.site.world.paywall.id}' }`)).toBe(fixture.site.world.paywall.id)
})
