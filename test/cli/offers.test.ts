import { afterAll, describe, expect, test } from 'vitest'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { openApplying } from '../support/applying.ts'
import { readErrors, sampleFileText } from '../support/sample-paywall-file.ts'

// Offers that take something off, in the paywall file.

const price = (slug: string, more: object = {}) => ({
  slug,
  label: slug,
  currency: 'USD',
  amount: 10,
  interval: 'month',
  processorPrice: `price_${slug}`,
  ...more,
})
const PRICES = [
  price('monthly'),
  price('weekly', { interval: 'week', amount: 3 }),
  price('yearly', { interval: 'year', amount: 90 }),
  price('trial', { trial_days: 7 }),
  price('abroad', { locals: [{ countries: ['IN'], currency: 'INR', amount: 399, processorPrice: 'price_inr' }] }),
  price('lifetime', { interval: undefined, amount: 200 }),
  price('cent', { amount: 0.01 }),
]
const SPRING = {
  id: 'spring',
  title: 'Spring',
  discount: { percent: 50, periods: 3 },
  prices: ['monthly'],
  processorDiscount: 'SPRING',
}
const once = (discount: object) => ({ ...SPRING, discount, prices: ['lifetime'] })

/** The errors of a file with these offers, without the path of the list. */
async function readOfferErrors(offers: object[], acquiring: ProcessorName = 'stripe'): Promise<string[]> {
  const text = sampleFileText({
    'paywalls[0].processor': { acquiring, credentials: EMULATORS[acquiring].demoCredentials() },
    'paywalls[0].prices': PRICES,
    'paywalls[0].offers': offers,
  })
  return (await readErrors(text)).map((error) => error.replace('paywalls[0].offers', 'offers'))
}

const readError = async (more: object) => readOfferErrors([{ ...SPRING, ...more }])

test.each<[string, object]>([
  ['a part of each period for some time', {}],
  ['of a year', { prices: ['yearly', 'monthly'], discount: { percent: 20, periods: 2 } }],
  ['for ever, after a trial', { prices: ['trial'], discount: { percent: 20, periods: 'forever' } }],
  ['a period of a price with a trial, for those who cancel', { prices: ['trial'], show: 'cancel' }],
  ['an amount', { discount: { amount: 2.5, currency: 'USD', periods: 1 } }],
  ['of a one-time price', once({ amount: 20, currency: 'USD' })],
  ['with everything', { badge: 'Now', countries: ['DE', 'AT'], max: 10, code: 'SPRING-27', show: 'code' }],
  ['for a week', { starts_at: '2027-03-01T00:00:00+01:00', ends_at: '2027-03-08T00:00:00Z' }],
])('an offer that takes off %s is accepted', async (_, more) => {
  expect(await readError(more)).toEqual([])
})

