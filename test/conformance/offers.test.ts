import { describe, expect, test } from 'vitest'
import { checkProcessorDiscounts } from '../../cli/apply/processor-discounts.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { Discount } from '../../lib/processors/discount.ts'
import { DISCOUNT_CHECKS } from '../../lib/processors/discount-checks.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { newEmail } from '../support/checkout.ts'
import { ownerEvents } from '../support/owner-events.ts'
import {
  advanceClock,
  type Buyer,
  buy,
  canPay,
  causeAtProcessor,
  expectStoredAsAtProcessor,
  newEvents,
  open,
  order,
  pay,
  readPurchase,
  readTokens,
} from './buyer.ts'
import { change, paidAmounts, preview } from './change-plan-calls.ts'
import { paysEveryChangeOnPage, reducesChanges } from './drivers/plans.ts'
import { setDiscounts } from './drivers/set-up.ts'
import { paymentEvents } from './money.ts'
import { useShops } from './shop.ts'

// What offers take off, at each processor that can take it off exactly.

interface Sold {
  slug: 'monthly' | 'yearly' | 'lifetime'
  discount: Discount
  /** The first payments. */
  charges: number[]
  /** The price. */
  price: number
  /** The trial that the call requests. The yearly price has one of its own. */
  trial_days?: number
}

const OFFERS: Record<string, Sold> = {
  once: { slug: 'monthly', discount: { percent: 50, periods: 1 }, charges: [499, 999, 999], price: 999 },
  twice: { slug: 'monthly', discount: { percent: 50, periods: 2 }, charges: [499, 499, 999], price: 999 },
  forever: { slug: 'monthly', discount: { percent: 20, periods: 'forever' }, charges: [799, 799, 799], price: 999 },
  trial: { slug: 'yearly', discount: { percent: 10, periods: 'forever' }, charges: [8010, 8010], price: 8900 },
  'once after a trial': { slug: 'yearly', discount: { percent: 50, periods: 1 }, charges: [4450, 8900], price: 8900 },
  'twice after a trial': {
    slug: 'monthly',
    discount: { percent: 50, periods: 2 },
    charges: [499, 499, 999],
    price: 999,
    trial_days: 7,
  },
  amount: { slug: 'lifetime', discount: { amount: 20, currency: 'USD' }, charges: [2900], price: 4900 },
}

/** Whether a processor can take an offer off exactly. */
function isPossible(acquiring: ProcessorName, sold: Sold): boolean {
  const { slug, discount } = sold
  const { discounts } = DEFINITIONS[acquiring]
  if (discounts === null || slug === 'lifetime') return discounts !== null
  const interval = slug === 'yearly' ? 'year' : 'month'
  const isCountable = discount.periods === 'forever' || !hasTrial(sold) || discounts.trialProblem === null
  return isCountable && !discounts.problem(discount, { interval, intervalCount: 1 })
}

const hasTrial = ({ slug, trial_days: days }: Sold) => slug === 'yearly' || days !== undefined

/** One processor names its discounts by UUIDs. */
const toId = (index: number) => `7c1f0f5e-2c55-4f0e-9a4e-2f6f0b7a900${index}`

/** The offers in the paywall file. One of them can be used once. */
const offersAt = (acquiring: ProcessorName) =>
  Object.entries({ ...OFFERS, last: OFFERS.amount! }).flatMap(([id, offer], index) => {
    if (!isPossible(acquiring, offer)) return []
    const isNamed = DEFINITIONS[acquiring].discounts?.processorDiscount !== null
    const { discount, slug } = offer
    const named = isNamed ? { processorDiscount: toId(index) } : {}
    return [{ id, title: id, discount, prices: [slug], ...named, ...(id === 'last' && { max: 1 }) }]
  })

const getShop = useShops(1, (sold, _, acquiring) => ({ ...sold, offers: offersAt(acquiring) }))

const hasDiscounts = (name: ProcessorName) => DEFINITIONS[name].discounts?.processorDiscount != null

/** Whether plans change by API calls, and not on pages of the processor. */
const changesPlan = (name: ProcessorName) =>
  DEFINITIONS[name].capabilities.changesPlan !== 'never' && !paysEveryChangeOnPage(name)

/** An estimate changes by the second. */
const CENTS = 2

