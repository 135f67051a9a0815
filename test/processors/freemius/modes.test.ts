// One product has real purchases and those of its sandbox, so a paywall for tests and a live one may sell it together.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EMULATORS } from '../../../dev/emulators/emulators.ts'
import { randomHex } from '../../../lib/crypto/crypto.ts'
import { open, order } from '../../conformance/buyer.ts'
import { type Shop, shopAt, soldThrough } from '../../conformance/shop.ts'
import { opened } from '../../support/checkout.ts'
import { startTestWorld, type TestWorld } from '../../support/world.ts'
import { boughtBy, follow, payAt } from './product.ts'

const LIVE_KEY = `pk_live_${randomHex(32)}`

let world: TestWorld
let live: Shop
let sandbox: Shop

/** The product's buyers return to the live paywall. */
beforeAll(async () => {
  const { secretKey, apiKey, ...open } = EMULATORS.freemius.demoCredentials()
  const sold = soldThrough('freemius')
  const sealed = { ...open, secretKey: 'env:FREEMIUS_SECRET', apiKey: 'env:FREEMIUS_API' }
  const ofProduct = (credentials: object) => ({ ...sold, processor: { acquiring: 'freemius', credentials } })
  world = await startTestWorld({
    file: {
      webhooks: [],
      keys: [
        { name: 'backend', secret: 'env:TEST_KEY' },
        { name: 'live', secret: 'env:LIVE_KEY' },
      ],
      paywalls: [{ ...ofProduct(sealed), test: false }, ofProduct({ ...open, secretKey, apiKey })],
      environment: { FREEMIUS_SECRET: secretKey, FREEMIUS_API: apiKey, LIVE_KEY, TEST_KEY: `pk_test_${randomHex(32)}` },
    },
  })
  const [first, second] = world.file.paywalls
  live = shopAt(world, first!, first!, LIVE_KEY)
  sandbox = shopAt(world, second!, second!)
})
afterAll(() => world.close())

test('a paywall for tests and a live one each sell what was paid on their pages, to one buyer', async () => {
  const here = await open(sandbox)
  const { email } = here
  const reply = await order(live, 'monthly', { email, headers: { 'idempotency-key': randomUUID() } })
  const there = { ...here, shop: live, ...opened(reply) }

  const test = await payAt(here)
  await world.freemius.drainWebhooks()
  expect([await boughtBy(here), await boughtBy(there)]).toEqual([['monthly'], []])
  const real = await payAt(there)
  await world.freemius.drainWebhooks()
  expect([await boughtBy(here), await boughtBy(there)]).toEqual([['monthly'], ['monthly']])

  const ends = [await follow(live, test), await follow(live, real)]
  for (const end of ends) expect(end).toMatchObject({ status: 303, at: expect.stringContaining('/thanks?session=') })
  expect(new Set(ends.map(({ at }) => at)).size).toBe(2)
})

test('who pays in the sandbox returns over the address of the live paywall', async () => {
  world.freemius.holdWebhooks()
  const buyer = await open(sandbox)
  const address = await payAt(buyer)
  expect(new URL(address).pathname).toBe(`/return/freemius/${live.paywall.id}`)
  expect(await follow(live, address)).toMatchObject({ status: 303, at: expect.stringContaining('/thanks?session=') })
  expect(await boughtBy(buyer)).toEqual(['monthly'])
  await world.freemius.sendHeldWebhooks()
})
