import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type PaywallFile, readPaywallFile } from '../../cli/paywall-file/file.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import { DEMO, demoThrough } from '../../dev/world/demo.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { getPriceId, newEmail, parseOpened, payAndReturn, startCheckout } from '../support/checkout.ts'
import { userState } from '../support/user-state.ts'
import { useTestWorld } from '../support/world.ts'

// The prices that `npm run dev -- --processor NAME` sells, bought through each processor.

const SLUGS: string[] = JSON.parse(readFileSync(DEMO, 'utf8')).paywalls[0].prices.map(
  ({ slug }: { slug: string }) => slug,
)
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
    expect(SLUGS.length).toBeGreaterThan(2)
    for (const slug of SLUGS) {
      const body = { email: newEmail(), priceId: getPriceId(paywall!, slug) }
      const { checkoutUrl, userId } = parseOpened(await startCheckout(world, { paywall: paywall!, key, body }))
      expect(await payAndReturn(world, checkoutUrl)).toMatchObject({ status: 303 })
      await world[acquiring].drainWebhooks()
      const state = await userState(world, userId, { paywallId: paywall!.id, key })
      expect(state, slug).toMatchObject({ paid: true, purchases: [{ acquiring, price_slug: slug }] })
    }
  })
})
