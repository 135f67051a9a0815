import type { BrowserPaywall, OpenParams } from 'paywall-billing-sdk/browser'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { bundledModule } from '../support/bundled-sdk.ts'
import { listSite, startOwnerSite } from '../support/owner-site.ts'
import { monthly } from '../support/paywall-file.ts'
import { quickstart } from '../support/quickstart.ts'
import { openTab, type Site, startSite, type Tab } from '../support/site.ts'

// A page of the owner sells at offers, with codes and by the unit. The code that does so is that of the README.

/** What the README's block adds to the global object of a page. */
interface Block {
  readOffers(paywall: BrowserPaywall, price: string): Promise<{ offers: { id: string }[]; acceptsCodes: boolean }>
  sellAtOffer(paywall: BrowserPaywall, order: OpenParams): Promise<string | null>
}

const offer = (id: string, fields: Record<string, unknown>) => ({
  id,
  title: id,
  discount: { percent: 50, periods: 1 },
  prices: ['monthly'],
  processorDiscount: `${id}-discount`,
  ...fields,
})

let site: Site
let shop: { url: string; close(): Promise<void> }
let tab: Tab

beforeAll(async () => {
  const offers = [
    offer('spring', {}),
    offer('friends', { code: 'FRIENDS-2027', show: 'code', discount: { percent: 20, periods: 1 } }),
    offer('over', { ends_at: '2020-01-01T00:00:00Z' }),
    offer('stay', { show: 'cancel' }),
  ]
  site = await startSite({ prices: [monthly({ per_unit: true })], offers }, { rateLimited: true })
  const sdk = `${quickstart('').find('readOffers(')}\nexport * from 'paywall-billing-sdk/browser'`
  shop = await startOwnerSite('<!doctype html><title>A shop</title>', { '/sdk.js': await bundledModule(sdk) })
  await listSite(site.world, shop.url)
})
afterAll(async () => {
  await Promise.all([shop?.close(), site?.close()])
})
beforeEach(async () => {
  tab = await openTab({ ...site, url: shop.url }, await site.browser.newContext())
  await tab.page.evaluate("import('/sdk.js').then((sdk) => Object.assign(window, sdk))")
})
afterEach(() => tab.page.context().close())

const opened = () => site.world.stripe.checkoutSessions.length
const lastOpened = () => site.world.stripe.checkoutSessions.at(-1)

/** Sells with the README's function. Null: the browser is on its way to the hosted page. */
const sell = (order: OpenParams) =>
  tab.paywall.evaluate((paywall, given) => (globalThis as unknown as Block).sellAtOffer(paywall, given), order)

test('the page shows the offers for a price, and a field for a code', async () => {
  const read = () => tab.paywall.evaluate((paywall) => (globalThis as unknown as Block).readOffers(paywall, 'monthly'))
  expect(await read()).toMatchObject({ offers: [{ id: 'spring', discount: { percent: 50 } }], acceptsCodes: true })
})

test.each([
  [{ offer: 'spring' }, 499],
  [{ code: 'friends-2027' }, 799],
  [{ offer: 'spring', quantity: 3 }, 1498],
])('open sells with %j', async (order, amount) => {
  await tab.paywall.evaluate((paywall, given) => void paywall.open('monthly', given), order)
  await tab.page.waitForURL(`${site.world.stripe.url}/**`)
  expect(lastOpened()?.amount_total).toBe(amount)
})

test('a buyer who does not get the offer reads why, and no page is opened', async () => {
  const before = opened()
  expect(await sell({ code: 'FRIEND' })).toBe('This code is wrong.')
  expect(await sell({ offer: 'friends' })).toBe('This code is wrong.')
  expect(await sell({ offer: 'over' })).toBe('This offer has ended')
  expect(await sell({ offer: 'stay' })).toBe('This offer is for subscribers who are about to cancel')
  expect(opened()).toBe(before)
})

test('after ten wrong codes the buyer has to wait', async () => {
  const guess = async (count: number) => {
    for (let guessed = 0; guessed < count; guessed++) await sell({ code: `WRONG-${guessed}` })
  }
  await guess(10)
  expect(await sell({ code: 'FRIENDS-2027' })).toMatch(/^Try again in [1-9]\d* seconds\.$/)
})
