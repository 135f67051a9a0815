// Where Freemius redirects its buyers, through the public API: one signed URL for all pages of a product.
import { describe, expect, test } from 'vitest'
import { buy, getProcessorId, newEvents, open, readPurchase, readState } from '../../conformance/buyer.ts'
import { call } from '../../support/call.ts'
import { countStatements } from '../../support/statements.ts'
import {
  follow,
  getFreemius,
  openMore,
  payAndGetReturnUrl,
  readBoughtPrices,
  readPages,
  signReturnUrl,
  useProduct,
} from './product.ts'

const product = useProduct()

const THANKS = { status: 303, at: expect.stringMatching(/^https:\/\/owner\.example\/thanks\?session=[0-9a-f-]{36}$/) }
const SORRY = { status: 303, at: expect.stringMatching(/^https:\/\/owner\.example\/sorry\?session=[0-9a-f-]{36}$/) }
const FORGED = { status: 400, body: { error: 'invalid_signature' } }
const UNKNOWN = { status: 404, body: { error: 'checkout_not_found' } }

describe('a URL that Freemius did not sign', () => {
  test('is refused without calls to Freemius, and stores nothing, for each kind of forgery', async () => {
    const { shop, sister, stranger } = product()
    shop.emulator.holdWebhooks()
    const buyer = await open(shop)
    const good = await payAndGetReturnUrl(buyer)
    const unsigned = good.replace(/&signature=.*/, '')
    const moved = (id: string) => good.replace(`/freemius/${shop.paywall.id}`, `/freemius/${id}`)
    const calls = shop.emulator.calls.length
    const forged: Record<string, string> = {
      'not signed': unsigned,
      'an empty signature': `${unsigned}&signature=`,
      'cut short': good.slice(0, -1),
      'another licence': good.replace(/license_id=\d+/, 'license_id=1'),
      'another address': good.replace(/email=[^&]+/, 'email=eve%40example.com'),
      'an extra field': good.replace('&signature', '&license_id=1&signature'),
      "another paywall's product": moved(stranger.paywall.id),
      'another paywall of the product': moved(sister.paywall.id),
      "another product's key": signReturnUrl(good, { ...stranger.paywall, id: shop.paywall.id }, {}),
    }
    for (const [how, address] of Object.entries(forged)) expect(await follow(shop, address), how).toMatchObject(FORGED)
    expect(shop.emulator.calls).toHaveLength(calls)
    expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [] })
    expect(await follow(shop, good)).toMatchObject(THANKS)
    await shop.emulator.sendHeldWebhooks()
  })

  test('parameters after the signature are ignored', async () => {
    const { shop } = product()
    const [ada, eve] = [await buy(shop), await open(shop)]
    const id = await getProcessorId(ada)
    const good = await payAndGetReturnUrl(eve)
    expect(await follow(shop, `${good}&license_id=${id}&email=${encodeURIComponent(ada.email)}`)).toMatchObject(THANKS)
    expect(await readBoughtPrices(eve)).toEqual(['monthly'])
    expect(await getProcessorId(eve)).not.toBe(id)
    expect(await readBoughtPrices(ada)).toEqual(['monthly'])
  })
})

test.each(['before', 'after'] as const)(
  'a URL that is visited several times %s the webhook sells once',
  async (when) => {
    const { shop } = product()
    shop.emulator.holdWebhooks()
    const buyer = await open(shop)
    const address = await payAndGetReturnUrl(buyer)
    const reported = ['checkout.completed', 'payment.succeeded 999', 'subscription.created']
    if (when === 'after') {
      await shop.emulator.sendHeldWebhooks()
      expect(await newEvents(buyer)).toEqual(reported)
    }
    const visits = await Promise.all(Array.from({ length: 4 }, () => follow(shop, address)))
    for (const visit of visits) expect(visit).toMatchObject(THANKS)
    expect(new Set(visits.map(({ at }) => at)).size).toBe(1)
    const calls = shop.emulator.calls.length
    expect(await follow(shop, address)).toMatchObject(visits[0]!)
    expect(shop.emulator.calls).toHaveLength(calls)
    if (when === 'before') {
      expect(await newEvents(buyer)).toEqual(reported)
      await shop.emulator.sendHeldWebhooks()
    }
    expect(await newEvents(buyer)).toEqual([])
    expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
  },
)

test('visiting a URL takes three SQL statements, and two once its purchase is stored', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const address = await payAndGetReturnUrl(await open(shop))
  const visit = () => call(shop.world, address)
  expect([await countStatements(shop.world, visit), await countStatements(shop.world, visit)]).toEqual([3, 2])
  await shop.emulator.sendHeldWebhooks()
})

test('a URL of a licence that was not bought here is a 404', async () => {
  const { shop } = product()
  const good = await payAndGetReturnUrl(await open(shop))
  const strange = { license_id: '1', email: 'nobody@example.com' }
  expect(await follow(shop, signReturnUrl(good, shop.paywall, strange))).toMatchObject(UNKNOWN)
  expect(await follow(shop, signReturnUrl(good, shop.paywall, { ...strange, plan_id: '999' }))).toMatchObject(UNKNOWN)
  await shop.emulator.drainWebhooks()
})

