import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DE } from '../../functions/pages/texts/de.ts'
import { EN } from '../../functions/pages/texts/en.ts'
import { paywallAt } from '../conformance/shop.ts'
import { newEmail } from '../support/checkout.ts'
import { monthly } from '../support/paywall-file.ts'
import { readMailedCode } from '../support/sign-in.ts'
import { MESSAGE } from '../support/tickets.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'
import { DEMO_PAYWALL } from './demo-paywall.ts'
import { exhaustMails, resetMailLimits, solveCaptcha } from './mail-limit.ts'
import { getFrame, type OwnerPage, openDialog, readMessages, startOwnerPage } from './owner-page.ts'
import { type Pages, startPages } from './pages.ts'

// Clicks through a site as its visitors do, in each language. Nothing may be in another language on the way.

const PACK = {
  slug: 'pack',
  label: 'Pack',
  currency: 'USD',
  amount: 5,
  access: false,
  processorPrice: 'price_pack',
  tokens: [{ type: 'standard', count: 1000 }],
}
const { en, de } = DEMO_PAYWALL.locales as Record<
  'en' | 'de',
  typeof import('../../demo/paywall.json').paywalls[0]['locales']['en']
>
const locales = { en: { ...en, Pack: 'Credit pack' }, de: { ...de, Pack: 'Guthaben-Paket' } }

const SALE = [
  {
    id: 'spring',
    title: 'Spring sale',
    discount: { percent: 50, periods: 1 },
    prices: ['yearly'],
    ends_at: new Date(Date.now() + 60 * 3_600_000).toISOString(),
    processorDiscount: 'HALF_ONCE',
  },
  {
    id: 'team',
    title: 'Team price',
    discount: { amount: 49, currency: 'USD' },
    prices: ['lifetime'],
    code: 'TEAM-2027',
    show: 'code',
    processorDiscount: 'FORTY_NINE_OFF',
  },
  {
    id: 'loyal',
    title: 'A gift',
    discount: { percent: 25, periods: 1 },
    prices: ['yearly'],
    show: 'cancel',
    processorDiscount: 'QUARTER_ONCE',
  },
]
const ofSale = {
  en: { ...en, 'Spring sale': 'Our spring sale', 'Team price': 'For teams', 'A gift': 'A present' },
  de: { ...de, 'Spring sale': 'Frühlingsangebot', 'Team price': 'Für Teams', 'A gift': 'Ein Geschenk' },
}

const ofPlus = {
  en: { ...en, 'For ever': 'Lifetime', '50 tokens': 'Pack' },
  de: { ...de, 'For ever': 'Für immer', '50 tokens': 'Paket' },
}

const LINKS = {
  terms: 'https://acme.example/terms',
  privacy: 'https://acme.example/privacy',
  imprint: 'https://acme.example/imprint',
  help: 'https://acme.example/help',
}

let pages: Pages
let owner: OwnerPage
/** A captcha is asked for after too many mails, which only a world with rate limits counts. */
let limited: TestWorld
beforeAll(async () => {
  const prices = [...(DEMO_PAYWALL.prices as object[]), PACK]
  const { blocks, ...layout } = DEMO_PAYWALL.layout as { blocks: { type: string }[] }
  const all = blocks.map((block) => (block.type === 'prices' ? { type: 'prices' } : block))
  const shop = { ...DEMO_PAYWALL, prices, locales, layout: { ...layout, blocks: all } }
  const polar = paywallAt('polar')
  const seats = {
    prices: [monthly({ per_unit: true, locals: [] })],
    locales,
    settings: { ...(DEMO_PAYWALL.settings as object), links: LINKS },
  }
  const turnstile = { siteKey: '0x4-site-paths', secretKey: '0x4-secret-paths' }
  pages = await startPages({
    paywalls: [
      shop,
      { ...DEMO_PAYWALL, offers: SALE, locales: ofSale },
      { ...polar, locales: ofPlus },
      seats,
      DEMO_PAYWALL,
    ],
  })
  owner = await startOwnerPage(pages, pages.world.file.paywalls[4]!)
  limited = await startTestWorld({ rateLimited: true, file: { paywall: { ...DEMO_PAYWALL, turnstile } } })
})
afterAll(async () => {
  await limited.close()
  await owner.close()
  await pages.close()
})

/** Stands for a parameter of a text. */
const GAP = '\u{e000}'

