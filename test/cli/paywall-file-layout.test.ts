import { describe, expect, test } from 'vitest'
import { type Changes, readErrors, sampleFileText } from '../support/sample-paywall-file.ts'

const TEXTS = { title: 'Do more', question: 'May I leave?', answer: 'Whenever you like' }
const blocks = 'paywalls[0].layout.blocks'

/** The errors for a layout with these blocks, in a file with English and German texts, a monthly and a one-time price. */
function layoutErrors(written: unknown[], changes: Changes = {}): Promise<string[]> {
  const layout = { type: 'stack', blocks: written }
  const page = { 'paywalls[0].layout': layout, 'paywalls[0].locales': { en: { ...TEXTS }, de: { ...TEXTS } } }
  return readErrors(sampleFileText({ ...page, ...changes }))
}

const yearly = { slug: 'yearly', label: 'Yearly', currency: 'USD', amount: 89, interval: 'year', processorPrice: 'y' }

describe('a layout', () => {
  test('may contain every block type, including custom ones', async () => {
    const everything = [
      { type: 'heading', text: 'title' },
      { type: 'heading', text: 'title', level: 2 },
      { type: 'text', text: 'title' },
      { type: 'image', src: 'https://acme.example/hero.webp', alt: 'title', width: 1200, height: 630 },
      { type: 'image', src: 'http://localhost:3000/hero.webp', alt: 'title' },
      { type: 'features', items: ['title', 'answer'] },
      { type: 'toggle', intervals: ['month', 'year'] },
      { type: 'prices' },
      { type: 'prices', order: ['yearly', 'monthly'], highlight: 'yearly' },
      { type: 'testimonial', quote: 'answer', author: 'title' },
      { type: 'faq', items: [{ question: 'question', answer: 'answer' }] },
      { type: 'button', text: 'title' },
      { type: 'button', text: 'title', price: 'lifetime' },
      { type: 'note', text: 'title' },
      { type: 'x-countdown', until: { year: 2030 } },
    ]
    const more = {
      'paywalls[0].prices[2]': yearly,
      'paywalls[0].settings.logo': { src: 'https://acme.example/logo.png', alt: 'title' },
      'paywalls[0].offers': [{ price: 'yearly', show: 'cancel' }, { yours: { price: 1 } }],
    }
    expect(await layoutErrors(everything, more)).toEqual([])
  })

  test.each<[block: unknown, error: string]>([
    [{ type: 'headng', text: 'title' }, '.type: unknown block type headng: did you mean heading?'],
    [
      { type: 'carousel' },
      '.type: unknown block type carousel: use heading, text, image, features, prices, toggle, testimonial, faq, note, button, or your own type that begins with x-',
    ],
    [{ text: 'title' }, '.type: is missing'],
    ['heading', ': expected object, received string'],
    [{ type: 'heading' }, '.text: is missing'],
    [{ type: 'note', text: 'title', colour: 'red' }, '.colour: unknown field'],
    [{ type: 'heading', text: 'title', levl: 2 }, '.levl: unknown field: did you mean level?'],
    [{ type: 'heading', text: 'title', level: 3 }, '.level: Invalid option: expected one of 1|2'],
    [{ type: 'text', text: 'titel' }, '.text: en, de have no text titel: did you mean title?'],
    [{ type: 'features', items: ['title', 'anything'] }, '.items[1]: en, de have no text anything'],
    [{ type: 'features', items: [] }, '.items: Too small: expected array to have >=1 items'],
    [
      { type: 'faq', items: [{ question: 'question', answer: 'answr' }] },
      '.items[0].answer: en, de have no text answr: did you mean answer?',
    ],
    [{ type: 'testimonial', quote: 'answer', author: 'ada' }, '.author: en, de have no text ada'],
    [{ type: 'prices', order: ['montly'] }, '.order[0]: there is no price montly: did you mean monthly?'],
    [{ type: 'prices', order: ['monthly', 'monthly'] }, '.order[1]: monthly is listed twice'],
    [{ type: 'prices', highlight: 'weekly' }, '.highlight: there is no price weekly'],
    [{ type: 'prices', order: ['monthly'], highlight: 'lifetime' }, '.highlight: lifetime is not in order'],
    [{ type: 'button', text: 'title', price: 'lifetme' }, '.price: there is no price lifetme: did you mean lifetime?'],
    [{ type: 'toggle', intervals: ['month', 'year'] }, '.intervals[1]: no price has the interval year'],
    [{ type: 'toggle', intervals: ['month', 'month'] }, '.intervals[1]: month is listed twice'],
    [{ type: 'toggle', intervals: ['month'] }, '.intervals: Too small: expected array to have >=2 items'],
    [{ type: 'image', src: 'logo.png', alt: 'title' }, '.src: must be an https URL'],
    [
      { type: 'image', src: 'https://acme.example/Logo.SVG?v=2', alt: 'title' },
      '.src: SVG is not supported because it may contain scripts: use JPEG, PNG or WebP',
    ],
    [
      { type: 'image', src: 'https://192.0.2.7/a.png', alt: 'title' },
      '.src: an IP address is not accepted: use a host name',
    ],
    [
      { type: 'image', src: 'https://files.internal/a.png', alt: 'title' },
      '.src: files.internal is not a public host name',
    ],
    [
      { type: 'image', src: 'http://acme.example/a.png', alt: 'title' },
      '.src: must be an https URL or a localhost URL',
    ],
  ])('is rejected for the block %j', async (block, error) => {
    expect(await layoutErrors([block])).toEqual([`${blocks}[0]${error}`])
  })

  test.each<[string, Changes, string]>([
    [
      'a text that is missing from one locale',
      { 'paywalls[0].locales.de': { titel: 'Mehr' } },
      `${blocks}[0].text: de has no text title: did you mean titel?`,
    ],
    [
      'a text that is not a string',
      { 'paywalls[0].locales.en.title': { of: 'yours' } },
      `${blocks}[0].text: en has no text title`,
    ],
    [
      'missing locales',
      { 'paywalls[0].locales': {} },
      `${blocks}[0].text: there are no locales, so there is no text title`,
    ],
    [
      "an offer's unknown price",
      { 'paywalls[0].offers': [{ price: 'montly' }] },
      'paywalls[0].offers[0].price: there is no price montly: did you mean monthly?',
    ],
    [
      'an offer whose price is not a string',
      { 'paywalls[0].offers': [{ price: 5 }] },
      'paywalls[0].offers[0].price: expected string, received number',
    ],
    [
      'a logo with an http URL',
      { 'paywalls[0].settings.logo': { src: 'http://acme.example/logo.png' } },
      'paywalls[0].settings.logo.src: must be an https URL or a localhost URL',
    ],
    [
      "a logo's missing text",
      { 'paywalls[0].settings.logo': { src: 'https://acme.example/logo.png', alt: 'logo' } },
      'paywalls[0].settings.logo.alt: en, de have no text logo',
    ],
    [
      'a label that only one locale has a text for',
      { 'paywalls[0].locales.de.Monthly': 'Monatlich' },
      'paywalls[0].prices[0].label: en has no text Monthly',
    ],
    [
      'a feature that only one locale has a text for',
      { 'paywalls[0].prices[0].features': ['history', 'export'], 'paywalls[0].locales.en.export': 'Export' },
      'paywalls[0].prices[0].features[1]: de has no text export',
    ],
    [
      'a type of tokens that only one locale has a text for',
      { 'paywalls[0].locales.en.standard': 'credits' },
      'paywalls[0].settings.tokenization_queries[0].type: de has no text standard',
    ],
    [
      'a badge that only one locale has a text for',
      { 'paywalls[0].offers': [{ price: 'monthly', badge: 'Popular' }], 'paywalls[0].locales.de.Popular': 'Beliebt' },
      'paywalls[0].offers[0].badge: en has no text Popular',
    ],
    [
      'a link to a script',
      { 'paywalls[0].settings.links': { terms: 'https://acme.example/terms', privacy: 'javascript:alert(1)' } },
      'paywalls[0].settings.links.privacy: must be an http or https URL',
    ],
    [
      'a link of an unknown kind',
      { 'paywalls[0].settings.links': { privacyy: 'https://acme.example/privacy' } },
      'paywalls[0].settings.links.privacyy: unknown field: did you mean privacy?',
    ],
  ])('is rejected for %s', async (_what, changes, error) => {
    expect(await layoutErrors([{ type: 'heading', text: 'title' }], changes)).toEqual([error])
  })

  test('of a live paywall must not contain an image from localhost', async () => {
    const live = {
      'paywalls[0].test': false,
      'paywalls[0].processor.credentials.secretKey': 'env:STRIPE_LIVE_KEY',
      'keys[0].secret': 'env:LIVE_API_KEY',
    }
    const image = { type: 'image', src: 'http://localhost:3000/hero.webp', alt: 'title' }
    expect(await layoutErrors([image], live)).toEqual([`${blocks}[0].src: must be an https URL`])
  })

  test('is checked together with the rest of the file', async () => {
    const changes = { 'paywalls[0].prices[0].amount': 9.999, 'paywalls[0].settings.name': 'Other', nam: 1 }
    expect(await layoutErrors([{ type: 'headng' }, { type: 'text', text: 'titel' }], changes)).toEqual([
      'paywalls[0].prices[0].amount: 9.999 is not an amount of USD',
      `${blocks}[0].type: unknown block type headng: did you mean heading?`,
      `${blocks}[1].text: en, de have no text titel: did you mean title?`,
      "paywalls[0].settings.name: is not the paywall's name",
      'nam: unknown field',
    ])
  })
})

test('the intended name is suggested for a misspelt field anywhere in the file', async () => {
  const changes = {
    'paywalls[0].prices[0].trail_days': 7,
    'paywalls[0].prices[0].lable': 'Monthly',
    'paywalls[0].prices[0].labels': 'Monthly',
    'paywalls[0].prices[0].label': undefined,
  }
  expect(await readErrors(sampleFileText(changes))).toEqual([
    'paywalls[0].prices[0].label: is missing',
    'paywalls[0].prices[0].trail_days: unknown field',
    'paywalls[0].prices[0].lable: unknown field: did you mean label?',
    'paywalls[0].prices[0].labels: unknown field: did you mean label?',
  ])
})
