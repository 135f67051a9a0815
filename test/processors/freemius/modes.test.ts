// One product has live purchases and those of its sandbox, so a test paywall and a live one may both sell it.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { EMULATORS } from '../../../dev/emulators/emulators.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { type Buyer, open, order, type Slug } from '../../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../../conformance/shop.ts'
import { call } from '../../support/call.ts'
import { parseOpened } from '../../support/checkout.ts'
import { at } from '../../support/tenants.ts'
import { useTestWorld } from '../../support/world.ts'
import { follow, payAndGetReturnUrl, readBoughtPrices } from './product.ts'

const LIVE_KEY = `pk_live_${randomHex(32)}`

let live: Shop
let sandbox: Shop

const { secretKey, apiKey, ...publicCredentials } = EMULATORS.freemius.demoCredentials()
const sold = paywallAt('freemius')
const liveCredentials = { ...publicCredentials, secretKey: 'env:FREEMIUS_SECRET', apiKey: 'env:FREEMIUS_API' }
const withProduct = (credentials: object) => ({ ...sold, processor: { acquiring: 'freemius', credentials } })
/** The product's buyers return to the live paywall. */
const world = useTestWorld({
  file: {
    webhooks: [],
    keys: [
      { name: 'backend', secret: 'env:TEST_KEY' },
      { name: 'live', secret: 'env:LIVE_KEY' },
    ],
    paywalls: [
      { ...withProduct(liveCredentials), test: false },
      withProduct({ ...publicCredentials, secretKey, apiKey }),
    ],
    environment: { FREEMIUS_SECRET: secretKey, FREEMIUS_API: apiKey, LIVE_KEY, TEST_KEY: `pk_test_${randomHex(32)}` },
  },
})
beforeAll(async () => {
  const [first, second] = world.file.paywalls
  live = shopAt(world, first!, first!, LIVE_KEY)
  sandbox = shopAt(world, second!, second!)
})

/** Opens a page of the live paywall for the same e-mail address. */
async function openLive(buyer: Buyer, slug: Slug = 'monthly'): Promise<Buyer> {
  const { email } = buyer
  const reply = await order(live, slug, { email, headers: { 'idempotency-key': randomUUID() } })
  return { ...buyer, shop: live, ...parseOpened(reply) }
}

test('one buyer gets a test and a live purchase, each on the paywall whose page was paid', async () => {
  const testBuyer = await open(sandbox)
  const liveBuyer = await openLive(testBuyer)

  const testReturn = await payAndGetReturnUrl(testBuyer)
  await world.freemius.drainWebhooks()
  expect([await readBoughtPrices(testBuyer), await readBoughtPrices(liveBuyer)]).toEqual([['monthly'], []])
  const liveReturn = await payAndGetReturnUrl(liveBuyer)
  await world.freemius.drainWebhooks()
  expect([await readBoughtPrices(testBuyer), await readBoughtPrices(liveBuyer)]).toEqual([['monthly'], ['monthly']])

  const ends = [await follow(live, testReturn), await follow(live, liveReturn)]
  for (const end of ends) expect(end).toMatchObject({ status: 303, at: expect.stringContaining('/thanks?session=') })
  expect(new Set(ends.map(({ at }) => at)).size).toBe(2)
})

test('a buyer in the sandbox returns via the URL of the live paywall', async () => {
  world.freemius.holdWebhooks()
  const buyer = await open(sandbox)
  const address = await payAndGetReturnUrl(buyer)
  expect(new URL(address).pathname).toBe(`/return/freemius/${live.paywall.id}`)
  expect(await follow(live, address)).toMatchObject({ status: 303, at: expect.stringContaining('/thanks?session=') })
  expect(await readBoughtPrices(buyer)).toEqual(['monthly'])
  await world.freemius.sendHeldWebhooks()
})

// Freemius has one user per e-mail address, whose portal shows and cancels all that it has bought.
test.each([
  ['a licence', 'lifetime', null],
  ['a subscription whose licence is deleted', 'monthly', 'deleted'],
] as const)('the portal of a test purchase is refused to a buyer of %s in live mode', async (_what, slug, deleted) => {
  const portal = ({ shop, email }: Buyer) =>
    call(world, at(shop, 'get-customer-portal'), { key: shop.key, body: { email } })
  const opens = { status: 200, body: { url: expect.stringContaining('/portal/') } }
  const testBuyer = await open(sandbox)
  await payAndGetReturnUrl(testBuyer)
  await world.freemius.drainWebhooks()
  expect(await portal(testBuyer)).toMatchObject(opens)

  const real = await payAndGetReturnUrl(await openLive(testBuyer, slug))
  if (deleted) await world.freemius.deleteLicense(new URL(real).searchParams.get('license_id') ?? '')
  await world.freemius.drainWebhooks()
  expect(await portal(testBuyer)).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
})

test('a test purchase does not prevent a live buyer from opening the portal', async () => {
  const testBuyer = await open(sandbox)
  const liveBuyer = await openLive(testBuyer)
  for (const page of [testBuyer, liveBuyer]) await payAndGetReturnUrl(page)
  await world.freemius.drainWebhooks()
  const reply = await call(world, at(live, 'get-customer-portal'), { key: live.key, body: { email: testBuyer.email } })
  expect(reply).toMatchObject({ status: 200, body: { url: expect.stringContaining('/portal/') } })
})

test("returning from a live page ignores the buyer's sandbox purchase", async () => {
  world.freemius.holdWebhooks()
  const testBuyer = await open(sandbox)
  const liveBuyer = await openLive(testBuyer)
  await payAndGetReturnUrl(testBuyer)
  const returnUrl = new URL(liveBuyer.checkoutUrl).searchParams.get('cancel_url')!.replace(/error$/, 'success')
  expect(await follow(live, returnUrl)).toMatchObject({ status: 303, at: expect.stringContaining('/sorry?session=') })
  expect(await readBoughtPrices(liveBuyer)).toEqual([])
  await world.freemius.sendHeldWebhooks()
  expect([await readBoughtPrices(testBuyer), await readBoughtPrices(liveBuyer)]).toEqual([['monthly'], []])
})