/** The parameters of texts that look one up; every other text takes any. */
const PARAMETERS: Readonly<Record<string, unknown[][]>> = {
  every: [1, 3].map((count) => ['month', count]),
  firstPeriods: [1, 3].map((count) => ['month', count, GAP]),
  firstThen: [1, 3].map((count) => ['month', count, GAP, GAP]),
  afterTrialThen: [1, 3].map((count) => [GAP, 'month', count, GAP, GAP]),
  stayPrice: [1, 3].map((count) => [GAP, 'month', count, GAP, GAP]),
}

/** The fixed words of texts: of a text with parameters what is between them. */
const fixedWords = (texts: object): string[] =>
  Object.entries(texts).flatMap(([key, text]): string[] => {
    if (typeof text === 'function') {
      const calls = PARAMETERS[key] ?? [Array.from({ length: text.length }, () => GAP)]
      return calls
        .flatMap((parameters) => String(text(...parameters)).split(/\u{e000}|NaN/u))
        .map((part) => part.replaceAll(/^\P{L}+|\P{L}+$/gu, ''))
    }
    return typeof text === 'string' ? [text] : fixedWords(text)
  })

/** The words of one language that are different in the other. */
const onlyIn = (texts: object, others: object): string[] => {
  const foreign = new Set(fixedWords(others))
  return fixedWords(texts).filter((text) => text.length > 3 && /\p{L}{2}/u.test(text) && !foreign.has(text))
}

/** Whether a text contains the words. */
const isIn = (text: string, words: string) =>
  ` ${text.replaceAll(/[^\p{L}]+/gu, ' ')} `.includes(` ${words.replaceAll(/[^\p{L}]+/gu, ' ').trim()} `)

