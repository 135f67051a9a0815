import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { type FileJson, monthly, paywallFile } from '../support/paywall-file.ts'
import { newTenant, type Tenant } from '../support/tenants.ts'
import { WITH_OFFERS } from './demo-paywall.ts'
import { type Pages, startPages } from './pages.ts'
import { enterDiscountCode } from './scene.ts'
import { BUY, press, signIn, type Visitor, visit } from './visitor.ts'

// Prices at an offer: what a page shows, and what its checkout charges.

let pages: Pages

beforeAll(async () => {
  pages = await startPages({ paywall: WITH_OFFERS })
})

afterAll(() => pages.close())

afterEach(() => {
  pages.world.neon.onStatement = undefined
})

const settings = { tokenization_queries: [{ type: 'standard' }, { type: 'premium' }] }
const OFFER = {
  id: 'spring',
  title: 'Spring',
  discount: { percent: 50, periods: 1 },
  prices: ['monthly'],
  processorDiscount: 'HALF_ONCE',
}
const CODE = { ...OFFER, id: 'team', title: 'Team', code: 'TEAM-2027', show: 'code' }

/** A paywall of a new owner that sells the monthly price at these offers. */
const shopWith = (...offers: FileJson[]) => newTenant(pages.world, { settings, prices: [monthly()], offers })

/** Replaces the offers of a shop. */
async function edit({ file, paywall }: Tenant, ...offers: FileJson[]): Promise<void> {
  const edited = await paywallFile({ paywall: { prices: [monthly()], offers } })
  await pages.world.apply({ ...file, paywalls: [{ ...paywall, discounts: edited.paywalls[0]!.discounts }] })
}