async function completed(buyer: Buyer) {
  const events = await ownerEvents(buyer.shop.world, buyer.userId)
  const checkout = events.find(({ type }) => type === 'checkout.completed')?.data.checkout
  return { amount: checkout?.amount, offer: checkout?.offer }
}

describe.each(Object.entries(OFFERS))('an offer taken off %s', (id, sold) => {
  const { slug, charges, price } = sold
  test.each(PROCESSOR_NAMES.filter((name) => isPossible(name, sold)))(
    '%s: is charged for its periods, and the owner hears of it',
    async (acquiring) => {
      const shop = getShop(acquiring)
      const buyer = await buy(shop, slug, { body: { offer: id, trial_days: sold.trial_days } })
      const isTrial = hasTrial(sold)
      expect(await completed(buyer)).toEqual({
        amount: isTrial ? 0 : charges[0],
        offer: { id, beyond_max: false },
      })
      const isSold = { price_slug: slug, unit_amount: price, status: 'active' }
      expect(await readPurchase(buyer)).toMatchObject({ ...isSold, ...(isTrial && { status: 'trialing' }) })
      for (const _ of charges.slice(isTrial ? 0 : 1)) {
        await causeAtProcessor(buyer, shop.account.renew)
        await expectStoredAsAtProcessor(buyer)
        expect(await readPurchase(buyer)).toMatchObject(isSold)
      }
      const { reportsDiscount } = shop.capabilities
      expect(await paymentEvents(buyer)).toMatchObject(
        charges.map((amount) => ({
          type: 'payment.succeeded',
          amount,
          price_slug: slug,
          discount: reportsDiscount === 'never' ? null : price - amount,
        })),
      )
      if (slug === 'monthly') expect(await readTokens(buyer)).toBe(300)
    },
  )
})

describe.each(PROCESSOR_NAMES.filter(hasDiscounts).filter(changesPlan))('%s: an upgrade', (acquiring) => {
  /** What is left of the new price in the period: one processor takes the discount off it, too. */
  const rest = (whole: number, reduced: number) => (reducesChanges(acquiring) ? reduced : whole)

  test.each([
    ['of one period', 'once', 499, rest(1999, 999)],
    ['of two periods', 'twice', 499, 999],
    ['for ever', 'forever', 799, 1599],
  ])(
    'from an offer %s credits what was paid, is charged as quoted, and has its price',
    async (_, offer, paid, price) => {
      const buyer = await buy(getShop(acquiring), 'monthly', { body: { offer } })
      const shown = await preview(buyer, 'plus')
      expect(Math.abs(shown.credit.amount - paid)).toBeLessThanOrEqual(CENTS)
      expect(Math.abs(shown.due_now.amount - (price - paid))).toBeLessThanOrEqual(CENTS)
      await change(buyer, 'plus', { quote: shown.quote })
      const [first, charged] = await paidAmounts(buyer)
      expect(first).toBe(paid)
      expect(Math.abs(charged! - shown.due_now.amount)).toBeLessThanOrEqual(shown.estimate ? CENTS : 0)
      await expectStoredAsAtProcessor(buyer)
      expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'plus', unit_amount: 1999 })

      await causeAtProcessor(buyer, buyer.shop.account.renew)
      expect((await paidAmounts(buyer)).at(-1)).toBe(shown.next.amount)
      expect(shown.next.amount).toBe(offer === 'once' ? 1999 : price)
    },
  )
})

test.each(PROCESSOR_NAMES.filter(hasDiscounts))(
  '%s: plan accepts what the owner has made for the offers, and nothing else',
  async (acquiring) => {
    expect(DISCOUNT_CHECKS).toHaveProperty(acquiring)
    const { world, paywall, emulator } = getShop(acquiring)
    const bases = JSON.stringify({ [acquiring]: emulator.url })
    const file = { ...world.file, paywalls: [paywall] }
    expect(await checkProcessorDiscounts(file, bases)).toEqual({ errors: [], warnings: [] })
    const discounts = paywall.discounts.map((offer) => ({ ...offer, discount: { ...offer.discount, percent: 30 } }))
    const { errors, warnings } = await checkProcessorDiscounts(
      { ...file, paywalls: [{ ...paywall, discounts }] },
      bases,
    )
    expect(warnings).toEqual([])
    expect(errors).toHaveLength(discounts.length)
    for (const error of errors) expect(error).toContain('takes off')
  },
)