test.each<[string, object, ...string[]]>([
  ['nothing', { discount: { periods: 1 } }, 'discount: give either percent or amount'],
  [
    'two things',
    { discount: { percent: 5, amount: 1, currency: 'USD', periods: 1 } },
    'discount: give either percent or amount',
  ],
  ['everything', { discount: { percent: 100, periods: 1 } }, 'discount.percent: Too big: expected number to be <=99'],
  ['an amount of nothing', { discount: { amount: 1, periods: 1 } }, 'discount.currency: is required with amount'],
  [
    'half a cent',
    { discount: { amount: 0.005, currency: 'USD', periods: 1 } },
    'discount.amount: 0.005 is not an amount of USD',
  ],
  [
    'of an unknown currency',
    { discount: { amount: 1, currency: 'USX', periods: 1 } },
    'discount.currency: not an ISO 4217 currency code',
    'prices[0]: monthly is sold in USD, too: use percent',
  ],
  [
    'the whole price',
    { discount: { amount: 10, currency: 'USD', periods: 1 } },
    'prices[0]: 10 USD is not less than the 10 USD of monthly',
  ],
  [
    'the whole of a cent',
    { discount: { percent: 50, periods: 1 }, prices: ['cent'] },
    'prices[0]: 50 % of 0.01 USD rounds to the whole price: the offer would be free',
  ],
  [
    'dollars from rupees',
    { prices: ['abroad'], discount: { amount: 1, currency: 'USD', periods: 1 } },
    'prices[0]: abroad is sold in INR, too: use percent',
  ],
  [
    'no number of periods',
    { discount: { percent: 5 } },
    'prices[0]: monthly is a subscription: say in discount.periods how long it lasts',
  ],
  [
    'periods of a one-time price',
    once({ percent: 5, periods: 1 }),
    'prices[0]: lifetime is a one-time price: it has no discount.periods',
  ],
  [
    'periods after a trial',
    { prices: ['trial'] },
    'discount.periods: Stripe counts the periods of a discount from the start of a trial, and trial begins with one: use "forever", or a price without trial_days',
  ],
  ['of an unknown price', { prices: ['montly'] }, 'prices[0]: there is no price montly: did you mean monthly?'],
  ['of a price twice', { prices: ['monthly', 'monthly'] }, 'prices[1]: monthly is listed twice'],
  ['of no price', { prices: [] }, 'prices: Too small: expected array to have >=1 items'],
  [
    'in the past of its beginning',
    { starts_at: '2027-03-02T00:00:00Z', ends_at: '2027-03-01T23:00:00-01:00' },
    'ends_at: is not after starts_at',
  ],
  ['at no certain time', { ends_at: '2027-03-01' }, 'ends_at: must be a time such as 2027-01-31T23:59:59Z'],
  ['for a code that it lacks', { show: 'code' }, 'code: is required for an offer that is shown nowhere'],
  ['for a short code', { code: 'abc' }, 'code: must be 4 to 50 letters, digits, hyphens or underscores'],
  ['for a misspelt field', { tittle: 'Spring' }, 'tittle: unknown field'],
  ['for a field of another type', { title: 5 }, 'title: expected string, received number'],
])('an offer that takes off %s is refused with its path', async (_, more, ...errors) => {
  expect(await readError(more)).toEqual(errors.map((error) => `offers[0].${error}`))
})

test('an entry without a discount, which is served to everybody, has nothing that must not be', async () => {
  const { discount, code, ...own } = { ...SPRING, code: 'SECRET-27', show: 'code' }
  const needsDiscount = 'needs a `discount`: an entry without one is served to everybody, unchanged'
  expect(await readOfferErrors([{ ...own, discuont: discount, code }])).toEqual(
    expect.arrayContaining([`offers[0].code: ${needsDiscount}`, `offers[0].show: ${needsDiscount}`]),
  )
})

test('an offer to subscribers who cancel has a discount of its own at the processor', async () => {
  const stay = { ...SPRING, id: 'stay', show: 'cancel' }
  expect(await readOfferErrors([SPRING, stay])).toEqual([
    'offers[1].processorDiscount: is also that of entry 0: an offer to stay needs its own',
  ])
  expect(await readOfferErrors([SPRING, { ...stay, processorDiscount: 'OTHER' }])).toEqual([])
})

test('two offers have neither the same id nor the same code, in upper or lower case', async () => {
  const errors = await readOfferErrors([
    { ...SPRING, code: 'SPRING' },
    { ...SPRING, code: 'spring' },
    { slug: 'spring', id: 'spring', price: 'monthly' },
  ])
  expect(errors).toEqual(['offers[1].id: is the same as in entry 0', 'offers[1].code: is the same as in entry 0'])
})

test("an entry without a discount is the owner's own", async () => {
  expect(await readOfferErrors([{ title: { any: 'thing' }, prices: 5 }])).toEqual([])
  expect(await readOfferErrors([{ price: 5 }])).toEqual(['offers[0].price: expected string, received number'])
})

