import demo from '../../demo/paywall.json' with { type: 'json' }
import type { FileJson } from '../support/paywall-file.ts'

const [paywall] = demo.paywalls
if (!paywall) throw new Error('the demo has no paywall')
const { name, layout: shown, locales, settings } = paywall
// The demo's pack and its offers, which end, would be in every test. Those of the tests are below.
const prices = paywall.prices.filter(({ access }) => access !== false)
const offers = paywall.offers.filter(({ discount }) => discount === undefined)
const layout = {
  ...shown,
  blocks: shown.blocks
    .filter(({ type }) => type !== 'image')
    .map((block) =>
      block.order
        ? { ...block, order: block.order.filter((slug) => prices.some((price) => price.slug === slug)) }
        : block,
    ),
}

const settingsWithoutPages = { brand_color: settings.brand_color, tokenization_queries: settings.tokenization_queries }

const MISSING = 'https://images.example/picture.png'

/** The demo's paywall without its picture, which only the shop serves, without its pack and the offers that take something off, and without the owner's URLs, so that buyers stay on our pages. */
export const DEMO_PAYWALL: FileJson = {
  name,
  prices,
  offers,
  layout,
  locales,
  settings: settingsWithoutPages,
}

/** The demo's paywall as it is, with its picture at this address. */
export const wholeDemo = (picture: string): FileJson => ({
  name,
  prices: paywall.prices,
  offers: paywall.offers,
  layout: {
    ...shown,
    blocks: shown.blocks.map((block) => (block.type === 'image' ? { ...block, src: picture } : block)),
  },
  locales,
  settings,
})

const links = {
  terms: 'https://acme.example/terms',
  privacy: 'https://acme.example/privacy',
  imprint: 'https://acme.example/imprint',
  help: 'https://acme.example/help',
}

/** The demo with the owner's links, and with an image and a logo that do not exist, so that their alt texts are shown. */
export const WITH_IMAGES: FileJson = {
  ...DEMO_PAYWALL,
  layout: {
    ...layout,
    blocks: [...layout.blocks, { type: 'image', src: MISSING, alt: 'headline', width: 400, height: 100 }],
  },
  settings: { ...settingsWithoutPages, logo: { src: MISSING }, links },
}

/** The demo, which sells its monthly price by the unit. */
export const WITH_UNITS: FileJson = {
  ...DEMO_PAYWALL,
  prices: prices.map((price) => ({ ...price, per_unit: price.slug === 'monthly' })),
}

const texts = (of: string, english: Record<string, string>) => ({ ...Reflect.get(locales, of), ...english })

/** The demo with offers: of half a year, of an amount, for ever after a trial, and one that needs the code `TEAM-2027`. */
export const WITH_OFFERS: FileJson = {
  ...DEMO_PAYWALL,
  prices: [
    ...prices,
    { slug: 'basic', label: 'Basic', currency: 'USD', amount: 7, interval: 'month', processorPrice: 'price_basic' },
  ],
  offers: [
    {
      id: 'spring',
      title: 'Spring sale',
      badge: 'Save 50%',
      discount: { percent: 50, periods: 1 },
      prices: ['yearly'],
      ends_at: new Date(Date.now() + 60 * 3600_000).toISOString(),
      processorDiscount: 'HALF_ONCE',
    },
    {
      id: 'lifetime',
      title: 'Spring sale',
      discount: { amount: 50, currency: 'USD' },
      prices: ['lifetime'],
      processorDiscount: 'FIFTY_OFF',
    },
    {
      id: 'early',
      title: 'Early bird',
      discount: { percent: 20, periods: 'forever' },
      prices: ['monthly'],
      processorDiscount: 'FIFTH_FOREVER',
    },
    {
      id: 'team',
      title: 'Team price',
      discount: { percent: 30, periods: 3 },
      prices: ['basic', 'yearly'],
      code: 'TEAM-2027',
      show: 'code',
      processorDiscount: 'THIRTY_FOR_3',
    },
    {
      id: 'stay',
      title: 'Half price for a year',
      discount: { percent: 50, periods: 1 },
      prices: ['yearly'],
      show: 'cancel',
      processorDiscount: 'STAY_HALF',
    },
  ],
  layout: {
    ...layout,
    blocks: layout.blocks.map((block) =>
      block.type === 'prices' ? { ...block, order: ['yearly', 'monthly', 'basic', 'lifetime'] } : block,
    ),
  },
  locales: {
    en: texts('en', {
      Basic: 'Basic',
      'Spring sale': 'Spring sale',
      'Save 50%': 'Save 50%',
      'Early bird': 'Early bird',
      'Team price': 'Team price',
      'Half price for a year': 'Half price for a year',
    }),
    de: texts('de', {
      Basic: 'Basis',
      'Spring sale': 'Frühlingsangebot',
      'Save 50%': '50 % sparen',
      'Early bird': 'Frühbucher',
      'Team price': 'Teampreis',
      'Half price for a year': 'Ein Jahr zum halben Preis',
    }),
  },
}
