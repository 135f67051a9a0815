// The demo sells through any processor: demo/paywall.json, with its account and its prices swapped for that processor's.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { HOME_PORT } from '../../cli/clock.ts'
import { sellingProblems } from '../../cli/paywall-file/sellable.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { ProcessorName } from '../../lib/processors/processor-name.ts'
import { EMULATORS } from '../emulators/emulators.ts'
import { demoAccount } from './secrets.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The paywall file that `npm run dev` serves if it is given no other. */
export const DEMO = join(ROOT, 'demo/paywall.json')

/**
 * The ports that the demo's paywall file names: those of the world's home, where its buyers land, and of what hears its events, the
 * webhook receiver and the shop.
 */
export const DEMO_PORTS = { home: HOME_PORT, receiver: 8790, shop: 8795 }

/** The text of the demo's paywall file in a world where those parts have other ports. */
export function demoAt(ports: typeof DEMO_PORTS, text: string): string {
  const origin = (port: number) => `"http://127.0.0.1:${port}/`
  return text
    .replaceAll(origin(DEMO_PORTS.home), origin(ports.home))
    .replaceAll(origin(DEMO_PORTS.receiver), origin(ports.receiver))
    .replaceAll(origin(DEMO_PORTS.shop), origin(ports.shop))
}

/** What is read of the demo's file here, and of its prices; the rest of it stays as it is. */
interface WrittenDemo {
  paywalls: { name: string; prices: DemoPrice[] }[]
}
type Sold = { currency: string; amount: number; processorPrice: string; tier?: number }
type DemoPrice = Sold & { slug: string; label: string; trial_days?: number; locals?: Sold[] }

/**
 * Writes the demo's paywall file as it is with another processor into `folder`. Gives its path, and what differs in it, for
 * people: what the processor does not sell is left out.
 */
export function writeDemo(folder: string, acquiring: ProcessorName): { path: string; differences: string[] } {
  const path = join(folder, `demo-${acquiring}.json`)
  const { file, differences } = demoThrough(acquiring)
  const schema = { $schema: relative(folder, join(ROOT, 'paywall.schema.json')) }
  writeFileSync(path, `${JSON.stringify({ ...file, ...schema }, null, 2)}\n`)
  return { path, differences }
}

/** The demo's paywall file with the account and the prices of a processor. */
export function demoThrough(acquiring: ProcessorName): { file: WrittenDemo; differences: string[] } {
  const written = JSON.parse(readFileSync(DEMO, 'utf8')) as WrittenDemo
  const differences: string[] = []
  const paywalls = written.paywalls.map((paywall) => {
    const prices = paywall.prices.map((price) => {
      const sold = soldThrough(acquiring, paywall.name, price)
      differences.push(...sold.differences)
      return sold.price
    })
    return { ...paywall, processor: demoAccount(acquiring), prices }
  })
  return { file: { ...written, paywalls }, differences }
}

/** A price by the names that a processor has for it, without the local prices that it does not sell. */
function soldThrough(acquiring: ProcessorName, seller: string, written: DemoPrice) {
  const price = named(acquiring, seller, written)
  const { locals } = price
  const problems = sellingProblems(acquiring, { ...price, locals: locals ?? [] })
  const unsold = problems.filter(({ path: [list] }) => list === 'locals')
  const isSold = (index: number) => !unsold.some(({ path }) => path[1] === index)
  return {
    price: { ...price, ...(locals && { locals: locals.filter((_, index) => isSold(index)) }) },
    differences: [
      ...unsold.map(({ message }) => `a local price of "${price.label}" is left out: ${message}`),
      ...trialDifference(acquiring, price),
    ],
  }
}

function named(acquiring: ProcessorName, seller: string, price: DemoPrice): DemoPrice {
  const naming = <Each extends Sold>(sold: Each): Each => {
    const name = demoPriceName(price.slug, sold)
    return { ...sold, processorPrice: EMULATORS[acquiring].demoPrice(name, `${seller}, ${price.label}`) }
  }
  return { ...naming(price), ...(price.locals && { locals: price.locals.map(naming) }) }
}

function trialDifference(acquiring: ProcessorName, { label, trial_days }: DemoPrice): string[] {
  const { title, capabilities } = DEFINITIONS[acquiring]
  if (!trial_days || capabilities.trialLength === 'any') return []
  return [`the trial of "${label}" is as long as the product has it at ${title}: ${trial_days} days at its emulator`]
}

/** What a price is called by, whichever processor it is at: `monthly_usd_tier2`. */
const demoPriceName = (slug: string, { currency, tier }: Sold) =>
  [slug, currency.toLowerCase(), ...(tier === undefined ? [] : [`tier${tier}`])].join('_')