/** The texts of each price, without tags. */
async function readCards({ query = '', paywall = pages.world.paywall, country = 'US' } = {}): Promise<string[]> {
  const html = await (await pages.world.fetch(`/p/${paywall.id}${query}`, { cf: { country } })).text()
  const [, ...cards] = html.split(/<div class="price"/)
  return cards.map((card) =>
    card
      .replaceAll(/^[^>]*>|<\/fieldset>.*|<[^>]*>/gs, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

/** Presses the button that buys, and returns the page that Stripe has opened. */
async function buy(visitor: Visitor) {
  await press(visitor, BUY)
  await visitor.page.waitForURL(`${pages.world.stripe.url}/**`)
  return pages.world.stripe.checkoutSessions.find(({ url }) => url === visitor.page.url())
}

async function pay({ page, home }: Visitor): Promise<void> {
  const email = page.getByLabel('Email')
  if (await email.isEditable()) await email.fill(newEmail())
  await page.locator('[value=pay]').click()
  await page.waitForURL(`${home}/thanks*`)
  await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
}

/** Ends what was bought on a paywall, so that it can be bought again. No webhook that is still on its way may undo that. */
async function endPurchases({ id }: Tenant['paywall']): Promise<void> {
  await pages.world.stripe.drainWebhooks()
  await pages.world.database.query("update purchases set status = 'canceled' where paywall_id = $1", [id])
}

const alert = ({ page }: Visitor) => page.getByRole('alert').textContent()
const button = ({ page }: Visitor) => page.getByRole('button', { name: BUY }).textContent()

describe('a page shows', () => {
  test('the old and the new price, for how long it holds, and the days left', async () => {
    const [yearly, monthlyCard, basic, lifetime] = await readCards()
    expect(yearly).toContain(
      'Yearly Save 50% Spring sale · 3 days left Regular price: $89 Now: $44.50 per year That is $3.71 per month For the first year, then $89 per year',
    )
    expect(monthlyCard).toContain(
      'Monthly Early bird Regular price: $9.99 Now: $7.99 per month 7 days free, then $7.99 per month For as long as you stay subscribed',
    )
    expect(basic).toBe('Basic $7 per month')
    expect(lifetime).toMatch(/^Lifetime Spring sale Regular price: \$249 Now: \$199 one-time payment 20,000/)
  })

  test('the same in German', async () => {
    const [yearly, monthlyCard, , lifetime] = await readCards({ query: '?locale=de' })
    expect(yearly).toContain(
      'Jährlich 50 % sparen Frühlingsangebot · Noch 3 Tage Regulärer Preis: 89 $ Jetzt: 44,50 $ pro Jahr Das sind 3,71 $ pro Monat Im ersten Jahr, danach 89 $ pro Jahr',
    )
    expect(monthlyCard).toContain('7 Tage gratis, danach 7,99 $ pro Monat Solange Ihr Abo läuft')
    expect(lifetime).toMatch(/^Für immer Frühlingsangebot Regulärer Preis: 249 \$ Jetzt: 199 \$ einmalig/)
  })

  test('in its country the local price with the offer, and not an amount of another currency', async () => {
    const local = { countries: ['DE'], discount: { percent: 25, periods: 2 }, id: 'local' }
    const { paywall } = await shopWith({ ...OFFER, countries: ['IN'] }, { ...OFFER, ...local })
    expect(await readCards({ paywall })).toEqual([expect.stringContaining('Monthly $9.99 per month')])
    expect(await readCards({ paywall, country: 'IN' })).toEqual([
      expect.stringContaining('Regular price: ₹399 Now: ₹199.50 per month For the first month, then ₹399 per month'),
    ])
    expect(await readCards({ paywall, country: 'DE' })).toEqual([
      expect.stringContaining('Now: $7.49 per month For the first 2 months, then $9.99 per month'),
    ])
  })

  test('what is due after a trial, and once the offer has ended', async () => {
    const { processorDiscount: _, ...offer } = OFFER
    const { paywall } = await newTenant(pages.world, {
      settings,
      processor: { acquiring: 'mollie', credentials: EMULATORS.mollie.demoCredentials() },
      prices: [monthly({ trial_days: 7, processorPrice: 'monthly', locals: [] })],
      offers: [{ ...offer, discount: { percent: 50, periods: 2 } }],
    })
    const read = async (locale: string) => {
      const html = await (await pages.world.fetch(`/p/${paywall.id}?locale=${locale}`)).text()
      return html.replaceAll(/\s/g, ' ')
    }
    expect(await read('en')).toContain(
      'Due today: $0. After 7 days you pay $4.99 per month for 2 months, then $9.99 per month, until you cancel.',
    )
    expect(await read('de')).toContain(
      'Heute fällig: 0 $. Nach 7 Tagen zahlen Sie 4,99 $ pro Monat für 2 Monate, danach 9,99 $ pro Monat, bis Sie kündigen.',
    )
  })

  test('the best of several offers of a price', async () => {
    const other = { ...OFFER, id: 'more', title: 'More', discount: { percent: 60, periods: 1 } }
    const { paywall } = await shopWith(OFFER, other, { ...other, id: 'same', title: 'Same' })
    expect(await readCards({ paywall })).toEqual([expect.stringMatching(/More Regular price: \$9.99 Now: \$4 /)])
  })

  test.each([true, false])(
    'at the button what is due today and later, with JavaScript: %s',
    async (javaScriptEnabled) => {
      const visitor = await visit(pages, { javaScriptEnabled })
      const { page, home } = visitor
      const expectButton = async (name: string, terms: string) => {
        await page.getByRole('button', { name, exact: true }).waitFor()
        expect(await page.locator('.buy .of-price.hint:visible').allTextContents()).toEqual([terms])
      }
      await expectButton('Pay $44.50', 'Due today: $44.50. Then $89 per year, until you cancel.')
      await page.getByRole('radio', { name: 'Lifetime' }).check()
      await expectButton('Pay $199', 'Due today: $199.')
      await page.goto(`${home}?interval=month`)
      await expectButton('Start 7 days free', 'Due today: $0. After 7 days: $7.99 per month, until you cancel.')
      await enterDiscountCode(visitor, 'team-2027')
      await page.goto(`${home}?interval=month`)
      await page.getByRole('radio', { name: 'Basic' }).check()
      await expectButton(
        'Pay $4.90',
        'Due today: $4.90. For the first 3 months you pay $4.90 per month, then $7 per month, until you cancel.',
      )
    },
  )
})

describe('the checkout', () => {
  test('charges what the page has shown, and a buyer sees the ordinary price the next time', async () => {
    const { paywall } = await shopWith(OFFER)
    const visitor = await visit(pages, { paywall })
    expect(await buy(visitor)).toMatchObject({ amount_total: 499, discounts: [{ coupon: 'HALF_ONCE' }] })
    await pay(visitor)
    await endPurchases(paywall)
    await visitor.page.goto(visitor.home)
    expect(await visitor.page.locator('.price').textContent()).toContain('$9.99 per month')
    expect(await buy(visitor)).toMatchObject({ amount_total: 999, discounts: [] })
  })

  test('has no offer where the page shows none', async () => {
    const { paywall } = await shopWith({ ...OFFER, countries: ['DE'] })
    expect(await buy(await visit(pages, { paywall }))).toMatchObject({ amount_total: 999, discounts: [] })
  })

  test('takes a code to sell at its offer', async () => {
    const { paywall } = await shopWith(CODE)
    const visitor = await visit(pages, { paywall })
    expect(await button(visitor)).toContain('$9.99')
    await enterDiscountCode(visitor, ' team-2027 ')
    expect(await button(visitor)).toContain('$4.99')
    expect(await visitor.page.getByRole('status').textContent()).toBe('Code team-2027: Team')
    expect(await buy(visitor)).toMatchObject({ amount_total: 499, discounts: [{ coupon: 'HALF_ONCE' }] })
    await visitor.page.goBack()
    await visitor.page.goto(visitor.home)
    await press(visitor, 'Remove code')
    await visitor.page.getByText('Have a code?').waitFor()
    expect(await buy(visitor)).toMatchObject({ amount_total: 999 })
  })
})

describe('a buyer sees it, and is not charged, where an offer', () => {
  /** A visitor whose prices are read anew: those of guests are cached. */
  async function signedIn({ paywall }: Tenant, email = newEmail()): Promise<Visitor> {
    const visitor = await visit(pages, { paywall, path: '/account' })
    await signIn(visitor, email)
    await visitor.page.goto(visitor.home)
    return visitor
  }

  async function expectOrdinaryPrice(at: Visitor, message: string): Promise<void> {
    await press(at, BUY)
    expect(await alert(at)).toBe(message)
    expect(await at.page.locator('.price').textContent()).not.toContain('Spring')
    expect(await buy(at)).toMatchObject({ amount_total: 999, discounts: [] })
  }
  const GONE = 'The price is now $9.99 per month. You have not been charged. '
  const CHANGED = 'The price has just changed. Please check it before you buy. '

  /** Opens a page with the offer for an address, and pays there if it is asked to. */
  async function take({ paywall, key }: Tenant, email: string, pays = false): Promise<void> {
    const body = { email, priceId: getPriceId(paywall, 'monthly'), offer: 'spring' }
    const { checkoutUrl } = parseOpened(await startCheckout(pages.world, { paywall, key, body }))
    if (pays) await payAndReturn(pages.world, checkoutUrl)
    await endPurchases(paywall)
  }

  /** Does this when the next checkout is about to be claimed. */
  function beforeClaim(act: () => Promise<void>): void {
    pages.world.neon.onStatement = async (statement, run) => {
      if (statement.query.includes('claim_checkout')) {
        pages.world.neon.onStatement = undefined
        await act()
      }
      return run()
    }
  }

  test('is used up by others meanwhile', async () => {
    const shop = await shopWith({ ...OFFER, max: 1 })
    const buyer = await signedIn(shop)
    await take(shop, newEmail())
    await expectOrdinaryPrice(buyer, CHANGED)
    expect(await readCards({ paywall: shop.paywall, country: 'CH' })).toEqual([expect.not.stringContaining('Spring')])
  })

  test('is used up after the page has read the prices', async () => {
    const shop = await shopWith({ ...OFFER, max: 1 })
    const buyer = await signedIn(shop)
    beforeClaim(() => take(shop, newEmail()))
    await expectOrdinaryPrice(buyer, `This offer has just been used up. ${GONE}`)
  })

  test('was used by the same member elsewhere', async () => {
    const shop = await shopWith(OFFER)
    const email = newEmail()
    const buyer = await signedIn(shop, email)
    beforeClaim(() => take(shop, email, true))
    await expectOrdinaryPrice(buyer, `You have already used this offer. ${GONE}`)
  })

  test.each<[string, FileJson[], string]>([
    ['takes less off now', [{ ...OFFER, discount: { percent: 10, periods: 1 } }], '$8.99'],
    ['has ended', [], '$9.99'],
    ['lasts longer now', [{ ...OFFER, discount: { percent: 50, periods: 2 } }], '$4.99'],
  ])('%s', async (_, offers, price) => {
    const shop = await shopWith(OFFER)
    const buyer = await signedIn(shop)
    await edit(shop, ...offers)
    await press(buyer, BUY)
    expect(await alert(buyer)).toBe(CHANGED)
    expect(await button(buyer)).toContain(price)
  })

  test('of a code has ended', async () => {
    const shop = await shopWith(CODE)
    const buyer = await visit(pages, { paywall: shop.paywall })
    await enterDiscountCode(buyer, 'TEAM-2027')
    await edit(shop, { ...CODE, ends_at: '2020-01-01T00:00:00Z' })
    await press(buyer, BUY)
    await buyer.page.getByRole('alert').first().waitFor()
    expect(await buyer.page.getByRole('alert').allTextContents()).toEqual([CHANGED, 'This offer has ended.'])
    await buyer.page.goto(buyer.home)
    expect(await buyer.page.getByRole('alert').count()).toBe(0)
    expect(await buy(buyer)).toMatchObject({ amount_total: 999 })
  })
})

describe('a code', () => {
  test.each<[string, FileJson, string]>([
    ['that is wrong', {}, 'We do not know this code. Please check it.'],
    ['that has ended', { code: 'MINE-2027', ends_at: '2020-01-01T00:00:00Z' }, 'This offer has ended.'],
    ['of the future', { code: 'MINE-2027', starts_at: '2100-01-01T00:00:00Z' }, 'This offer has not started yet.'],
    ['of another country', { code: 'MINE-2027', countries: ['DE'] }, 'This offer is not available in your country.'],
  ])('%s gets the reason at its field, and no checkout', async (_, more, message) => {
    const { paywall } = await shopWith({ ...CODE, ...more }, { ...CODE, id: 'other', code: 'OTHER-2027' })
    const visitor = await visit(pages, { paywall, javaScriptEnabled: false })
    await enterDiscountCode(visitor, 'MINE-2027')
    const field = visitor.page.getByLabel('Discount code')
    expect(await field.inputValue()).toBe('MINE-2027')
    const described = await field.getAttribute('aria-describedby')
    expect(await visitor.page.locator(`#${described}`).textContent()).toBe(message)
    expect(await button(visitor)).toContain('$9.99')
  })

  test('shows the texts of its offer in the language of the page', async () => {
    const locales = {
      en: { Team: 'Team discount', Now: 'For you' },
      de: { Team: 'Teamrabatt', Now: 'Für Sie' },
    }
    const offers = [{ ...CODE, badge: 'Now' }]
    const { paywall } = await newTenant(pages.world, { settings, prices: [monthly()], offers, locales })
    const visitor = await visit(pages, { paywall, path: '?locale=de' })
    await visitor.page.getByText('Haben Sie einen Code?').click()
    await visitor.page.getByLabel('Rabattcode').fill('TEAM-2027')
    await press(visitor, 'Einlösen')
    expect(await visitor.page.getByRole('status').textContent()).toBe('Code TEAM-2027: Teamrabatt')
    expect(await visitor.page.locator('.price-offer').textContent()).toBe('Teamrabatt')
    expect(await visitor.page.locator('.badge').textContent()).toBe('Für Sie')
    await visitor.page.goto(`${visitor.home}?locale=en`)
    expect(await visitor.page.locator('.price-offer').textContent()).toBe('Team discount')
  })

  test('that was typed but not applied is applied before anything is sold', async () => {
    const { paywall } = await shopWith(CODE)
    const visitor = await visit(pages, { paywall })
    await visitor.page.getByText('Have a code?').click()
    await visitor.page.getByLabel('Discount code').fill('TEAM-2027')
    await visitor.page.getByLabel('Discount code').press('Enter')
    await visitor.page.getByRole('button', { name: 'Remove code' }).waitFor()
    expect(await button(visitor)).toContain('$4.99')
  })

  test('that lowers no price is shown so', async () => {
    const { paywall } = await shopWith({ ...OFFER, discount: { percent: 60, periods: 1 } }, CODE)
    const visitor = await visit(pages, { paywall })
    await enterDiscountCode(visitor, 'TEAM-2027')
    expect(await visitor.page.getByText('does not lower any of the prices').count()).toBe(1)
    expect(await button(visitor)).toContain('$4')
  })

  test('cannot be entered where there is none', async () => {
    const { paywall } = await shopWith(OFFER, { ...CODE, ends_at: '2020-01-01T00:00:00Z' })
    expect(await (await visit(pages, { paywall })).page.getByText('Have a code?').count()).toBe(0)
  })

  test('is kept when its visitor signs in', async () => {
    const { paywall } = await shopWith(CODE)
    const visitor = await visit(pages, { paywall })
    await enterDiscountCode(visitor, 'TEAM-2027')
    await visitor.page.goto(`${visitor.home}/account`)
    await signIn(visitor, newEmail())
    await visitor.page.goto(visitor.home)
    expect(await button(visitor)).toContain('$4.99')
  })
})
