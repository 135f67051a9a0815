import { describe, expect, test } from 'vitest'
import { seal } from '../../lib/crypto/seal.ts'
import { accountContext } from '../../lib/processors/account.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { call, type Reply } from '../support/call.ts'
import { opened, priceIdOf } from '../support/checkout.ts'
import { errorsOf, writtenFile } from '../support/written-file.ts'
import { buy, cancelHere, open, order, pay, purchaseOf, stateOf } from './buyer.ts'
import { type Shop, soldThrough, useShops } from './shop.ts'

// What an owner has set up wrongly: the command refuses the file in a sentence, or the endpoint says 502, and nothing comes of it.

const shopOf = useShops(1)

/** North Korea's: in ISO 4217, and taken by none of them. */
const CURRENCY = 'KPW'

/** What may come of a checkout: a page, a purchase, something to tell. */
async function outcomes({ world }: Shop) {
  const { rows } = await world.database.query(`select
    (select count(*)::int from checkouts where session_id is not null) as pages, (select count(*)::int from purchases) as purchases,
    (select count(*)::int from payments) as payments, (select count(*)::int from events) as events`)
  return rows[0]
}

/** Lets something go on while the paywall has other credentials: secrets that end otherwise. */
async function withBadSecrets(shop: Shop, meanwhile: () => Promise<void>): Promise<void> {
  const { world, acquiring, paywall } = shop
  const store = async (credentials: object) => {
    const context = accountContext({ paywallId: paywall.id, acquiring })
    const sealed = await seal(JSON.stringify(credentials), world.secrets.PROCESSOR_CREDENTIALS_KEY, context)
    await world.database.query('update processor_accounts set credentials = $2 where paywall_id = $1', [
      paywall.id,
      sealed,
    ])
  }
  const good: Record<string, string> = { ...paywall.processor.credentials }
  const isSecret = (field: string) => DEFINITIONS[acquiring].credentials[field]?.secret === true
  const bad = Object.entries(good).map(([field, text]) => [field, isSecret(field) ? `${text}x` : text])
  await store(Object.fromEntries(bad))
  try {
    await meanwhile()
  } finally {
    await store(good)
  }
}

/** Lets something go on while the monthly price is sold by another name at the processor. */
async function withPrice(
  { world, paywall }: Shop,
  processorPrice: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const sell = async (as: string) => {
    const change = `update prices p set processor_price = $2 from prices before
      where p.id = $1 and before.id = p.id returning before.processor_price as before`
    const { rows } = await world.database.query<{ before: string }>(change, [priceIdOf(paywall, 'monthly'), as])
    return rows[0]!.before
  }
  const proper = await sell(processorPrice)
  try {
    await meanwhile()
  } finally {
    await sell(proper)
  }
}

const portal = ({ world, paywall, key }: Shop, email: string): Promise<Reply> =>
  call(world, `/api/v1/paywall/${paywall.id}/get-customer-portal`, { key, body: { email } })

describe.each(ACQUIRING)('%s', (acquiring) => {
  test('credentials that it does not take are 502 at each endpoint, and the right ones are enough', async () => {
    const shop = shopOf(acquiring)
    const misconfigured = { status: 502, body: { error: 'processor_misconfigured' } }
    const buyer = await buy(shop)
    const before = await outcomes(shop)
    await withBadSecrets(shop, async () => {
      expect(await order(shop)).toMatchObject(misconfigured)
      expect(await cancelHere(buyer)).toMatchObject(misconfigured)
      if (shop.abilities.portal) expect(await portal(shop, buyer.email)).toMatchObject(misconfigured)
    })
    expect(await outcomes(shop)).toEqual(before)
    expect(await purchaseOf(buyer)).toMatchObject({ status: 'active', cancel_at_period_end: false })
    expect(opened(await order(shop)).acquiring).toBe(acquiring)
  })

  test('a price that it does not have is 502, or sold where it knows no prices', async () => {
    const shop = shopOf(acquiring)
    const before = await outcomes(shop)
    await withPrice(shop, shop.driver.unknownPrice, async () => {
      const reply = await order(shop)
      if (!shop.abilities.knowsPrices) return expect(opened(reply).acquiring).toBe(acquiring)
      expect(reply).toMatchObject({ status: 502, body: { error: 'processor_rejected' } })
      expect(await outcomes(shop)).toEqual(before)
    })
    const buyer = await open(shop)
    await pay(buyer)
    expect(await stateOf(buyer)).toMatchObject({ paid: true })
  })
  test('a currency that it does not take is refused as the file is read, in a sentence', async () => {
    const { processor, prices } = soldThrough(acquiring)
    const [monthly] = prices as object[]
    const changes = {
      'paywalls[0].processor': processor,
      'paywalls[0].prices': [{ ...monthly, currency: CURRENCY, locals: [] }],
    }
    const sentence = `paywalls[0].prices[0].currency: ${DEFINITIONS[acquiring].title} cannot be paid in ${CURRENCY}`
    expect(await errorsOf(writtenFile(changes))).toEqual([sentence])
  })
})
