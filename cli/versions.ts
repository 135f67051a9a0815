import { allCountries } from '../lib/geo/countries.ts'
import type { FilePaywall } from '../lib/paywall/file.ts'
import { structureOf, versionOf } from '../lib/paywall/structure.ts'

/** The bootstrap versions a paywall will have. Local prices make them differ between countries. */
export interface Versions {
  /** What most countries see. */
  common: string
  /** The versions of the others, and which countries see them. */
  others: { version: string; countries: string[] }[]
}

export async function versionsOf(paywall: FilePaywall): Promise<Versions> {
  const seen = new Map<string, string[]>()
  for (const country of allCountries()) {
    const version = await versionOf(structureOf(publicRow(paywall), country))
    seen.set(version, [...(seen.get(version) ?? []), country])
  }
  const [common, ...others] = [...seen].sort(([, some], [, other]) => other.length - some.length)
  return { common: common?.[0] ?? '', others: others.map(([version, countries]) => ({ version, countries })) }
}

/** What bootstrap reads of a paywall, and nothing else. */
function publicRow({ id, name, settings, geo, offers, layout, locales, prices }: FilePaywall) {
  const sold = prices.map(({ paywall_id: _id, processor_price: _processorPrice, tokens: _tokens, ...price }) => price)
  return { id, name, settings, geo, offers, layout, locales, prices: sold }
}
