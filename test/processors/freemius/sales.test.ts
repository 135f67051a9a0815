// Freemius stores no id of ours, so a purchase is matched to its checkout by the buyer, the price, the interval and the time.
import { describe, expect, test } from 'vitest'
import {
  type Buyer,
  buy,
  expectStoredAsAtProcessor,
  handleWebhooks,
  newEvents,
  open,
  readPurchase,
} from '../../conformance/buyer.ts'
import { sell } from '../../conformance/changing.ts'
import { payAndChange } from '../../conformance/drivers/plans.ts'
import type { Shop } from '../../conformance/shop.ts'
import { newEmail, press } from '../../support/checkout.ts'
import { moveAccount } from '../../support/passing-time.ts'
import { yearly } from '../../support/paywall-file.ts'
import { raceStatements } from '../../support/statement-barrier.ts'
import {
  follow,
  getFreemius,
  openMore,
  payAndGetReturnUrl,
  readBoughtPrices,
  readPages,
  useProduct,
} from './product.ts'

const product = useProduct()

const getField = (address: string, name: string) => new URL(address).searchParams.get(name) ?? ''

/**
 * Moves to the cron's first two polls of a buyer's pages: the second finds what the first missed because it polled
 * two pages at the same moment.
 */
async function reconcile({ shop: { world, paywall } }: Buyer): Promise<void> {
  for (const minutes of [16, 32]) {
    await moveAccount({ ...world, paywall }, minutes)
    await world.workers.scheduled('reconcile')
  }
}

/** Runs `action` while webhooks are held, and drops those. */
async function withoutWebhooks({ emulator }: Shop, action: () => Promise<unknown>): Promise<void> {
  emulator.holdWebhooks()
  await action()
  await emulator.sendHeldWebhooks(() => [])
}

/** A day passes without a poll. */
const letDayPass = ({ shop: { world, paywall } }: Buyer) => moveAccount({ ...world, paywall }, 24 * 60)

const PRICE_PAIRS = [
  ['monthly', 'monthly'],
  ['monthly', 'lifetime'],
  ['lifetime', 'monthly'],
  ['monthly', 'yearly'],
] as const

describe('a licence whose plan was changed before we knew of it', () => {
  test.each([
    ['monthly', 'yearly'],
    ['yearly', 'monthly'],
  ] as const)('sold as %s and changed to %s is the purchase of its page', async (slug, to) => {
    const { shop } = product()
    const buyer = await open(shop, slug)
    await withoutWebhooks(shop, async () => {
      const license = getField(await payAndGetReturnUrl(buyer), 'license_id')
      await moveAccount({ ...shop.world, paywall: shop.paywall }, 1)
      await shop.account.changePlan?.(license, shop.driver.prices[to])
    })
    await reconcile(buyer)
    expect(await readBoughtPrices(buyer)).toEqual([to])
    expect(await readPages(buyer)).toEqual({ sold: 1, open: 0 })
    await expectStoredAsAtProcessor(buyer)
  })
})

test('a monthly plan that was changed to the annual price of its pricing before we knew of it has that price', async () => {
  const { shop } = product()
  const name = shop.driver.prices.monthly
  const annual = { ...yearly({ slug: 'annual', amount: 79, trial_days: 0, processorPrice: name }) }
  const selling = await sell(shop, (prices) => [...prices, annual])
  const buyer = await open(selling)
  await payAndChange(selling, buyer.checkoutUrl, { price: name, amount: 7900, interval: 'year' })
  await newEvents(buyer)
  expect(await readPurchase(buyer)).toMatchObject({ price_slug: 'annual', interval: 'year', unit_amount: 7900 })
})

describe('two open pages', () => {
  test.each(PRICE_PAIRS)('%s and %s, both paid, are two purchases by their webhooks', async (older, newer) => {
    const { shop } = product()
    const buyer = await open(shop, older)
    const other = await openMore(buyer, shop, newer)
    await payAndGetReturnUrl(other)
    await payAndGetReturnUrl(buyer)
    await newEvents(buyer)
    expect(await readBoughtPrices(buyer)).toEqual([older, newer].toSorted())
    expect(await readPages(buyer)).toEqual({ sold: 2, open: 0 })
  })

  test.each(PRICE_PAIRS)('%s and %s, both paid, are two purchases without webhooks', async (older, newer) => {
    const { shop } = product()
    const buyer = await open(shop, older)
    const other = await openMore(buyer, shop, newer)
    await withoutWebhooks(shop, async () => {
      await payAndGetReturnUrl(other)
      await payAndGetReturnUrl(buyer)
    })
    await reconcile(buyer)
    expect(await readBoughtPrices(buyer)).toEqual([older, newer].toSorted())
    expect(await readPages(buyer)).toEqual({ sold: 2, open: 0 })
  })

  test('of the same price are two purchases if both webhooks arrive at the same moment', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    const other = await openMore(buyer, shop)
    shop.emulator.holdWebhooks()
    await payAndGetReturnUrl(other)
    await payAndGetReturnUrl(buyer)
    const reported = shop.emulator.events.filter(({ id }) => id !== '').slice(-6)
    await shop.emulator.sendHeldWebhooks(() => [])
    raceStatements(shop.world, 'store_purchase', 2)
    const created = reported.map((event) => event as unknown as { id: string; type: string })
    const licenses = created.filter(({ type }) => type === 'license.created')
    await Promise.all(licenses.map(({ id }) => shop.emulator.resend(id)))
    shop.world.neon.onStatement = undefined
    expect(await readBoughtPrices(buyer)).toEqual(['monthly', 'monthly'])
    expect(await readPages(buyer)).toEqual({ sold: 2, open: 0 })
    await newEvents(buyer)
  })

  test('of which one is paid leave the other open', async () => {
    const { shop } = product()
    const buyer = await open(shop)
    const other = await openMore(buyer, shop, 'lifetime')
    await withoutWebhooks(shop, () => payAndGetReturnUrl(buyer))
    await reconcile(other)
    expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
    expect(await readPages(buyer)).toEqual({ sold: 1, open: 1 })
  })
})