test.each(PROCESSOR_NAMES.filter((name) => isPossible(name, OFFERS.once!)))(
  '%s: the refund of a reduced payment takes its tokens back',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const buyer = await buy(shop, 'monthly', { body: { offer: 'once' } })
    expect(await readTokens(buyer)).toBe(100)
    expect(await causeAtProcessor(buyer, shop.account.refund)).toContain('payment.refunded 499')
    expect(await readTokens(buyer)).toBe(0)
  },
)

test.each(PROCESSOR_NAMES.filter(hasDiscounts))(
  '%s: a page is refused if the owner has deleted the discount, and uses up nothing',
  async (acquiring) => {
    const { world, paywall } = getShop(acquiring)
    const email = newEmail()
    const id = paywall.discounts[0]!.processor_discount!
    await setDiscounts(world[acquiring], paywall.id, { [id]: null })
    expect(await order(getShop(acquiring), 'monthly', { email, body: { offer: 'once' } })).toMatchObject({
      status: 502,
      body: { error: 'processor_rejected' },
    })
    const uses =
      'select from offer_uses u join checkouts c on c.id = u.checkout_id join users b on b.id = c.user_id where b.email = $1'
    expect((await world.database.query(uses, [email])).rowCount).toBe(0)
    await setDiscounts(world[acquiring], paywall.id, {})
    await open(getShop(acquiring), 'monthly', { email, body: { offer: 'once' } })
    expect((await world.database.query(uses, [email])).rowCount).toBe(1)
  },
)

test.each(PROCESSOR_NAMES.filter((name) => isPossible(name, OFFERS.amount!)))(
  '%s: an open page holds the last use of an offer for as long as it can be paid, a day at most',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const body = { offer: 'last' }
    const page = await open(shop, 'lifetime', { body })
    for (let hours = 0; hours < 24 && (await canPay(page)); hours++) {
      expect(await order(shop, 'lifetime', { body })).toMatchObject({ status: 400, body: { reason: 'used_up' } })
      await advanceClock(page, '1h')
    }
    await open(shop, 'lifetime', { body })
  },
)

test.each(PROCESSOR_NAMES.filter((name) => isPossible(name, OFFERS.once!)))(
  '%s: a page without an offer charges the price',
  async (acquiring) => {
    const buyer = await buy(getShop(acquiring))
    expect(await completed(buyer)).toEqual({ amount: 999, offer: null })
  },
)

test.each(PROCESSOR_NAMES.filter((name) => !DEFINITIONS[name].capabilities.expiresPages))(
  '%s: a member who pays two pages at an offer uses it twice, which the owner hears of',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const email = newEmail()
    const [id, { slug }] = Object.entries(OFFERS).find(
      ([, offer]) => offer.slug !== 'yearly' && isPossible(acquiring, offer),
    )!
    const pages = [
      await open(shop, slug, { email, body: { offer: id } }),
      await open(shop, slug, { email, body: { offer: id } }),
    ]
    for (const page of pages) await pay(page)
    await newEvents(pages[1]!)
    const events = await ownerEvents(shop.world, pages[0]!.userId)
    const completions = events.flatMap(({ type, data }) =>
      type === 'checkout.completed' ? [data.checkout?.offer] : [],
    )
    expect(completions).toEqual([
      { id, beyond_max: false },
      { id, beyond_max: true },
    ])
  },
)

test.each(PROCESSOR_NAMES.filter((name) => !DEFINITIONS[name].capabilities.pagesSellOnce))(
  '%s: each further purchase by a link with an offer is reported beyond its limits',
  async (acquiring) => {
    const shop = getShop(acquiring)
    const page = await open(shop, 'monthly', { email: newEmail(), body: { offer: 'once' } })
    for (const _ of [1, 2]) {
      await pay(page)
      await newEvents(page)
    }
    const events = await ownerEvents(shop.world, page.userId)
    expect(events.flatMap(({ data }) => data.checkout?.offer ?? [])).toEqual([
      { id: 'once', beyond_max: false },
      { id: 'once', beyond_max: true },
    ])
  },
)