test('a licence that was deleted before its buyer returned was not bought', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const buyer = await open(shop)
  const address = await payAndGetReturnUrl(buyer)
  await getFreemius(shop).deleteLicense(new URL(address).searchParams.get('license_id') ?? '')
  expect(await follow(shop, address)).toMatchObject(SORRY)
  expect(await readState(buyer)).toMatchObject({ paid: false, purchases: [] })
  await shop.emulator.sendHeldWebhooks()
  expect(await newEvents(buyer)).toEqual([])
})

test('a buyer of a lifetime licence may return without the pricing', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const buyer = await open(shop, 'lifetime')
  const address = signReturnUrl(await payAndGetReturnUrl(buyer), shop.paywall, { pricing_id: null })
  expect(await follow(shop, address)).toMatchObject(THANKS)
  expect(await readBoughtPrices(buyer)).toEqual(['lifetime'])
  await shop.emulator.sendHeldWebhooks()
})

test('a buyer who changes the payment method returns to the purchase', async () => {
  const { shop } = product()
  const buyer = await open(shop)
  const address = await payAndGetReturnUrl(buyer)
  const first = await follow(shop, address)
  await newEvents(buyer)
  const subscription = new URL(address).searchParams.get('subscription_id') ?? ''
  const { id } = await getFreemius(shop).replaceSubscription(subscription)
  const changed = signReturnUrl(address, shop.paywall, { action: 'payment_method_update', subscription_id: id })
  expect(await follow(shop, changed)).toMatchObject(first)
  expect(await newEvents(buyer)).toEqual([])
  expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
})

test('a buyer who pays for a second trial returns to the error page', async () => {
  const { shop } = product()
  const first = await open(shop, 'yearly')
  const second = await openMore(first, shop, 'yearly')
  shop.emulator.holdWebhooks()
  expect(await follow(shop, await payAndGetReturnUrl(second))).toMatchObject(THANKS)
  const address = await payAndGetReturnUrl(first)
  expect(await follow(shop, address)).toMatchObject(SORRY)
  expect(await follow(shop, address)).toMatchObject(SORRY)
  expect(await readBoughtPrices(first)).toEqual(['yearly'])
  const licenses = getFreemius(shop).licenses.map(({ id }) => id)
  expect(licenses).toContain(new URL(address).searchParams.get('license_id'))
  await shop.emulator.sendHeldWebhooks()
  const ended = getFreemius(shop).subscriptions.filter(({ license_id, canceled_at }) => {
    return license_id === new URL(address).searchParams.get('license_id') && canceled_at !== null
  })
  expect(ended).toHaveLength(1)
})

test('while Freemius is slow the browser is redirected, and the purchase is stored when the reply arrives', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const buyer = await open(shop)
  const address = await payAndGetReturnUrl(buyer)
  const answer = Promise.withResolvers<void>()
  shop.emulator.onCall = async (_call, run) => {
    await answer.promise
    return run()
  }
  const startedAt = Date.now()
  const { status, headers } = await call(shop.world, address)
  expect(Date.now() - startedAt).toBeLessThan(3_000)
  expect({ status, at: headers.location }).toEqual({ status: 303, at: expect.stringMatching(/\/r\/.*\/success$/) })
  shop.emulator.onCall = undefined
  answer.resolve()
  await expect.poll(async () => (await readState(buyer)).paid, { timeout: 10_000 }).toBe(true)
  await shop.emulator.sendHeldWebhooks()
})

test('a buyer whose e-mail address changed at Freemius before the return gets the purchase', async () => {
  const { shop } = product()
  shop.emulator.holdWebhooks()
  const buyer = await open(shop)
  const address = await payAndGetReturnUrl(buyer)
  await getFreemius(shop).changeAddress(new URL(address).searchParams.get('user_id') ?? '', `new-${buyer.email}`)
  expect(await follow(shop, address)).toMatchObject(THANKS)
  expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
  await shop.emulator.sendHeldWebhooks()
  expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 999', 'subscription.created'])
  await getFreemius(shop).renew(new URL(address).searchParams.get('subscription_id') ?? '')
  expect(await newEvents(buyer)).toEqual(['payment.succeeded 999', 'subscription.renewed'])
})

describe('two paywalls that sell one product', () => {
  test('the paywall with the return URL redirects buyers of the other paywall', async () => {
    const { shop, sister } = product()
    shop.emulator.holdWebhooks()
    const buyer = await open(sister)
    const address = await payAndGetReturnUrl(buyer)
    expect(new URL(address).pathname).toBe(`/return/freemius/${shop.paywall.id}`)
    expect(await follow(sister, address)).toMatchObject(THANKS)
    expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
    await shop.emulator.sendHeldWebhooks()
    expect(await newEvents(buyer)).toEqual(['checkout.completed', 'payment.succeeded 999', 'subscription.created'])
    expect(await follow(sister, address)).toMatchObject(THANKS)
    expect((await readPurchase(buyer))?.status).toBe('active')
  })

  test('each store their own purchase when one buyer pays a page of both', async () => {
    const { shop, sister } = product()
    shop.emulator.holdWebhooks()
    const shopBuyer = await open(shop)
    const sisterBuyer = await openMore(shopBuyer, sister)
    const addresses = [await payAndGetReturnUrl(sisterBuyer), await payAndGetReturnUrl(shopBuyer)]
    for (const address of addresses) expect(await follow(shop, address)).toMatchObject(THANKS)
    await shop.emulator.sendHeldWebhooks()
    for (const buyer of [shopBuyer, sisterBuyer]) {
      expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
      expect(await readPages(buyer)).toEqual({ sold: 1, open: 0 })
    }
  })
})