test('a page that was opened after a purchase has not sold it', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const buyer = await open(shop)
  const address = await payAndGetReturnUrl(buyer)
  await letDayPass(buyer)
  const later = await openMore(buyer, shop)
  await shop.emulator.sendHeldWebhooks()
  const { at } = await follow(shop, address)
  expect(await readPages(later)).toEqual({ sold: 1, open: 1 })
  const { rows } = await shop.world.database.query('select id from checkouts where url = $1', [buyer.checkoutUrl])
  expect(at).toContain(rows[0]?.id)
  await newEvents(buyer)
})

test('a purchase made elsewhere before a page was opened is not attributed to the page, and is not stored', async () => {
  const { shop } = product()
  const stranger = await open(shop)
  const email = newEmail()
  const elsewhere = new URL(stranger.checkoutUrl)
  elsewhere.searchParams.set('user_email', email)
  const address = await payAndGetReturnUrl({ checkoutUrl: elsewhere.href })
  await shop.emulator.drainWebhooks()
  await letDayPass(stranger)
  const buyer = await open(shop, 'monthly', { email })
  await getFreemius(shop).renew(getField(address, 'subscription_id'))
  await reconcile(buyer)
  expect(await newEvents(buyer)).toEqual([])
  expect(await readBoughtPrices(buyer)).toEqual([])
  expect(await readPages(buyer)).toEqual({ sold: 0, open: 1 })
})

describe('two paywalls that sell one product', () => {
  test('sell once, where the page was opened', async () => {
    const { shop, sister } = product()
    const buyer = await open(sister)
    await payAndGetReturnUrl(buyer)
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 999', 'subscription.created'])
    expect(await readBoughtPrices({ ...buyer, shop })).toEqual([])
    expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
  })

  test.each(['sent', 'lost'] as const)(
    'sell once to a buyer with a page open at both, if the webhook is %s',
    async (how) => {
      const { shop, sister } = product()
      const shopBuyer = await open(shop)
      const sisterBuyer = await openMore(shopBuyer, sister)
      if (how === 'sent') {
        await payAndGetReturnUrl(sisterBuyer)
        await shop.emulator.drainWebhooks()
      } else await withoutWebhooks(shop, () => payAndGetReturnUrl(sisterBuyer))
      await reconcile(shopBuyer)
      expect(await readBoughtPrices(sisterBuyer)).toEqual(['monthly'])
      expect(await readBoughtPrices(shopBuyer)).toEqual([])
      expect(await follow(shop, await payAndGetReturnUrl(shopBuyer))).toMatchObject({
        at: expect.stringContaining('/thanks'),
      })
      // After 2.5 seconds the browser is redirected even if the purchase is not stored yet.
      await handleWebhooks(shop)
      expect(await readBoughtPrices(shopBuyer)).toEqual(['monthly'])
    },
  )

  test('sell once if both get the webhook at the same moment', async () => {
    const { shop, sister } = product()
    const shopBuyer = await open(shop)
    const sisterBuyer = await openMore(shopBuyer, sister)
    shop.emulator.holdWebhooks()
    await payAndGetReturnUrl(shopBuyer)
    const [created] = shop.emulator.events.slice(-3) as unknown as { id: string; type: string }[]
    await shop.emulator.sendHeldWebhooks(() => [])
    expect(created?.type).toBe('license.created')
    raceStatements(shop.world, 'store_purchase', 2)
    expect(await shop.emulator.resend(created?.id ?? '')).toEqual([200, 200])
    shop.world.neon.onStatement = undefined
    expect([...(await readBoughtPrices(shopBuyer)), ...(await readBoughtPrices(sisterBuyer))]).toEqual(['monthly'])
    await shop.emulator.drainWebhooks()
  })
})

test('a buyer whose e-mail address changed before the webhook arrived gets the purchase', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const buyer = await open(shop)
  const address = await payAndGetReturnUrl(buyer)
  await getFreemius(shop).changeAddress(getField(address, 'user_id'), `new-${buyer.email}`)
  await shop.emulator.sendHeldWebhooks()
  expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 999', 'subscription.created'])
  await getFreemius(shop).renew(getField(address, 'subscription_id'))
  expect(await newEvents(buyer)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
})

describe('several subscriptions of one buyer', () => {
  test('are not sold while the product is restricted to one', async () => {
    const { shop } = product()
    const buyer = await buy(shop)
    getFreemius(shop).manySubscriptions = false
    const more = await openMore(buyer, shop, 'yearly')
    expect(await press(more.checkoutUrl, 'pay')).toBe('')
    getFreemius(shop).manySubscriptions = true
    await reconcile(more)
    expect(await newEvents(buyer)).toEqual([])
    expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
  })
})
