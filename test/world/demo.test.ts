import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { DEMO, demoThrough, demoWithOpenOffer } from '../../dev/world/demo.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// The prices that `npm run dev -- --processor NAME` sells, bought through each processor.

const PRICES: { slug: string; access?: boolean }[] = JSON.parse(readFileSync(DEMO, 'utf8')).paywalls[0].prices
const KEY = `pk_test_${'d'.repeat(32)}`

const world = useTestWorld()

/** The demo with its own owner, who receives no events. */
async function demoFile(acquiring: ProcessorName): Promise<PaywallFile> {
  const { file } = demoThrough(acquiring)
  const credentials = EMULATORS[acquiring].demoCredentials()
  const owned = {
    owner: { email: `${acquiring}@example.com` },
    keys: [{ name: 'backend', secret: `${KEY}${acquiring}` }],
    webhooks: [],
  }
  const id = 1001 + PROCESSOR_NAMES.indexOf(acquiring)
  const paywalls = file.paywalls.map((paywall) => ({
    ...paywall,
    id: String(id),
    domain: `pay.${acquiring}.localhost`,
    processor: { acquiring, credentials },
  }))
  const read = await readPaywallFile(JSON.stringify({ ...file, ...owned, paywalls }), {})
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  return read.file
}

describe.each(PROCESSOR_NAMES)('the demo through %s', (acquiring) => {
  test('sells each of its prices', async () => {
    const file = await demoFile(acquiring)
    await world.apply(file)
    const [paywall] = file.paywalls
    const key = `${KEY}${acquiring}`
    expect(PRICES.length).toBeGreaterThan(3)
    for (const { slug, access = true } of PRICES) {
      const body = { email: newEmail(), priceId: getPriceId(paywall!, slug) }
      const { checkoutUrl, userId } = parseOpened(await startCheckout(world, { paywall: paywall!, key, body }))
      expect(await payAndReturn(world, checkoutUrl)).toMatchObject({ status: 303 })
      await world[acquiring].drainWebhooks()
      const state = await userState(world, userId, { paywallId: paywall!.id, key })
      expect(state, slug).toMatchObject({ paid: access, purchases: [{ acquiring, price_slug: slug }] })
    }
  })

  test('takes its offers off', async () => {
    const file = await demoFile(acquiring)
    await world.apply(file)
    const paywall = file.paywalls[0]!
    const key = `${KEY}${acquiring}`
    const buyAt = async (slug: string, offer: object) => {
      const body = { email: newEmail(), priceId: getPriceId(paywall, slug), country: 'US', ...offer }
      const { checkoutUrl, userId } = parseOpened(await startCheckout(world, { paywall, key, body }))
      await payAndReturn(world, checkoutUrl)
      await world[acquiring].drainWebhooks()
      return (await userState(world, userId, { paywallId: paywall.id, key })).purchases[0]?.last_payment?.amount
    }
    expect(await buyAt('yearly', { offer: 'launch' })).toBe(6675)
    expect(await buyAt('lifetime', { code: 'friends-49' })).toBe(20000)
    expect(paywall.discounts.filter(({ show }) => show === 'cancel')).toHaveLength(1)
  })
})

test('its offer is open for some days whenever it is served', () => {
  const served = JSON.parse(demoWithOpenOffer(readFileSync(DEMO, 'utf8'), new Date('2031-02-25T13:00:00Z')))
  expect(served.paywalls[0].offers[0]).toMatchObject({ id: 'launch', ends_at: '2031-03-06T00:00:00.000Z' })
})
