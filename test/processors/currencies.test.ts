import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import { decimalsAtStripe } from '../../dev/emulators/stripe/currencies.ts'
import { DECIMALS } from '../../generated/currencies.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { call } from '../support/call.ts'
import { buy, getPriceId, newEmail, parseOpened, press, startCheckout } from '../support/checkout.ts'
import { FULL_SIZE } from '../support/full-size.ts'
import { getPayments, listSubscriptions, mollieProcessor } from '../support/mollie-purchase.ts'
import { ownerEvents } from '../support/owner-events.ts'
import type { FileJson } from '../support/paywall-file.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

/** A monthly price: the amount in the paywall file, on the hosted page, at the processor, and in our database. */
type Example = [
  currency: string,
  fileAmount: number,
  page: string,
  processorAmount: number | string,
  storedAmount: number,
]

const AT_STRIPE: Example[] = [
  ['HUF', 3990.5, 'HUF 3,990.50', 399_050, 399_050],
  ['RSD', 1190.9, 'RSD 1,190.90', 119_090, 119_090],
  ['TWD', 300.5, 'NT$300.50', 30_050, 30_050],
  ['KWD', 4.25, 'KWD 4.250', 4250, 4250],
  ['BHD', 12.01, 'BHD 12.010', 12_010, 12_010],
  ['JPY', 980, '¥980', 980, 980],
  ['ISK', 1290, 'ISK 1,290.00', 129_000, 1290],
  ['UGX', 36_000, 'UGX 36,000.00', 3_600_000, 36_000],
  ['MGA', 45_000, 'MGA 45,000', 45_000, 4_500_000],
]

const AT_MOLLIE: Example[] = [
  ['HUF', 3990, 'HUF 3,990.00', '3990.00', 399_000],
  ['TWD', 300.5, 'NT$300.50', '300.50', 30_050],
  ['JPY', 980, '¥980', '980', 980],
  ['ISK', 1290, 'ISK 1,290', '1290', 1290],
]

const monthlyIn = ([currency, amount]: Example): FileJson => ({
  ...priceIn(currency, amount),
  slug: `${currency} monthly`,
  interval: 'month',
})

/** An amount whose digits all differ, with as many decimals as can be charged. */
function onceIn(currency: string): FileJson {
  const decimals = DEFINITIONS.stripe.decimals[currency] ?? DECIMALS[currency] ?? 0
  return priceIn(currency, Number(`1234.${'567'.slice(0, decimals)}`))
}

const priceIn = (currency: string, amount: number): FileJson => ({
  slug: currency,
  label: currency,
  currency,
  amount,
  processorPrice: `price_${currency}_${amount}`,
})

/** All of a processor's currencies at full size; otherwise every eighth, and those whose units differ from ISO 4217. */
const selectCurrencies = (currencies: ReadonlySet<string>) =>
  new Set(
    [...currencies].filter(
      (code, index) => FULL_SIZE || index % 8 === 0 || AT_STRIPE.some(([currency]) => currency === code),
    ),
  )

const STRIPE_CURRENCIES = selectCurrencies(DEFINITIONS.stripe.currencies)
const MOLLIE_CURRENCIES = selectCurrencies(DEFINITIONS.mollie.currencies)

let stripe: FilePaywall
let mollie: FilePaywall

const atStripe = [...AT_STRIPE.map(monthlyIn), ...[...STRIPE_CURRENCIES].map(onceIn)]
const atMollie = [...AT_MOLLIE.map(monthlyIn), ...[...MOLLIE_CURRENCIES].map(onceIn)]
const paywalls = [{ prices: atStripe }, { prices: atMollie, processor: mollieProcessor() }]
const world = useTestWorld({ file: { paywalls } })
beforeAll(async () => {
  stripe = world.file.paywalls[0]!
  mollie = world.file.paywalls[1]!
})

const Bootstrap = z.object({
  prices: z.array(z.object({ slug: z.string(), currency: z.string(), amount: z.number() })),
})

async function readShownPrices(paywall: FilePaywall) {
  const { body } = await call(world, `/api/v1/paywall/${paywall.id}/bootstrap`)
  return Bootstrap.parse(body).prices
}

/** Opens the page of a monthly price, reads it, and pays. */
async function payMonth(paywall: FilePaywall, currency: string) {
  const body = { email: newEmail(), priceId: getPriceId(paywall, `${currency} monthly`) }
  const { userId, checkoutUrl } = parseOpened(await startCheckout(world, { paywall, key: world.key, body }))
  const page = (await (await fetch(checkoutUrl)).text()).replaceAll('\u00a0', ' ')
  await call(world, await press(checkoutUrl, 'pay'))
  await Promise.all([world.stripe.drainWebhooks(), world.mollie.drainWebhooks()])
  return { userId, page }
}

/** The amounts in the owner's events. */
async function readReportedAmounts(userId: string) {
  const events = await ownerEvents(world, userId)
  return events.flatMap(({ type, data: { subscription, payment } }) => {
    if (payment) return `${type} ${payment.amount} ${payment.currency}`
    return type === 'subscription.created' ? `${type} ${subscription?.unit_amount} ${subscription?.currency}` : []
  })
}

/** The latest payment at Stripe, which is that of the running test. */
const findLastPayment = () =>
  world.stripe.events.findLast(({ type }) => type === 'payment_intent.succeeded')?.data.object

