import { allCountries } from '../lib/geo/countries.ts'
import { structureOf, versionOf } from '../lib/paywall/structure.ts'
import type { FilePaywall } from './paywall-file/file.ts'

/** The bootstrap versions a paywall will have. Local prices make them differ between countries. */
export interface Versions {
  /** What most countries see. */
  common: string
  /** The versions of the others, and which countries see them. */
  others: { version: string; countries: string[] }[]
}

export async function versionsOf(paywall: FilePaywall): Promise<Versions> {
  const row = publicRow(paywall)
  const groups = Map.groupBy(allCountries(), (country) => JSON.stringify(structureOf(row, country).prices))
  const versions = await Promise.all(
    [...groups.values()]
      .toSorted((some, others) => others.length - some.length)
      .map(async (countries) => ({ countries, version: await versionOf(structureOf(row, countries[0]!)) })),
  )
  const [common, ...others] = versions
  return { common: common!.version, others }
}

/** What bootstrap reads of a paywall, and nothing else. */
function publicRow({ id, name, settings, geo, offers, layout, locales, prices }: FilePaywall) {
  const sold = prices.map(({ paywall_id: _id, processor_price: _processorPrice, tokens: _tokens, ...price }) => price)
  return { id, name, settings, geo, offers, layout, locales, prices: sold }
}
