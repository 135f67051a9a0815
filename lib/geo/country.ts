import { isCountry, UNKNOWN_COUNTRY } from './countries.ts'

/** The country of the caller's address as Cloudflare saw it, or `XX`. */
export function countryOf(request: Request): string {
  const country = request.cf?.country
  return typeof country === 'string' && isCountry(country) ? country : UNKNOWN_COUNTRY
}

/**
 * The country of the end user that an owner's backend speaks for: of `X-Client-Ip` where it is sent, else the caller's.
 * It changes what is reported, never a price that a Bearer user pays. `X-Forwarded-For` is never read.
 */
export async function reportedCountryOf(request: Request): Promise<string> {
  const address = request.headers.get('x-client-ip')
  if (address === null) return countryOf(request)
  const { countryOfAddress } = await import('./address.ts')
  return countryOfAddress(address)
}