test.each(AT_STRIPE)(
  'a monthly price at Stripe in %s of %f is shown, charged, stored and reported in the right units',
  async (currency, fileAmount, text, processorAmount, storedAmount) => {
    expect((await readShownPrices(stripe)).find(({ slug }) => slug === `${currency} monthly`)).toMatchObject({
      amount: fileAmount,
    })
    const { userId, page } = await payMonth(stripe, currency)
    expect(page).toContain(text)
    const paid = findLastPayment()
    expect(paid).toMatchObject({ amount: processorAmount, currency: currency.toLowerCase() })
    const { purchases } = await userState(world, userId, { paywallId: stripe.id })
    expect(purchases).toMatchObject([{ unit_amount: storedAmount, currency }])

    await world.stripe.refund(String(paid?.id))
    await world.stripe.drainWebhooks()
    const amount = `${storedAmount} ${currency}`
    expect(await readReportedAmounts(userId)).toEqual([
      `subscription.created ${amount}`,
      `payment.succeeded ${amount}`,
      `payment.refunded ${amount}`,
    ])
  },
)

test.each(AT_MOLLIE)(
  'a monthly price at Mollie in %s of %f is shown, charged, stored and reported in the right units',
  async (currency, fileAmount, text, processorAmount, storedAmount) => {
    expect((await readShownPrices(mollie)).find(({ slug }) => slug === `${currency} monthly`)).toMatchObject({
      amount: fileAmount,
    })
    const { userId, page } = await payMonth(mollie, currency)
    expect(page).toContain(text)
    expect(getPayments(world, userId)).toMatchObject([{ amount: { currency, value: processorAmount } }])
    expect(listSubscriptions(world, userId)).toMatchObject([{ amount: { currency, value: processorAmount } }])
    const { purchases } = await userState(world, userId, { paywallId: mollie.id })
    expect(purchases).toMatchObject([{ unit_amount: storedAmount, currency }])

    await world.mollie.refund(getPayments(world, userId)[0]!.id)
    await world.mollie.drainWebhooks()
    const amount = `${storedAmount} ${currency}`
    expect(await readReportedAmounts(userId)).toEqual([
      `subscription.created ${amount}`,
      `payment.succeeded ${amount}`,
      `payment.refunded ${amount}`,
    ])
  },
)

test('a disputed one-time purchase and a failed renewal at Stripe are reported in whole ISK', async () => {
  const { userId } = await buy(world, { paywall: stripe, key: world.key, slug: 'ISK' })
  await world.stripe.drainWebhooks()
  await world.stripe.dispute(String(findLastPayment()?.id))
  await world.stripe.drainWebhooks()
  expect(await readReportedAmounts(userId)).toEqual(['payment.succeeded 1234 ISK', 'payment.disputed 1234 ISK'])

  const subscriber = await payMonth(stripe, 'ISK')
  await world.stripe.renew(String(world.stripe.subscriptions.at(-1)?.id), { fail: true })
  await world.stripe.drainWebhooks()
  expect((await readReportedAmounts(subscriber.userId)).at(-1)).toBe('payment.failed 1290 ISK')
})

describe('in every currency of a processor, the Workers use the same units as the command', () => {
  /** Buys once in each currency, and returns where the Workers stored another amount than the command. */
  async function findDifferences(paywall: FilePaywall, getCharged: (userId: string, currency: string) => number) {
    const prices = paywall.prices.filter(({ interval }) => interval === null)
    const queue = prices.values()
    const wrong: unknown[] = []
    async function buyNext() {
      for (const { slug, currency, amount } of queue) {
        const { userId } = await buy(world, { paywall, key: world.key, slug })
        const [purchase] = (await userState(world, userId, { paywallId: paywall.id })).purchases
        const charged = getCharged(userId, currency)
        if (purchase?.unit_amount === amount && charged === onceIn(currency).amount) continue
        wrong.push({ currency, charged, command: amount, workers: purchase?.unit_amount })
      }
    }
    await Promise.all(Array.from({ length: 4 }, buyNext))
    return { bought: prices.length, wrong }
  }

  const expectedPrices = (currencies: ReadonlySet<string>) =>
    [...currencies].map((currency) => ({ slug: currency, currency, amount: onceIn(currency).amount }))

  test('at Stripe', async () => {
    expect(await readShownPrices(stripe)).toEqual(expect.arrayContaining(expectedPrices(STRIPE_CURRENCIES)))
    // The return URL stores the purchase. Webhooks, whose amounts are in other units, are tested above.
    world.stripe.holdWebhooks()
    const getCharged = (userId: string, currency: string) => {
      const session = world.stripe.checkoutSessions.find(({ client_reference_id: id }) => id === userId)
      return Number(`${session?.amount_total}e-${decimalsAtStripe(currency)}`)
    }
    expect(await findDifferences(stripe, getCharged)).toEqual({ bought: STRIPE_CURRENCIES.size, wrong: [] })
  })

  test('at Mollie', async () => {
    expect(await readShownPrices(mollie)).toEqual(expect.arrayContaining(expectedPrices(MOLLIE_CURRENCIES)))
    const getCharged = (userId: string) => Number(getPayments(world, userId)[0]?.amount.value)
    expect(await findDifferences(mollie, getCharged)).toEqual({ bought: MOLLIE_CURRENCIES.size, wrong: [] })
  })
})
