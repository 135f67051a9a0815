import { afterAll, beforeAll } from 'vitest'
import type { FilePaywall } from '../../cli/paywall-file/file.ts'
import type { Emulator } from '../../dev/emulators/core/emulator.ts'
import { EMULATORS } from '../../dev/emulators/emulators.ts'
import type { Capabilities } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { type FileJson, monthly, yearly } from '../support/paywall-file.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'
import type { AccountControls, Driver } from './drivers/driver.ts'
import { getAccountControls, getDriver } from './drivers/drivers.ts'
import { taxSettings } from './drivers/set-up.ts'
import { getProcessor, SHOP_NAMES, type ShopName } from './drivers/shop-names.ts'

/** A paywall that sells through one of the processors, with everything that a test needs. */
export interface Shop {
  acquiring: ProcessorName
  capabilities: Capabilities
  world: TestWorld
  paywall: FilePaywall
  key: string
  /** A paywall at another account of the same processor. */
  neighbour: FilePaywall
  emulator: Emulator<{ id: string }, unknown>
  driver: Driver
  account: AccountControls
}

/**
 * 9.99 USD a month with 100 tokens, or 8.99 EUR in Germany; 19.99 USD a month with 300; 89 USD a year after a trial of 7 days; 49 USD
 * once; a pack of 50 tokens for 5 USD, which gives no access.
 */
export function paywallAt(acquiring: ProcessorName) {
  const { monthly: processorPrice, local, ...prices } = getDriver(acquiring).prices
  const inGermany = { countries: ['DE'], currency: 'EUR', amount: 8.99, processorPrice: local }
  const plus = monthly({
    slug: 'plus',
    label: 'Plus',
    amount: 19.99,
    processorPrice: prices.plus,
    locals: [],
    features: ['export', 'api'],
    tokens: [{ type: 'standard', count: 300 }],
  })
  const lifetime = { slug: 'lifetime', label: 'For ever', currency: 'USD', amount: 49, processorPrice: prices.lifetime }
  const pack = {
    slug: 'pack',
    label: '50 tokens',
    currency: 'USD',
    amount: 5,
    processorPrice: prices.pack,
    access: false,
    tokens: [{ type: 'standard', count: 50 }],
  }
  const credentials: FileJson = EMULATORS[acquiring].demoCredentials()
  return {
    settings: { tokenization_queries: [{ type: 'standard' }], ...taxSettings(acquiring) },
    processor: { acquiring, credentials },
    prices: [
      monthly({ processorPrice, locals: [inGermany], features: ['export'] }),
      plus,
      yearly({ processorPrice: prices.yearly, features: ['export', 'team'] }),
      lifetime,
      pack,
    ],
  }
}

type PaywallJson = ReturnType<typeof paywallAt>

/** The shop of a paywall in the current file. */
export function shopAt(world: TestWorld, paywall: FilePaywall, neighbour: FilePaywall, key = world.key): Shop {
  const { acquiring } = paywall.processor
  const { capabilities } = DEFINITIONS[acquiring]
  return {
    acquiring,
    capabilities,
    world,
    paywall,
    key,
    neighbour,
    driver: getDriver(acquiring),
    emulator: world[acquiring] as unknown as Shop['emulator'],
    account: getAccountControls(world, paywall),
  }
}

function paywallAtShop(name: ShopName): PaywallJson {
  const { acquiring, unset } = getProcessor(name)
  const paywall = paywallAt(acquiring)
  for (const credential of unset) delete paywall.processor.credentials[credential]
  return paywall
}

/**
 * Starts one world for all tests of a file, with `count` paywalls for each processor, each with its own account. Returns a function
 * that gets a processor's shop by its index, the first by default. `change` can change the fields of the paywall with an index.
 */
export function useShops(
  count = 2,
  change: (paywall: PaywallJson, index: number, acquiring: ProcessorName) => FileJson = (paywall) => paywall,
): (name: ShopName, index?: number) => Shop {
  let world: TestWorld
  beforeAll(async () => {
    const createPaywalls = (name: ShopName) =>
      Array.from({ length: count }, (_, index) => {
        const paywall = paywallAtShop(name)
        return change(paywall, index, paywall.processor.acquiring)
      })
    const paywalls = SHOP_NAMES.flatMap(createPaywalls)
    world = await startTestWorld({ file: { paywalls } })
  })
  afterAll(() => world.close())
  return (name, index = 0) => {
    const first = SHOP_NAMES.indexOf(name) * count
    const paywalls = world.file.paywalls.slice(first, first + count)
    return shopAt(world, paywalls[index]!, paywalls[(index + 1) % count]!)
  }
}