describe('apply', async () => {
  const { query, someOwner, close } = await openApplying()
  afterAll(close)

  const path = 'paywalls[0].offers'
  const base = { 'paywalls[0].prices': PRICES }
  const stored = (paywallId: string) =>
    query(
      `select id, discount, code, max_uses, starts_at, retired_at is not null as retired from offers
       where paywall_id = $1 order by position, id`,
      paywallId,
    )

  test('writes offers, and the same file again changes nothing', async () => {
    const { id, apply, plan } = someOwner()
    const offers = [
      { ...SPRING, code: 'Spring-27', max: 10, starts_at: '2027-03-01T00:00:00+01:00', badge: 'Now' },
      { ...SPRING, id: 'amount', discount: { amount: 2.5, currency: 'USD', periods: 1 } },
    ]
    const { changes } = await apply({ ...base, [path]: offers })
    expect(changes.filter(({ what }) => what.includes('offer')).map(({ what, how }) => `${what} ${how}`)).toEqual([
      `paywall ${id}: offer spring new: 50 % off, for 3 periods`,
      `paywall ${id}: offer amount new: 2.5 USD off, for 1 period`,
    ])
    expect(await stored(id)).toMatchObject([
      { id: 'spring', code: 'Spring-27', max_uses: 10, starts_at: new Date('2027-02-28T23:00:00Z'), retired: false },
      { id: 'amount', discount: { amount: 250, currency: 'USD', periods: 1 } },
    ])
    expect((await plan({ ...base, [path]: offers })).changes).toEqual([])
  })

  test('changes, removes and takes up again an offer; two may swap their codes', async () => {
    const { id, apply } = someOwner()
    const summer = { ...SPRING, id: 'summer', code: 'SUMMER' }
    await apply({ ...base, [path]: [{ ...SPRING, code: 'SPRING' }, summer] })
    const swapped = [
      { ...SPRING, code: 'summer', max: 5 },
      { ...summer, code: 'spring' },
    ]
    const { changes } = await apply({ ...base, [path]: swapped })
    expect(changes.flatMap(({ fields }) => fields)).toEqual([
      { path: 'max', old: null, new: 5 },
      { path: 'code', old: 'SPRING', new: 'summer' },
      { path: 'code', old: 'SUMMER', new: 'spring' },
    ])
    expect((await apply({ ...base, [path]: [] })).changes.map(({ what, how }) => `${what} ${how}`)).toEqual([
      `paywall ${id}: offer spring removed`,
      `paywall ${id}: offer summer removed`,
    ])
    expect(await stored(id)).toMatchObject([{ retired: true }, { retired: true }])
    await apply({ ...base, [path]: [{ ...SPRING, id: 'other', code: 'SUMMER' }] })
    await apply({ ...base, [path]: [SPRING] })
    expect((await stored(id)).filter(({ retired }) => !retired)).toMatchObject([{ id: 'spring', code: null }])
  })
})

describe('an offer that the processor cannot take off exactly is refused with its name', () => {
  test('freemius', async () => {
    const once = { ...SPRING, id: 'once', discount: { percent: 50, periods: 1 }, processorDiscount: undefined }
    const errors = await readOfferErrors([SPRING, once], 'freemius')
    expect(errors.filter((error) => error.startsWith('offers'))).toEqual([
      'offers[0].discount.periods: Freemius reduces the first payment only, or all of them: monthly',
      'offers[1].processorDiscount: is required at Freemius: coupon code',
    ])
  })

  test('chargebee', async () => {
    const weekly = { ...SPRING, id: 'weekly', prices: ['weekly', 'monthly'] }
    const errors = await readOfferErrors([weekly, { ...SPRING, processorDiscount: undefined }], 'chargebee')
    expect(errors.filter((error) => error.startsWith('offers'))).toEqual([
      'offers[1].processorDiscount: is required at Chargebee: coupon id',
    ])
  })

  test('mollie', async () => {
    const { processorDiscount: _, ...amounts } = SPRING
    const errors = await readOfferErrors([SPRING, { ...amounts, id: 'other' }], 'mollie')
    expect(errors.filter((error) => error.startsWith('offers'))).toEqual([
      'offers[0].processorDiscount: Mollie has no discounts of its own: remove it',
    ])
  })

  test('polar', async () => {
    const amount = { ...SPRING, discount: { amount: 1, currency: 'USD', periods: 'forever' } }
    const weekly = { ...SPRING, id: 'weekly', prices: ['weekly'], processorDiscount: undefined }
    const errors = await readOfferErrors([amount, weekly], 'polar')
    expect(errors.filter((error) => error.startsWith('offers'))).toEqual([
      'offers[1].processorDiscount: is required at Polar: discount id',
      'offers[1].discount.periods: Polar counts several periods in months, not in days or weeks: weekly',
    ])
  })

  test.each<[string, object, string]>([
    ['without its coupon', { processorDiscount: undefined }, 'processorDiscount: is required at Stripe: coupon id'],
    [
      'an amount for ever',
      { discount: { amount: 1, currency: 'USD', periods: 'forever' } },
      'discount.periods: Stripe takes no amount off for ever, only a percentage: monthly',
    ],
    [
      'several weeks',
      { prices: ['monthly', 'weekly'] },
      'discount.periods: Stripe counts several periods in months, not in days or weeks: weekly',
    ],
  ])('stripe: %s', async (_, more, error) => {
    expect(await readError(more)).toEqual([`offers[0].${error}`])
  })
})