describe.each([
  {
    language: 'English',
    locale: 'en-US',
    texts: EN,
    own: { ...locales.en, ...ofSale.en },
    foreign: [DE, locales.de, ofSale.de].flatMap((texts) => onlyIn(texts, { ...EN, ...locales.en, ...ofSale.en })),
  },
  {
    language: 'German',
    locale: 'de-DE',
    texts: DE,
    own: { ...locales.de, ...ofSale.de },
    foreign: [EN, locales.en, ofSale.en].flatMap((texts) => onlyIn(texts, { ...DE, ...locales.de, ...ofSale.de })),
  },
])('in $language', ({ locale, texts, own, foreign }) => {
  async function visit(path = '', paywall = 0): Promise<Page> {
    const context = await pages.browser.newContext({ locale })
    const page = await context.newPage()
    await page.goto(at(path, paywall))
    return page
  }

  /** `paywall`: 0 has a pack, 1 has offers, 2 is at Polar, 3 sells per unit and has the owner's links, 4 is shown in a dialog. */
  const at = (path: string, paywall = 0) => `${pages.world.url}/p/${pages.world.file.paywalls[paywall]!.id}${path}`

  /** Waits for a page by its heading, and checks its language. */
  async function see(page: Page | FrameLocator, heading: string | RegExp): Promise<string> {
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
    const text = (await page.locator('body').innerText()).replaceAll('\u00a0', ' ')
    expect(foreign.filter((each) => isIn(text, each))).toEqual([])
    return text
  }

  const usd = (amount: number) =>
    new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', trailingZeroDisplay: 'stripIfInteger' })
      .format(amount)
      .replaceAll('\u00a0', ' ')

  const press = (page: Page | FrameLocator, name: string | RegExp, role: 'button' | 'link' = 'button') =>
    page.getByRole('main').getByRole(role, { name, exact: true }).click()

  const choose = (page: Page | FrameLocator, slug: 'Monthly' | 'Yearly' | 'Lifetime' | 'Pack') =>
    page.getByRole('radio', { name: new RegExp(`^${own[slug]}`) }).check()

  async function payAtStripe(page: Page, action = 'pay', email = '', back = pages.world.url): Promise<void> {
    await page.waitForURL(`${pages.world.stripe.url}/**`)
    if (email) await page.getByLabel('Email').fill(email)
    await page.locator(`[value=${action}]`).click()
    await page.waitForURL(`${back}/**`)
  }

  async function signIn(page: Page, email: string): Promise<void> {
    const before = pages.world.mail.received.filter(({ to }) => to === email).length
    await page.getByLabel(texts.email).fill(email)
    await press(page, texts.requestCode)
    await page.getByText(texts.codeSent(email)).waitFor()
    await see(page, /./)
    await page.getByLabel(texts.code).fill(await readMailedCode(pages.world, email, before + 1))
    const mail = pages.world.mail.received.filter(({ to }) => to === email).at(-1)
    expect(mail?.subject).toMatch(locale === 'de-DE' ? / ist Ihr Code für / : / is your code for /)
    await press(page, texts.signIn)
  }

  /** Matches a text with any day in it. */
  const anyDay = (text: (day: string) => string) => new RegExp(`^${text('.+')}$`)

  /** A signed-in buyer of the yearly price. */
  async function visitAsSubscriber(paywall = 0, price = usd(89)): Promise<Page> {
    const page = await visit('/account', paywall)
    await signIn(page, newEmail())
    await page.getByText(texts.nothingBought).waitFor()
    await press(page, texts.seePrices, 'link')
    await choose(page, 'Yearly')
    await press(page, texts.pay(price))
    await payAtStripe(page)
    await see(page, texts.thanks)
    return page
  }

  test('a guest tries, leaves, buys, signs in, and restores on another device', async () => {
    const email = newEmail()
    const page = await visit()
    expect(await see(page, own.headline)).toContain(own['priority-support'])
    await press(page, new RegExp(`^${texts.intervals.month}`), 'link')
    await press(page, texts.startTrial(7))
    await payAtStripe(page, 'cancel')
    expect(pages.world.stripe.checkoutSessions.at(-1)?.locale).toBe(locale.slice(0, 2))
    expect(await see(page, own.headline)).toContain(texts.notBought)
    await press(page, new RegExp(`^${texts.intervals.month}`), 'link')
    await press(page, texts.startTrial(7))
    await payAtStripe(page, 'pay', email)
    expect(await see(page, texts.thanks)).toContain(texts.thanksText)
    await press(page, texts.account, 'link')
    expect(await see(page, texts.account)).toContain(texts.signInToKeepPurchase)

    const other = await visit('/restore')
    expect(await see(other, texts.restore)).toContain(texts.restoreEverywhere)
    await signIn(other, email)
    expect(await see(other, texts.account)).toContain(texts.restored)
    await page.reload()
    expect(await see(page, texts.account)).toContain(texts.sessionEnds.merged)
  })

  test('a subscriber changes the plan at once, with the sum shown before', async () => {
    const page = await visitAsSubscriber()
    await page.goto(at(''))
    expect(await see(page, own.headline)).toContain(texts.currentPlan)
    await press(page, new RegExp(`^${texts.intervals.month}`), 'link')
    await press(page, texts.changeTo(own.Monthly), 'link')
    expect(await see(page, texts.changeTo(own.Monthly))).toContain(texts.fromTo(own.Yearly, own.Monthly))
    await press(page, texts.changeNow)
    await see(page, texts.planChanged(own.Monthly))
  })

  test('a subscriber on trial schedules a change, and keeps the plan', async () => {
    const page = await visit('/account')
    await signIn(page, newEmail())
    await press(page, texts.seePrices, 'link')
    await press(page, new RegExp(`^${texts.intervals.month}`), 'link')
    await press(page, texts.startTrial(7))
    await payAtStripe(page)
    await see(page, texts.thanks)
    await page.goto(at(''))
    await press(page, texts.changeTo(own.Yearly), 'link')
    expect(await see(page, texts.changeTo(own.Yearly))).toContain(texts.dueToday(usd(0)))
    await press(page, anyDay(texts.changeOn))
    await see(
      page,
      anyDay((day) => texts.planWillChange(own.Yearly, day)),
    )
    await press(page, texts.account, 'link')
    await see(page, texts.account)
    await press(page, texts.keepPlan(own.Monthly), 'link')
    expect(await see(page, texts.keepPlan(own.Monthly))).toContain(texts.planUnscheduled(own.Yearly))
    await press(page, texts.keepPlan(own.Monthly))
    await see(page, texts.planKept(own.Monthly))
  })

  test('a subscriber buys packs, and a lifetime that names what ends', async () => {
    const page = await visitAsSubscriber()
    for (const _ of [1, 2]) {
      await page.goto(at(''))
      await choose(page, 'Pack')
      await press(page, texts.pay(usd(5)))
      await payAtStripe(page)
      await see(page, texts.thanks)
    }
    await page.goto(at(''))
    await choose(page, 'Lifetime')
    expect(await see(page, own.headline)).toContain(texts.ends(own.Yearly))
    await press(page, texts.pay(usd(249)))
    await payAtStripe(page)
    await see(page, texts.thanks)
    await press(page, texts.account, 'link')
    expect(await see(page, texts.account)).toContain(own.Pack)
  })

  test('a subscriber considers another offer, cancels with a reason, and signs out', async () => {
    const page = await visitAsSubscriber()
    await page.goto(at('/account'))
    await press(page, texts.cancel, 'link')
    expect(await see(page, texts.cancelTitle(own.Yearly))).toContain(own['Stay for another month'])
    await page.getByLabel(texts.reasons.price).check()
    await press(page, texts.cancelNow)
    expect(await see(page, texts.account)).toContain(texts.cancelled)
    await press(page, texts.signOut)
    await see(page, own.headline)
  })

  test('a guest sees an offer, enters a wrong code and a right one, and buys with it', async () => {
    const page = await visit('', 1)
    const shown = await see(page, own.headline)
    expect(shown).toContain(own['Spring sale'])
    expect(shown).toContain(texts.firstPeriods('year', 1, `${usd(89)} ${texts.every('year', 1)}`))
    expect(shown).toContain(texts.daysLeft(3))
    await page.getByText(texts.haveCode).click()
    await page.getByLabel(texts.discountCode).fill('WRONG-CODE')
    await press(page, texts.applyCode)
    await page.getByRole('alert').getByText(texts.wrongDiscountCode).waitFor()
    await see(page, own.headline)
    await page.getByLabel(texts.discountCode).fill('team-2027')
    await press(page, texts.applyCode)
    await page.getByText(texts.codeApplied('TEAM-2027', own['Team price'])).waitFor()
    await choose(page, 'Lifetime')
    await see(page, own.headline)
    await press(page, texts.pay(usd(200)))
    await payAtStripe(page, 'pay', newEmail())
    await see(page, texts.thanks)
  })

  test('a subscriber who wants to cancel stays at an offer', async () => {
    const page = await visitAsSubscriber(1, usd(44.5))
    await page.goto(at('/account', 1))
    await press(page, texts.cancel, 'link')
    expect(await see(page, texts.cancelTitle(own.Yearly))).toContain(own['A gift'])
    await press(page, texts.stayAt(usd(66.75)))
    expect(await see(page, texts.stayed)).toContain(texts.stayedText)
  })

  test('a subscriber sees the payments, and opens a receipt', async () => {
    const page = await visitAsSubscriber()
    await pages.world.stripe.drainWebhooks()
    await page.goto(at('/account'))
    expect(await see(page, texts.account)).toContain(texts.receipt)
    await page.goto(at('/account/payments'))
    expect(await see(page, texts.payments)).toContain(usd(89))
    await press(page, new RegExp(`^${texts.receipt}: ${own.Yearly}, `), 'link')
    await page.waitForURL((url) => url.origin !== new URL(pages.world.url).origin)
    await page.goto(at('/account/receipt/unknown'))
    await see(page, texts.notFound)
    await press(page, texts.toFront, 'link')
    await see(page, own.headline)
  })

  test('a subscriber confirms an amount again after its quote has expired', async () => {
    const page = await visitAsSubscriber()
    await page.goto(at('?interval=month'))
    await press(page, texts.changeTo(own.Monthly), 'link')
    await see(page, texts.changeTo(own.Monthly))
    await page.evaluate("document.querySelector('input[name=quote]').value = crypto.randomUUID()")
    await press(page, texts.changeNow)
    await page.getByRole('alert').getByText(texts.quoteExpired).waitFor()
    await see(page, texts.changeTo(own.Monthly))
    await press(page, texts.changeNow)
    await see(page, texts.planChanged(own.Monthly))
  })

  test('a subscriber whose card is declined at a change of plan', async () => {
    const { polar } = pages.world
    const page = await visit('/account', 2)
    await signIn(page, newEmail())
    await press(page, texts.seePrices, 'link')
    await choose(page, 'Monthly')
    await press(page, texts.pay(usd(9.99)))
    await page.waitForURL(`${polar.url}/**`)
    await page.locator('[value=pay]').click()
    await page.waitForURL(`${pages.world.url}/**`)
    await see(page, texts.thanks)
    await page.goto(at('', 2))
    await press(page, texts.changeTo('Plus'), 'link')
    await see(page, texts.changeTo('Plus'))
    const [customer = ''] = [...polar.records.customers.keys()].toReversed()
    await polar.declineCharges(customer)
    await press(page, new RegExp(`^${texts.payAndChange('.+')}$`))
    await page.getByRole('alert').getByText(texts.paymentDeclined).waitFor()
    await see(page, texts.changeTo('Plus'))
    await polar.declineCharges(customer, false)
    await press(page, new RegExp(`^${texts.payAndChange('.+')}$`))
    await see(page, texts.planChanged('Plus'))
  })

  test('a guest sees a price per unit, and follows the links of the owner in the footer', async () => {
    const page = await visit('', 3)
    await page.context().route('https://acme.example/**', (route) => route.fulfill({ body: 'Acme' }))
    expect(await see(page, /./)).toContain(texts.perUnit)
    for (const name of ['terms', 'privacy', 'imprint', 'help'] as const) {
      await page.getByRole('contentinfo').getByRole('link', { name: texts[name], exact: true }).click()
      await page.waitForURL(LINKS[name])
      await page.goBack()
    }
  })

  test('a guest buys several units, and then more of them', async () => {
    const page = await visit('/account', 3)
    await signIn(page, newEmail())
    await press(page, texts.seePrices, 'link')
    await page.getByLabel(texts.units).fill('3')
    await press(page, texts.pay(usd(29.97)))
    await payAtStripe(page)
    await see(page, texts.thanks)
    await press(page, texts.account, 'link')
    await press(page, texts.changeUnits, 'link')
    await see(page, texts.changeUnits)
    await page.getByLabel(texts.units).fill('5')
    await press(page, texts.showTotal)
    expect(await see(page, texts.changeTo(`5 × ${own.Monthly}`))).toContain(
      texts.fromTo(`3 × ${own.Monthly}`, `5 × ${own.Monthly}`),
    )
    await press(page, anyDay(texts.payAndChange))
    await see(page, texts.planChanged(`5 × ${own.Monthly}`))
  })

  test('a guest buys in a dialog on a page of the owner', async () => {
    const page = await (await pages.browser.newContext({ locale })).newPage()
    await page.goto(`${owner.origin}/?lang=${locale.slice(0, 2)}`)
    const frame = await openDialog(page)
    await see(frame, own.headline)
    await choose(frame, 'Lifetime')
    await press(frame, texts.pay(usd(249)))
    await payAtStripe(page, 'pay', newEmail(), owner.origin)
    expect(await see(getFrame(page), texts.thanks)).toContain(texts.thanksText)
    await press(getFrame(page), texts.backTo(new URL(owner.origin).host))
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect((await readMessages(page)).map(({ type }) => type)).toEqual(['paywall:bought', 'paywall:close'])
  })

  test('a visitor solves a captcha to get a code, and signs in', async () => {
    await resetMailLimits(limited)
    const page = await (await pages.browser.newContext({ locale })).newPage()
    const account = `${limited.url}/p/${limited.paywall.id}/account`
    await page.goto(account)
    await page.getByLabel(texts.email).fill(newEmail())
    await press(page, texts.requestCode)
    await page.getByLabel(texts.code).waitFor()
    await exhaustMails(limited)
    await page.goto(account)
    const email = newEmail()
    await page.getByLabel(texts.email).fill(email)
    await press(page, texts.requestCode)
    await page.getByRole('alert').getByText(texts.captchaNeeded).waitFor()
    await see(page, texts.account)
    await solveCaptcha(page)
    await press(page, texts.requestCode)
    await page.getByLabel(texts.code).fill(await readMailedCode(limited, email))
    await press(page, texts.signIn)
    await page.getByText(texts.signedInAs(email)).waitFor()
    await see(page, texts.account)
  })

  test('a visitor writes to support', async () => {
    const page = await visit()
    await page.getByRole('link', { name: texts.ticketLink }).click()
    await see(page, texts.ticket)
    await page.getByLabel(texts.email).fill(newEmail())
    await page.getByLabel(texts.subject).fill(MESSAGE.subject)
    await page.getByLabel(texts.message).fill(MESSAGE.content)
    await press(page, texts.send)
    await page.getByText(new RegExp(texts.ticketOpened(0).replaceAll(/[().]/g, '\\$&').replace('0', '\\d+'))).waitFor()
  })

  test('a wrong code, a wait for the payment, and a page that does not exist, each with a way on', async () => {
    const page = await visit('/account')
    await page.getByLabel(texts.email).fill(newEmail())
    await press(page, texts.requestCode)
    await page.getByLabel(texts.code).fill('0000 0000')
    await press(page, texts.signIn)
    await page.getByRole('alert').getByText(texts.wrongCode).waitFor()
    await see(page, texts.account)

    const buyer = await visit()
    await press(buyer, texts.pay(usd(89)))
    await buyer.waitForURL(`${pages.world.stripe.url}/**`)
    await buyer.goto(at('/thanks'))
    expect(await see(buyer, texts.pending)).toContain(texts.pendingText)
    await buyer.getByRole('link', { name: texts.backTo(pages.world.paywall.name) }).click()
    await see(buyer, own.headline)

    await page.goto(at('/nothing'))
    await see(page, texts.notFound)
    await press(page, texts.toFront, 'link')
    await see(page, own.headline)
    await page.goto(`${pages.world.url}/p/77/account`)
    await see(page, texts.notFound)
    await press(page, texts.toFront, 'link')
    await page.waitForURL(`${pages.world.url}/`)
    await page.goto(at('/account/receipt/unknown'))
    await see(page, /./)
  })
})
