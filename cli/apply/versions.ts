import { allCountries } from '../../lib/geo/countries.ts'
import { computeVersion, toStructure } from '../../lib/paywall/structure.ts'
import type { FilePaywall, PaywallFile } from '../paywall-file/file.ts'

/** The `version` that a paywall's bootstrap has once the file is applied. */
export interface Version {
  paywall: string
  version: string
  /** The countries that get it; null for all others. Local prices and offers make the version differ between countries. */
  countries: string[] | null
}

/** Longer country lists are truncated: the first countries are enough to recognise a tier. */
const MAX_COUNTRIES = 8

/** Computes the versions of each paywall, the one that most countries get first. */
export async function computeVersions({ paywalls }: PaywallFile): Promise<Version[]> {
  return (await Promise.all(paywalls.map(computePaywallVersions))).flat()
}

async function computePaywallVersions(paywall: FilePaywall): Promise<Version[]> {
  const row = toPublicRow(paywall)
  const byCountry = Map.groupBy(allCountries(), (country) => {
    const { prices, offers } = toStructure(row, country)
    return JSON.stringify([prices, offers])
  })
  const groups = [...byCountry.values()].toSorted((some, others) => others.length - some.length)
  return Promise.all(
    groups.map(async (countries, index) => ({
      paywall: paywall.id,
      version: await computeVersion(toStructure(row, countries[0]!)),
      countries: index === 0 ? null : countries,
    })),
  )
}

/**
 * The parts of a paywall that bootstrap reads, as of now: an offer that begins, ends or is used up later changes the version again. One that
 * is used up already is predicted as if it were not, because `plan` may change its `max`.
 */
function toPublicRow({ id, name, settings, geo, offers, discounts, layout, locales, prices }: FilePaywall) {
  const publicPrices = prices.map(({ paywall_id: _id, processor_price: _processorPrice, ...price }) => price)
  const publicOffers = discounts
    .filter(({ show }) => show !== 'code')
    .map(
      ({ code: _code, max_uses: _max, max_per_member: _often, processor_discount: _processorDiscount, ...offer }) =>
        offer,
    )
  const now = new Date().toISOString()
  const codes = discounts.filter(({ code }) => code !== null)
  const listed = publicOffers.flatMap(listTexts)
  const hidden = discounts.flatMap(listTexts).filter((key) => !listed.includes(key))
  const common = { id, name, settings, geo, offers, layout, locales, now }
  return { ...common, discounts: publicOffers, codes, hidden_texts: hidden, prices: publicPrices }
}

/** The text keys of an offer. */
const listTexts = ({ title, badge }: { title: string; badge: string | null }) =>
  badge === null ? [title] : [title, badge]

export function versionText({ paywall, version, countries }: Version): string {
  return countries === null ? `Version of paywall ${paywall}: ${version}` : `  in ${shortList(countries)}: ${version}`
}

function shortList(countries: string[]): string {
  const more = countries.length - MAX_COUNTRIES
  return countries.slice(0, MAX_COUNTRIES).join(' ') + (more > 0 ? ` and ${more} more` : '')
}
